//! How much a component and a guest may take. What happens beyond a limit is said by the error that names it.

use std::time::Duration;

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;
const GIB: usize = 1024 * MIB;

/// Component-model handles that one open call takes: its own, and the set of those that a guest waits for.
const HANDLES_PER_OPEN_CALL: usize = 2;
/// Handles for everything else: streams of output, tasks, sets without a call.
const OTHER_HANDLES: usize = 1_000;

/// The limits of an [`Engine`](crate::Engine): the same for every component and every guest in it.
///
/// A "stretch" is what a guest does from one answer to the point where it waits for the next; an event or signal that was
/// there before it was asked for is an answer too. Stretches are the same when a history is replayed, so a limit per stretch
/// is hit in a replay exactly when it was hit before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a component. Default: 64 MiB.
    pub component_size: usize,
    /// Time for compiling one component, by the wall clock. Default: 1 minute.
    ///
    /// This and the next two hold for a [`Compiler::Child`](crate::Compiler::Child), and for no other.
    pub compile_time: Duration,
    /// Bytes of address space of a compiler. Systems of Apple, and Windows, do not keep it. Default: 2 GiB.
    pub compile_memory: usize,
    /// Bytes of a compiled component. Default: 512 MiB.
    pub compiled_size: usize,
    /// Workflows in one component, and activities in one. Default: 1,000.
    pub workflows: usize,
    /// Bytes of a name or an id. Default: 256.
    pub name_length: usize,
    /// Bytes of a payload, of a failure with all its causes, and of a query's answer. Default: 2 MiB.
    pub payload_size: usize,
    /// Bytes of all linear memories of a guest together. Default: 64 MiB.
    pub memory: usize,
    /// Elements of all tables of a guest together. Default: 100,000.
    pub table_elements: usize,
    /// Core instances of a guest. Default: 100.
    pub instances: usize,
    /// Linear memories of a guest. Each takes 4 GiB of address space, however small it is. Default: 8.
    pub memories: usize,
    /// Tables of a guest. Default: 100.
    pub tables: usize,
    /// Bytes of stack that the guest's own code may use. Default: 512 KiB.
    pub stack: usize,
    /// Bytes of a fiber's stack: `stack` and what host functions need on top. Default: 1 MiB.
    pub fiber_stack: usize,
    /// Bytes that one call from guest to host may copy. Default: 64 MiB, as much as the memory holds.
    pub host_call_bytes: usize,
    /// Longest stretch, by the wall clock. The one limit that replay may meet differently. Default: 1 s.
    pub run_time: Duration,
    /// Recording calls in one stretch. Default: 10,000.
    pub calls: usize,
    /// Bytes that the recording calls of one stretch hand over, names and options included. Default: 32 MiB.
    pub call_bytes: usize,
    /// Calls that a guest may wait for at the same time. Default: 10,000.
    pub open_calls: usize,
    /// Bytes that the calls which a guest waits for at the same time handed over. Default: 64 MiB.
    pub open_call_bytes: usize,
    /// Names of non-retriable errors in one retry policy. Default: 64.
    pub non_retriable_names: usize,
    /// Bytes of log lines, stdout and stderr in one stretch; the rest of them is dropped. Default: 64 KiB.
    pub log_bytes: usize,
    /// Bytes of stderr kept for the message of a panic. Default: 4 KiB.
    pub panic_message: usize,
    /// Random bytes in one call. Default: 64 KiB.
    pub random_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            component_size: 64 * MIB,
            compile_time: Duration::from_secs(60),
            compile_memory: 2 * GIB,
            compiled_size: 512 * MIB,
            workflows: 1_000,
            name_length: 256,
            payload_size: 2 * MIB,
            memory: 64 * MIB,
            table_elements: 100_000,
            instances: 100,
            memories: 8,
            tables: 100,
            stack: 512 * KIB,
            fiber_stack: MIB,
            host_call_bytes: 64 * MIB,
            run_time: Duration::from_secs(1),
            calls: 10_000,
            call_bytes: 32 * MIB,
            open_calls: 10_000,
            open_call_bytes: 64 * MIB,
            non_retriable_names: 64,
            log_bytes: 64 * KIB,
            panic_message: 4 * KIB,
            random_bytes: 64 * KIB,
        }
    }
}

impl Limits {
    /// Component-model handles of a guest, which the host keeps: enough for all calls that may be open.
    pub(crate) const fn handles(&self) -> usize {
        self.open_calls.saturating_mul(HANDLES_PER_OPEN_CALL).saturating_add(OTHER_HANDLES)
    }
}

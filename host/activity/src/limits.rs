//! How much an activity may take. What happens beyond a limit is said by the failure that names it.

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

/// The limits of one run of an activity. Those on stacks are the engine's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActivityLimits {
    /// Bytes of a result, of a failure with all its causes, and of a heartbeat's details. Default: 2 MiB.
    pub payload_size: usize,
    /// Bytes of all linear memories together. Default: 256 MiB.
    pub memory: usize,
    /// Elements of all tables together. Default: 100,000.
    pub table_elements: usize,
    /// Core instances. Default: 100.
    pub instances: usize,
    /// Linear memories. Default: 8.
    pub memories: usize,
    /// Tables. Default: 100.
    pub tables: usize,
    /// Bytes that one call from guest to host may copy. Default: 64 MiB.
    pub host_call_bytes: usize,
    /// Streams, requests, responses and other things that the host keeps for the guest. Default: 10,000.
    pub resources: usize,
    /// Bytes of log lines, stdout and stderr; the rest of them is dropped. Default: 1 MiB.
    pub log_bytes: usize,
    /// Bytes of stderr kept for the message of a panic. Default: 4 KiB.
    pub panic_message: usize,
    /// Random bytes in one call. Default: 1 MiB.
    pub random_bytes: usize,
    /// HTTP requests under way at the same time. Default: 64.
    pub http_requests: usize,
    /// Bytes of the headers of one request or response, as they are in memory. Default: 128 KiB.
    pub http_header_bytes: usize,
}

impl Default for ActivityLimits {
    fn default() -> Self {
        Self {
            payload_size: 2 * MIB,
            memory: 256 * MIB,
            table_elements: 100_000,
            instances: 100,
            memories: 8,
            tables: 100,
            host_call_bytes: 64 * MIB,
            resources: 10_000,
            log_bytes: MIB,
            panic_message: 4 * KIB,
            random_bytes: MIB,
            http_requests: 64,
            http_header_bytes: 128 * KIB,
        }
    }
}

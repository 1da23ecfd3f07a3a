//! How a runtime is set up: limits, retention, the native activities of who embeds it.

use std::path::PathBuf;
use std::time::Duration;

use everturn_activity::Activities;
use everturn_guest::{Compiler, Limits};

use crate::SecretSource;

const KIB: usize = 1024;

/// Instances that are read, run and written at the same time. Far more than guests that run, so that many commits share
/// their way to the disk; far fewer than there may be, since each has its history in memory.
pub(crate) const IN_PROGRESS: usize = 1_024;
/// Guests that are kept to be asked.
pub(crate) const KEPT_TO_BE_ASKED: usize = 64;

/// How a runtime is set up. The defaults suit a host of its own.
#[derive(Clone, Debug)]
pub struct Options {
    /// What components and guests may take. `limits.payload_size` holds for all payloads, from clients too.
    pub limits: Limits,
    /// From this many bytes on, a payload is accepted with a warning. Default: 512 KiB.
    pub payload_warning: usize,
    /// From this many events on, a history is warned about. Default: 10,000.
    pub history_events_warning: u64,
    /// From this many bytes on, a history is warned about. Default: 8 MiB.
    pub history_bytes_warning: u64,
    /// Turns that run at the same time. Default: one for each core.
    pub parallel_turns: usize,
    /// Guests that are kept between turns. Default: 1,000. With 0, every turn replays.
    pub live_guests: usize,
    /// How long a guest is kept at least that had turns and has none, if there is room for it. Default: 5 s.
    ///
    /// Of instances that have turns less often than that, and wait for no activity and no child, none is kept.
    pub guest_idle: Duration,
    /// Messages that one turn takes at most; the rest has the next one. Default: 1,000.
    pub messages_per_turn: usize,
    /// Messages of one instance that are kept in memory beside the store. Default: 10,000.
    pub queued_messages: usize,
    /// In-process activities that run at the same time. Default: 64.
    pub parallel_activities: usize,
    /// How long a worker outside of this process may keep a task without a sign of life. Default: 5 minutes.
    pub lease: Duration,
    /// How long to keep instances that have ended.
    pub retention: Retention,
    /// Who compiles components. Default: this process. Use a child where others than those who run the host deploy.
    pub compiler: Compiler,
    /// Where compiled components are kept. None: they are compiled anew by every process.
    pub component_cache: Option<PathBuf>,
    /// Native activities.
    pub activities: Activities,
    /// Where the values of granted secrets come from.
    pub secrets: SecretSource,
}

/// How long instances are kept after they have ended. None: for ever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    /// Completed ones.
    pub completed: Option<Duration>,
    /// Failed ones.
    pub failed: Option<Duration>,
    /// Terminated ones.
    pub terminated: Option<Duration>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            payload_warning: 512 * KIB,
            history_events_warning: 10_000,
            history_bytes_warning: 8 * 1024 * KIB as u64,
            parallel_turns: std::thread::available_parallelism().map_or(2, usize::from),
            live_guests: 1_000,
            guest_idle: Duration::from_secs(5),
            messages_per_turn: 1_000,
            queued_messages: 10_000,
            parallel_activities: 64,
            lease: Duration::from_secs(5 * 60),
            retention: Retention::default(),
            compiler: Compiler::default(),
            component_cache: None,
            activities: Activities::default(),
            secrets: SecretSource::default(),
        }
    }
}

impl Options {
    /// Guests that may be in memory at the same time: between turns, in turns, to be asked, in activities, and those that are
    /// only held against a history.
    pub(crate) fn guests_at_once(&self) -> usize {
        let beside = KEPT_TO_BE_ASKED + self.parallel_activities + 2 * self.parallel_turns;
        self.live_guests.saturating_add(IN_PROGRESS).saturating_add(beside)
    }
}

//! What may be chosen about a store on SQLite, and the numbers that are chosen if nobody does.

use std::time::Duration;

/// How many threads read, if nothing else is said.
pub const DEFAULT_READERS: usize = 4;
/// How many steps share one transaction at most, if nothing else is said.
pub const DEFAULT_BATCH_LIMIT: usize = 512;
/// How many steps, and how many questions, wait in the queues at most, if nothing else is said.
pub const DEFAULT_QUEUE_LIMIT: usize = 4_096;

/// How long to wait for somebody outside who has the file locked, if nothing else is said: a backup, or a person with a
/// shell.
pub const DEFAULT_BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// What may be chosen about a store on SQLite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqliteOptions {
    /// The file system of SQLite's to use. None: the usual one. Tests put one here that fails.
    pub vfs: Option<String>,
    /// How many threads read. At least one does.
    pub readers: usize,
    /// How many steps share one transaction at most. At least one is in each.
    pub batch_limit: usize,
    /// How many steps, and how many questions, wait in the queues at most. Who comes when they are full waits outside.
    pub queue_limit: usize,
    /// How long to wait for somebody outside who has the file locked. Then it is busy.
    pub busy_timeout: Duration,
    /// How large the file may grow, in bytes. What goes beyond that finds the store full. None: as large as the disk.
    pub max_bytes: Option<u64>,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self {
            vfs: None,
            readers: DEFAULT_READERS,
            batch_limit: DEFAULT_BATCH_LIMIT,
            queue_limit: DEFAULT_QUEUE_LIMIT,
            busy_timeout: DEFAULT_BUSY_TIMEOUT,
            max_bytes: None,
        }
    }
}

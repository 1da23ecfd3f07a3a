//! The disk that is measured: as it is, or with every fsync made longer, to see what a slower one leads to. Plain SQLite is
//! slowed down as much as the host is.

use std::fs::File;
use std::time::Duration;

use anyhow::Context;
use everturn_faulty_vfs::FaultyVfs;
use everturn_runtime::store::sqlite::SqliteOptions;

/// The name of the file system that waits, for SQLite.
const SLOWER: &str = "slower";

/// The disk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Disk {
    delay: Duration,
}

impl Disk {
    /// With every fsync made so much longer. Once a process: SQLite knows it by a name.
    pub(crate) fn slower_by(delay: Duration) -> anyhow::Result<Self> {
        if !delay.is_zero() {
            FaultyVfs::register(SLOWER).context("there is no slower disk")?.slow_syncs(delay);
        }
        Ok(Self { delay })
    }

    /// The same, from what [`argument`](Self::argument) gave another process.
    pub(crate) fn from_argument(argument: &str) -> anyhow::Result<Self> {
        Self::slower_by(Duration::from_micros(argument.parse()?))
    }

    pub(crate) fn argument(self) -> String {
        self.delay.as_micros().to_string()
    }

    /// What SQLite is to use. None: what it always uses.
    pub(crate) fn vfs(self) -> Option<&'static str> {
        (!self.delay.is_zero()).then_some(SLOWER)
    }

    /// How a store is to be opened.
    pub(crate) fn sqlite(self) -> SqliteOptions {
        SqliteOptions { vfs: self.vfs().map(str::to_owned), ..SqliteOptions::default() }
    }

    /// Brings what was written to the disk.
    pub(crate) fn sync(self, file: &File) -> anyhow::Result<()> {
        std::thread::sleep(self.delay);
        Ok(file.sync_all()?)
    }

    /// By how much it is slower, in microseconds.
    pub(crate) fn delay_micros(self) -> u64 {
        u64::try_from(self.delay.as_micros()).unwrap_or(u64::MAX)
    }
}

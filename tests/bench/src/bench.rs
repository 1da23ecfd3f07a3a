//! What every workload is given: where to put its data, how much to do, and something to run on.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use tokio::runtime::Runtime;

use crate::disk::Disk;

/// The longest that anything may take that is waited for. Beyond it, something is broken.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// What every workload is given.
#[derive(Debug)]
pub(crate) struct Bench {
    /// Whether to do little, to see that it works: the figures mean nothing then.
    pub(crate) quick: bool,
    /// What is measured.
    pub(crate) disk: Disk,
    directory: PathBuf,
    tokio: Runtime,
}

impl Bench {
    pub(crate) fn new(directory: &Path, disk: Disk, quick: bool) -> anyhow::Result<Self> {
        let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        Ok(Self { quick, disk, directory: directory.to_owned(), tokio })
    }

    /// How many: the first, or the second if it has to be quick.
    pub(crate) fn count(&self, full: usize, quick: usize) -> usize {
        if self.quick { quick } else { full }
    }

    /// How long: the first, or the second if it has to be quick.
    pub(crate) fn time(&self, full: Duration, quick: Duration) -> Duration {
        if self.quick { quick } else { full }
    }

    /// An empty directory of this name.
    pub(crate) fn room(&self, name: &str) -> anyhow::Result<PathBuf> {
        let room = self.directory.join(name);
        std::fs::create_dir(&room).with_context(|| format!("cannot make {}", room.display()))?;
        Ok(room)
    }

    /// Where compiled components are kept for all workloads but the one that measures the compiling.
    pub(crate) fn components(&self) -> PathBuf {
        self.directory.join("components")
    }

    /// Runs it to its end, but not for ever.
    pub(crate) fn run<T>(&self, measuring: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
        let limited = async { tokio::time::timeout(PATIENCE, measuring).await };
        let limit = PATIENCE.as_secs() / 60;
        self.tokio.block_on(limited).with_context(|| format!("it did not come to its end within {limit} minutes"))?
    }
}

//! A host inside this program: the runtime as others embed it, on a real store on disk, with the guest deployed.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use everturn_runtime::store::sqlite::SqliteStore;
use everturn_runtime::{Activities, ActivityError, DeployRequest, Options, Runtime};

use crate::bench::Bench;
use crate::disk::Disk;

/// The native activity.
pub(crate) const STEP: &str = "step";
/// How long what is under way may take when a host stops.
const GRACE: Duration = Duration::from_secs(10);

/// A host.
pub(crate) struct House {
    pub(crate) runtime: Runtime,
    /// The same that the runtime has.
    pub(crate) store: Arc<SqliteStore>,
    /// The version label of the guest.
    pub(crate) label: String,
}

impl House {
    /// Opens one in a room of this name, with a native activity that does nothing.
    pub(crate) async fn open(bench: &Bench, name: &str) -> anyhow::Result<Self> {
        Self::with(bench, name, nothing()).await
    }

    /// Opens one in a room of this name.
    pub(crate) async fn with(bench: &Bench, name: &str, activities: Activities) -> anyhow::Result<Self> {
        let (runtime, store) = open(&bench.room(name)?, &bench.components(), bench.disk, activities).await?;
        let label = deploy(&runtime).await?;
        Ok(Self { runtime, store, label })
    }

    pub(crate) async fn close(self) {
        self.runtime.stop(GRACE).await;
    }
}

/// Opens a runtime on what is in this directory, set up as `everturn serve` does it, with compiled components in the other.
pub(crate) async fn open(
    directory: &Path,
    components: &Path,
    disk: Disk,
    activities: Activities,
) -> anyhow::Result<(Runtime, Arc<SqliteStore>)> {
    let store = Arc::new(SqliteStore::open(&directory.join("everturn.db"), disk.sqlite())?);
    let options = Options { component_cache: Some(components.to_owned()), activities, ..Options::default() };
    Ok((Runtime::open(Arc::<SqliteStore>::clone(&store), options).await?, store))
}

/// The native activity that does nothing.
pub(crate) fn nothing() -> Activities {
    Activities::new().with(STEP, |_context, _number: u64| async { Ok::<_, ActivityError>(()) })
}

/// The component of the guest.
pub(crate) fn guest() -> anyhow::Result<Vec<u8>> {
    Ok(std::fs::read(env!("EVERTURN_BENCH_GUEST_WASM"))?)
}

/// Deploys the guest, and gives its version label.
pub(crate) async fn deploy(runtime: &Runtime) -> anyhow::Result<String> {
    Ok(runtime.deploy(DeployRequest { wasm: guest()?, ..DeployRequest::default() }).await?.label)
}

//! The peer, opened on a file with its own settings.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::anyhow;
use duroxide::providers::sqlite::SqliteProvider;
use duroxide::runtime::Runtime;
use duroxide::runtime::registry::ActivityRegistry;
use duroxide::{Client, ClientError, OrchestrationContext, OrchestrationRegistry, OrchestrationStatus};
use futures::stream::{self, StreamExt, TryStreamExt};

/// Starts that are under way at the same time: as many as it has connections.
const PARALLEL: usize = 5;
/// How long to wait between two looks at whether all have ended.
const LOOK: Duration = Duration::from_millis(50);
/// The longest that one workflow may take.
const PATIENCE: Duration = Duration::from_secs(60 * 60);
/// How long what is under way may take when it stops, in milliseconds.
const GRACE: u64 = 1_000;

pub(crate) struct House {
    provider: Arc<SqliteProvider>,
    runtime: Arc<Runtime>,
    pub(crate) client: Client,
}

impl House {
    /// On a new file of this name.
    pub(crate) async fn open(directory: &Path, name: &str) -> anyhow::Result<Self> {
        let file = directory.join(name).with_extension("db");
        let url = format!("sqlite:{}?mode=rwc", file.display());
        let provider = Arc::new(SqliteProvider::new(&url, None).await?);
        let activities =
            ActivityRegistry::builder().register("step", |_, _: String| async { Ok(String::new()) }).build();
        let orchestrations = OrchestrationRegistry::builder()
            .register("sequential", sequential)
            .register("fan_out", fan_out)
            .register("park", |context: OrchestrationContext, _: String| async move {
                Ok(context.schedule_wait("go").await)
            })
            .register("sleeps", sleeps)
            .build();
        let store: Arc<SqliteProvider> = Arc::clone(&provider);
        let runtime = Runtime::start_with_store(store, activities, orchestrations).await;
        let client = Client::new(Arc::<SqliteProvider>::clone(&provider));
        Ok(Self { provider, runtime, client })
    }

    /// How its connections write, asked of one of them.
    pub(crate) async fn durability(&self) -> anyhow::Result<String> {
        let ask = async |setting: &str| {
            let query = format!("SELECT CAST({setting} AS TEXT) FROM pragma_{setting}");
            sqlx::query_scalar::<_, String>(&query).fetch_one(self.provider.get_pool()).await
        };
        let synchronous = match ask("synchronous").await?.as_str() {
            "0" => "OFF",
            "1" => "NORMAL",
            "2" => "FULL",
            _ => "EXTRA",
        };
        Ok(format!("synchronous={synchronous}, journal_mode={}", ask("journal_mode").await?.to_uppercase()))
    }

    /// Starts this many, and says how they are called.
    pub(crate) async fn start(&self, orchestration: &str, count: usize, input: &str) -> anyhow::Result<Vec<String>> {
        let ids: Vec<String> = (0..count).map(|number| format!("{orchestration}-{input}-{number}")).collect();
        stream::iter(&ids)
            .map(|id| self.client.start_orchestration(id.as_str(), orchestration, input))
            .buffer_unordered(PARALLEL)
            .try_for_each(|()| async { Ok(()) })
            .await
            .map_err(failed)?;
        Ok(ids)
    }

    /// Waits as its clients do.
    pub(crate) async fn wait(&self, id: &str) -> anyhow::Result<()> {
        match self.client.wait_for_orchestration(id, PATIENCE).await.map_err(failed)? {
            OrchestrationStatus::Completed { .. } => Ok(()),
            other => Err(anyhow!("{id} is {other:?}")),
        }
    }

    /// Waits until this many in all have completed.
    pub(crate) async fn until_completed(&self, count: usize) -> anyhow::Result<()> {
        self.until("Completed", count).await
    }

    /// Waits until this many in all have had their first turn, which brings them to where they wait.
    pub(crate) async fn until_waiting(&self, count: usize) -> anyhow::Result<()> {
        self.until("Running", count).await
    }

    async fn until(&self, status: &str, count: usize) -> anyhow::Result<()> {
        while self.client.list_instances_by_status(status).await.map_err(failed)?.len() < count {
            tokio::time::sleep(LOOK).await;
        }
        Ok(())
    }

    pub(crate) async fn close(self) {
        self.runtime.shutdown(Some(GRACE)).await;
    }
}

pub(crate) fn failed(error: ClientError) -> anyhow::Error {
    anyhow!("{error:?}")
}

/// Calls an activity so often, one after the other.
async fn sequential(context: OrchestrationContext, count: String) -> Result<String, String> {
    let count: u64 = count.parse().map_err(|error| format!("{error}"))?;
    for number in 0..count {
        context.schedule_activity("step", number.to_string()).await?;
    }
    Ok(String::new())
}

/// Calls an activity so often, all at once.
async fn fan_out(context: OrchestrationContext, count: String) -> Result<String, String> {
    let count: u64 = count.parse().map_err(|error| format!("{error}"))?;
    let calls = (0..count).map(|number| context.schedule_activity("step", number.to_string())).collect();
    for ended in context.join(calls).await {
        ended?;
    }
    Ok(String::new())
}

/// Sleeps so many milliseconds.
async fn sleeps(context: OrchestrationContext, milliseconds: String) -> Result<String, String> {
    let milliseconds = milliseconds.parse().map_err(|error| format!("{error}"))?;
    context.schedule_timer(Duration::from_millis(milliseconds)).await;
    Ok(String::new())
}

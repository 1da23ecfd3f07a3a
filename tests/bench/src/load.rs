//! What a host is given to do: instances that run to their end, that park, and that sleep.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use everturn_bench_guest::Calls;
use everturn_runtime::store::Status;
use everturn_runtime::{Change, Runtime, StartRequest};
use futures::stream::{self, StreamExt, TryStreamExt};
use serde_json::json;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

/// Starts that are under way at the same time.
const PARALLEL: usize = 256;
/// Instances that are on their way to where they wait at the same time.
const GROUP: usize = 1_000;
/// How long to wait between two looks at whether they are where they shall be.
const LOOK: Duration = Duration::from_millis(2);

/// How long a backlog took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backlog {
    /// Until the last start was acknowledged.
    pub(crate) started: Duration,
    /// From the first start to the last end.
    pub(crate) ended: Duration,
}

/// A workflow of the guest, under an id.
pub(crate) fn request(workflow: &str, id: String, input: Option<String>) -> StartRequest {
    StartRequest { workflow: workflow.to_owned(), id: Some(id.into()), input, ..StartRequest::default() }
}

/// A workflow that calls activities, under an id.
pub(crate) fn calling(workflow: &str, id: String, activity: &str, count: usize) -> StartRequest {
    let calls = Calls { activity: activity.to_owned(), count: count as u64 };
    request(workflow, id, Some(json!(calls).to_string()))
}

/// Starts them all, and waits until all have completed.
pub(crate) async fn backlog(
    runtime: &Runtime,
    requests: impl ExactSizeIterator<Item = StartRequest>,
) -> anyhow::Result<Backlog> {
    let (count, before) = (requests.len() as u64, completed(runtime).await?);
    // Looked for by another task: this one is busy with the starts.
    let ends = tokio::spawn(until_completed(runtime.clone(), runtime.changes(), before, count));
    let began = Instant::now();
    start_all(runtime, requests).await?;
    let started = began.elapsed();
    ends.await??;
    Ok(Backlog { started, ended: began.elapsed() })
}

/// Starts them, many at a time. Each is made when its turn comes: what they take would be counted as the host's memory.
async fn start_all(runtime: &Runtime, requests: impl Iterator<Item = StartRequest>) -> anyhow::Result<()> {
    stream::iter(requests)
        .map(|request| runtime.start(request))
        .buffer_unordered(PARALLEL)
        .try_for_each(|_| async { Ok(()) })
        .await?;
    Ok(())
}

/// Listens until so many have completed. Who cannot follow asks the store instead, now and then.
async fn until_completed(
    runtime: Runtime,
    mut changes: Receiver<Change>,
    before: u64,
    count: u64,
) -> anyhow::Result<()> {
    let mut seen = 0;
    while seen < count {
        match changes.recv().await {
            Ok(Change { status: Status::Completed, .. }) => seen += 1,
            Ok(change) => anyhow::ensure!(!is_trouble(change.status), "{} is {}", change.id, change.status),
            Err(RecvError::Lagged(_)) => break,
            Err(RecvError::Closed) => anyhow::bail!("the host is gone"),
        }
    }
    while seen < count && completed(&runtime).await? < before + count {
        tokio::time::sleep(LOOK).await;
    }
    Ok(())
}

const fn is_trouble(status: Status) -> bool {
    matches!(status, Status::Failed | Status::Stalled | Status::Terminated)
}

async fn completed(runtime: &Runtime) -> anyhow::Result<u64> {
    let counts = runtime.count().await?;
    let trouble = counts.iter().find(|(status, count)| is_trouble(*status) && *count > 0);
    anyhow::ensure!(trouble.is_none(), "not all went well: {counts:?}");
    Ok(counts.into_iter().filter(|(status, _)| *status == Status::Completed).map(|(_, count)| count).sum())
}

/// Starts instances, and waits until each has had so many turns, which brings it to where it waits.
///
/// A group at a time: starts are faster than turns, and what a long queue of them takes is not what instances take that wait.
pub(crate) async fn start_and_park(
    runtime: &Runtime,
    mut requests: impl ExactSizeIterator<Item = StartRequest>,
    turns: u64,
) -> anyhow::Result<()> {
    let mut expected = runtime.statistics().turns;
    while requests.len() > 0 {
        let group = GROUP.min(requests.len());
        expected += group as u64 * turns;
        start_all(runtime, requests.by_ref().take(group)).await?;
        while runtime.statistics().turns < expected {
            tokio::time::sleep(LOOK).await;
        }
    }
    Ok(())
}

/// Instances that wait for an event without limit.
pub(crate) fn parked(prefix: &str, count: usize) -> impl ExactSizeIterator<Item = StartRequest> {
    (0..count).map(move |number| request("park", format!("{prefix}-{number}"), None))
}

/// Instances that sleep until that long from now, or evenly up to `spread` later.
pub(crate) fn sleepers(
    prefix: &str,
    count: usize,
    ahead: Duration,
    spread: Duration,
) -> impl ExactSizeIterator<Item = StartRequest> {
    let first = SystemTime::now() + ahead;
    let sleeper = move |number: usize| {
        let due = first + spread.mul_f64(number as f64 / count as f64);
        let since = due.duration_since(UNIX_EPOCH).unwrap_or_default();
        let (secs, nanos) = (since.as_secs(), since.subsec_nanos());
        let input = format!(r#"{{"secs_since_epoch":{secs},"nanos_since_epoch":{nanos}}}"#);
        request("sleeps_until", format!("{prefix}-{number}"), Some(input))
    };
    (0..count).map(sleeper)
}

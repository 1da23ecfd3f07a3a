//! What a host is made to do: park instances, let others sleep, and tell how late those woke up.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use everturn_history::HistoryEvent;
use everturn_history::history_event::EventType;
use everturn_runtime::store::Time;
use everturn_runtime::{DeployRequest, Runtime, StartRequest};
use everturn_tests::guests::TEST_GUESTS;
use futures::stream::{self, StreamExt, TryStreamExt};

/// Starts that are under way at the same time.
const PARALLEL: usize = 256;

pub(super) async fn deploy(runtime: &Runtime) -> anyhow::Result<String> {
    let wasm = TEST_GUESTS.bytes()?;
    Ok(runtime.deploy(DeployRequest { wasm, ..DeployRequest::default() }).await?.label)
}

/// Starts instances that wait for an event without limit, and waits until all of them do.
pub(super) async fn park(runtime: &Runtime, count: usize) -> anyhow::Result<String> {
    let requests = (0..count).map(|number| StartRequest {
        workflow: "park".to_owned(),
        id: Some(format!("parked-{number}").as_str().into()),
        ..StartRequest::default()
    });
    start(runtime, requests, count).await
}

/// Starts instances that sleep until `seconds` from now, and the others evenly up to `spread` milliseconds later.
pub(super) async fn sleep(
    runtime: &Runtime,
    count: usize,
    prefix: &str,
    seconds: u64,
    spread: u64,
) -> anyhow::Result<String> {
    let first = SystemTime::now() + Duration::from_secs(seconds);
    let requests = (0..count).map(|number| {
        let due = first
            + Duration::from_millis(spread) * u32::try_from(number).unwrap_or(0) / u32::try_from(count).unwrap_or(1);
        let since = due.duration_since(UNIX_EPOCH).unwrap_or_default();
        let (secs, nanos) = (since.as_secs(), since.subsec_nanos());
        StartRequest {
            workflow: "sleeps_until".to_owned(),
            id: Some(format!("{prefix}-{number}").as_str().into()),
            input: Some(format!(r#"{{"secs_since_epoch":{secs},"nanos_since_epoch":{nanos}}}"#)),
            ..StartRequest::default()
        }
    });
    start(runtime, requests, count).await
}

async fn start(
    runtime: &Runtime,
    requests: impl Iterator<Item = StartRequest>,
    count: usize,
) -> anyhow::Result<String> {
    let before = runtime.statistics().turns;
    stream::iter(requests)
        .map(|request| runtime.start(request))
        .buffer_unordered(PARALLEL)
        .try_for_each(|_| async { Ok(()) })
        .await?;
    // One turn each brings them to where they wait.
    while runtime.statistics().turns < before + count as u64 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(format!("{count} wait"))
}

/// Waits for sleepers, and gives in microseconds how late each had its turn; negative: early.
pub(super) async fn lateness(runtime: &Runtime, count: usize, prefix: &str) -> anyhow::Result<String> {
    let mut lateness = Vec::with_capacity(count);
    for number in 0..count {
        let id = format!("{prefix}-{number}").as_str().into();
        runtime.wait(&id).await?;
        lateness.extend(late(&runtime.history(&id).await?).map(|late| late.to_string()));
    }
    Ok(lateness.join(" "))
}

fn late(history: &[HistoryEvent]) -> Option<i64> {
    let mut turn = None;
    for event in history {
        match &event.event_type {
            Some(EventType::WorkflowStarted(_)) => turn = event.timestamp.map(Time::at_or_after),
            Some(EventType::TimerFired(fired)) => {
                let due = Time::at_or_after(fired.fire_at?);
                return Some(turn?.as_micros() - due.as_micros());
            }
            _ => {}
        }
    }
    None
}

//! How late timers are while others are pending, by what history says: when each was due, and when it fired.

use std::path::PathBuf;
use std::time::Duration;

use duroxide::{Event, EventKind};
use serde_json::Value;

use crate::arguments::Size;
use crate::figure::times;
use crate::house::{House, failed};

/// How long those sleep that nobody waits for, in milliseconds.
const FAR: &str = "1000000000";
/// How long the others sleep, in milliseconds: enough to set them all.
const AHEAD: &str = "10000";
/// The same when it has to be quick.
const AHEAD_QUICK: &str = "1000";
/// The first execution of a workflow.
const FIRST: u64 = 1;

pub(super) async fn run(directory: PathBuf, size: Size, figures: &mut Vec<Value>) -> anyhow::Result<()> {
    let (pending, due) = (size.count(5, 1_000, 10_000), size.count(3, 100, 1_000));
    let house = House::open(&directory, "timers").await?;
    house.start("sleeps", pending, FAR).await?;
    house.until_waiting(pending).await?;
    let ahead = if size == Size::Quick { AHEAD_QUICK } else { AHEAD };
    let mut late = Vec::with_capacity(due);
    for id in house.start("sleeps", due, ahead).await? {
        house.wait(&id).await?;
        late.extend(lateness(&house.client.read_execution_history(&id, FIRST).await.map_err(failed)?));
    }
    house.close().await;
    anyhow::ensure!(late.len() == due, "only {} of {due} timers fired", late.len());
    figures.push(times("timers", format!("timers: late (theirs: {due}, {pending} pending)"), late));
    Ok(())
}

fn lateness(history: &[Event]) -> Option<Duration> {
    history.iter().find_map(|event| match event.kind {
        EventKind::TimerFired { fire_at_ms } => {
            Some(Duration::from_millis(event.timestamp_ms.saturating_sub(fire_at_ms)))
        }
        _ => None,
    })
}

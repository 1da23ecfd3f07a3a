//! How late timers were, by what somebody sees who looks on: when the end of each workflow was on disk. What its history says is
//! less: the turn in which a timer fires is at the moment that it was set for, if the host played it ahead.

use std::collections::HashMap;
use std::time::{SystemTime, UNIX_EPOCH};

use everturn_history::HistoryEvent;
use everturn_history::history_event::EventType;
use everturn_runtime::store::{Status, Time};
use everturn_runtime::{Change, Runtime};
use tokio::sync::broadcast::Receiver;

/// Listens until so many sleepers have ended, and says how late each was, in microseconds; negative: early. Histories are read
/// after that: the host has enough to do.
pub(crate) async fn of(runtime: &Runtime, prefix: &str, count: usize) -> anyhow::Result<Vec<i64>> {
    let seen = ends(runtime.changes(), prefix, count).await?;
    let mut lateness = Vec::with_capacity(count);
    for (id, on_disk) in seen {
        let history = runtime.history(&id.as_str().into()).await?;
        // A turn before its timer was due is early, whenever it was written.
        lateness.extend(fired(&history).map(|(due, turn)| if turn < due { turn - due } else { on_disk - due }));
    }
    anyhow::ensure!(lateness.len() == count, "only {} of {count} timers fired", lateness.len());
    Ok(lateness)
}

/// When each of so many instances was told to have ended, in microseconds since 1970.
async fn ends(mut changes: Receiver<Change>, prefix: &str, count: usize) -> anyhow::Result<HashMap<String, i64>> {
    let mut seen = HashMap::with_capacity(count);
    while seen.len() < count {
        let change = changes.recv().await?;
        if change.status == Status::Completed && change.id.as_str().starts_with(&format!("{prefix}-")) {
            let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
            seen.insert(change.id.as_str().to_owned(), i64::try_from(now.as_micros())?);
        }
    }
    Ok(seen)
}

/// When the timer of a history was due, and when the turn was in which it fired, in microseconds since 1970.
fn fired(history: &[HistoryEvent]) -> Option<(i64, i64)> {
    let mut turn = None;
    for event in history {
        match &event.event_type {
            Some(EventType::WorkflowStarted(_)) => turn = event.timestamp.map(Time::at_or_after),
            Some(EventType::TimerFired(fired)) => {
                let due = Time::at_or_after(fired.fire_at?);
                return Some((due.as_micros(), turn?.as_micros()));
            }
            _ => {}
        }
    }
    None
}

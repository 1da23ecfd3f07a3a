//! How late timers were, by what history says: when each was due, and the time of the turn in which it fired.

use everturn_history::HistoryEvent;
use everturn_history::history_event::EventType;
use everturn_runtime::Runtime;
use everturn_runtime::store::Time;

/// Waits for sleepers, and gives in microseconds how late each had its turn; negative: early.
pub(crate) async fn of(runtime: &Runtime, prefix: &str, count: usize) -> anyhow::Result<Vec<i64>> {
    let mut lateness = Vec::with_capacity(count);
    for number in 0..count {
        let id = format!("{prefix}-{number}").into();
        runtime.wait(&id).await?;
        lateness.extend(late(&runtime.history(&id).await?));
    }
    anyhow::ensure!(lateness.len() == count, "only {} of {count} timers fired", lateness.len());
    Ok(lateness)
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

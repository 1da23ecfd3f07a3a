//! Instances that go on from an earlier point of their history.
//!
//! - `rerun`: one that has ended, from something that it asked for on, as a new instance
//! - `rewind`: one that has ended, under its id: from its start, or from before its failures
//! - `reset`: one that is open, under its id, from before an event; `cut`: what its history is without what came then
//! - here: what these have in common

mod cut;
mod rerun;
mod reset;
mod rewind;

use std::collections::HashSet;

use everturn_guest::{Misfit, Standing, standing};
use everturn_history::history_event::EventType;
use everturn_history::{HistoryEvent, NEVER, SequenceId, TimerCreatedEvent, Timestamp, event};
use everturn_store::{Address, Beginning, DeploymentId, NewInstance, NewMessage, Time, Visible};

use crate::{RequestError, Runtime};

impl Runtime {
    /// Plays a history of whole turns on a deployment, and says how the code stands at its end.
    pub(crate) async fn standing(
        &self,
        deployment: DeploymentId,
        history: Vec<HistoryEvent>,
    ) -> Result<Result<Standing, Misfit>, RequestError> {
        let component = self.host.deployments.component(&self.host, deployment).await?;
        // It is never closed.
        let permit = self.host.turns.acquire().await;
        let playing = tokio::task::spawn_blocking(move || standing(&component, history)).await;
        drop(permit);
        // A task that does not end went down with the process, or by a mistake of ours.
        playing.map_err(|_| RequestError::Stopping)
    }
}

/// What was asked for and has no answer in these events.
fn unanswered(events: &[HistoryEvent]) -> Vec<SequenceId> {
    let answered: HashSet<i32> = events.iter().filter_map(|event| answered(event.event_type.as_ref()?)).collect();
    let asked = events.iter().filter(|event| can_be_redone(event) && !answered.contains(&event.event_id));
    asked.map(|event| SequenceId::new(event.event_id)).collect()
}

fn answered(event: &EventType) -> Option<i32> {
    match event {
        EventType::TaskCompleted(done) => Some(done.task_scheduled_id),
        EventType::TaskFailed(done) => Some(done.task_scheduled_id),
        EventType::ChildWorkflowInstanceCompleted(done) => Some(done.task_scheduled_id),
        EventType::ChildWorkflowInstanceFailed(done) => Some(done.task_scheduled_id),
        EventType::TimerFired(fired) => Some(fired.timer_id),
        _ => None,
    }
}

fn can_be_redone(event: &HistoryEvent) -> bool {
    matches!(
        event.event_type,
        Some(EventType::TaskScheduled(_) | EventType::TimerCreated(_) | EventType::ChildWorkflowInstanceCreated(_))
    )
}

/// A history, turn by turn.
fn by_turn(history: Vec<HistoryEvent>) -> Vec<Vec<HistoryEvent>> {
    let mut turns: Vec<Vec<HistoryEvent>> = Vec::new();
    for event in history {
        if matches!(event.event_type, Some(EventType::WorkflowStarted(_))) || turns.is_empty() {
            turns.push(Vec::new());
        }
        if let Some(turn) = turns.last_mut() {
            turn.push(event);
        }
    }
    turns
}

/// A timer waits as long again as it had left.
fn timer_again(id: SequenceId, timer: &TimerCreatedEvent, until: Time, now: Time) -> Option<NewMessage> {
    let fire_at: Timestamp = timer.fire_at.filter(|fire_at| *fire_at != NEVER)?;
    let due = now.after(Time::at_or_after(fire_at).since(until));
    Some(NewMessage {
        to: Address::Itself,
        event: event::timer_fired(due.to_timestamp(), id),
        visible: if due <= now { Visible::Now(now) } else { Visible::Later(due) },
        task: Some(id),
    })
}

fn waiting_activities(new: &NewInstance) -> Vec<String> {
    match &new.beginning {
        Beginning::History(past) => past.tasks.iter().map(|task| task.scheduled.name.clone()).collect(),
        Beginning::Start(_) | Beginning::Turn(_) => Vec::new(),
    }
}

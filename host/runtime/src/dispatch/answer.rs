//! The way back: the answer of a worker becomes a message of the instance's next turn.

use std::sync::Arc;

use everturn_activity::Outcome;
use everturn_history::history_event::EventType;
use everturn_history::{HistoryEvent, TaskCompletedEvent, TaskFailedEvent, event, text};
use everturn_store::{FinishedTask, StoreError, TaskKey, Time, Token};
use tokio::sync::oneshot;

use super::Assignment;
use crate::failures;
use crate::host::Host;
use crate::instance;
use crate::instance::mailroom::{Delivery, Source};

/// Takes the answer of who shows this token. Resolves once it is on disk.
pub(crate) async fn answer(host: &Arc<Host>, token: Token, outcome: Outcome) -> Result<(), StoreError> {
    let running = host.dispatcher.desk.lock().remove(token);
    let Some(running) = running else {
        host.counters.stale_answers.one();
        return Err(StoreError::StaleToken { task: TaskKey(0) });
    };
    running.stop.notify_one();
    host.dispatcher.desk.chance.notify_one();
    let assignment = running.assignment;
    let (heard, hears) = oneshot::channel();
    let delivery = Delivery {
        event: answered(&assignment, within(host, &assignment, outcome), host.clock.now()),
        source: Source::Worker { task: FinishedTask { key: assignment.key, token }, heard },
    };
    if host.mailroom.answer(assignment.instance, delivery) {
        instance::drive(host, assignment.instance);
    }
    // Nobody answers when the host stops: then the task is done again.
    hears.await.unwrap_or(Err(StoreError::Closed))
}

/// What is too large is a failure that says so.
fn within(host: &Host, assignment: &Assignment, outcome: Outcome) -> Outcome {
    let limit = host.options.limits.payload_size;
    match outcome {
        Ok(result) if result.len() > limit => {
            Err(failures::result_too_large(&assignment.scheduled.name, result.len(), limit))
        }
        Err(failure) if failures::size(&failure) > limit => {
            Err(failures::failure_too_large(&assignment.scheduled.name, failures::size(&failure), limit))
        }
        outcome => outcome,
    }
}

fn answered(assignment: &Assignment, outcome: Outcome, at: Time) -> HistoryEvent {
    let task_execution_id = assignment.scheduled.task_execution_id.clone();
    let task_scheduled_id = assignment.task.get();
    let event = match outcome {
        Ok(result) => EventType::TaskCompleted(TaskCompletedEvent {
            task_scheduled_id,
            result: Some(text(result)),
            task_execution_id,
            ..TaskCompletedEvent::default()
        }),
        Err(failure) => EventType::TaskFailed(Box::new(TaskFailedEvent {
            task_scheduled_id,
            failure_details: Some(failure.into()),
            task_execution_id,
            ..TaskFailedEvent::default()
        })),
    };
    event::event(at.to_timestamp(), event)
}

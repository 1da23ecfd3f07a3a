//! The way back: the answer of a worker becomes a message of the instance's next turn.

use std::sync::Arc;

use everturn_activity::Outcome;
use everturn_history::history_event::EventType;
use everturn_history::{HistoryEvent, TaskCompletedEvent, TaskFailedEvent, TaskFailureDetails, event, text};
use everturn_store::{
    Address, Answer, FinishedTask, InstanceKey, NewMessage, StoreError, TaskKey, Time, Token, Visible,
};
use prost::Message as _;
use tokio::sync::oneshot;

use super::Assignment;
use crate::failures;
use crate::host::Host;
use crate::instance;
use crate::instance::mailroom::{Delivery, Source};
use crate::persist::{persist, to_the_end};

/// What a worker answers: a result, if there is one, or a failure as the protocol has it.
pub type TaskAnswer = Result<Option<String>, TaskFailureDetails>;

/// An answer that was taken off the desk.
struct Answered {
    assignment: Arc<Assignment>,
    task: FinishedTask,
    event: HistoryEvent,
    at: Time,
}

/// Takes the answer of who shows this token. Resolves once it is on disk.
pub(crate) async fn answer(host: &Arc<Host>, token: Token, outcome: Outcome) -> Result<(), StoreError> {
    answer_task(host, token, outcome.map(Some).map_err(Into::into)).await
}

/// The same for the answer of a remote worker.
pub(crate) async fn answer_task(host: &Arc<Host>, token: Token, answer: TaskAnswer) -> Result<(), StoreError> {
    let answered = take(host, token, answer)?;
    if answered.assignment.remote {
        // Also if the worker does not wait for it: the desk has forgotten its token.
        let host = Arc::clone(host);
        return to_the_end(async move { keep(&host, answered).await }).await;
    }
    let instance = answered.assignment.instance;
    let (needs_driver, hears) = deliver(host, answered);
    if needs_driver {
        instance::start(host, instance);
    }
    // Nobody answers when the host stops: then the task is done again.
    hears.await.unwrap_or(Err(StoreError::Closed))
}

/// The same for what ran in this process, which need not hear of it. Gives the instance, if that needs a driver.
pub(super) fn hand_over(host: &Arc<Host>, token: Token, outcome: Outcome) -> Result<Option<InstanceKey>, StoreError> {
    let answered = take(host, token, outcome.map(Some).map_err(Into::into))?;
    if answered.assignment.remote {
        let host = Arc::clone(host);
        tokio::spawn(async move { keep(&host, answered).await });
        return Ok(None);
    }
    let instance = answered.assignment.instance;
    let (needs_driver, _) = deliver(host, answered);
    Ok(needs_driver.then_some(instance))
}

/// Takes the dispatch off the desk: from here on, nobody else answers it.
fn take(host: &Host, token: Token, answer: TaskAnswer) -> Result<Answered, StoreError> {
    let running = host.dispatcher.desk.lock().remove(token);
    let Some(running) = running else {
        host.counters.stale_answers.one();
        return Err(StoreError::StaleToken { task: TaskKey(0) });
    };
    running.stop.notify_one();
    host.dispatcher.desk.chance.notify_one();
    let assignment = running.assignment;
    let task = FinishedTask { key: assignment.key, token };
    let at = host.clock.now();
    let event = answered(&assignment, within(host, &assignment, answer), at);
    Ok(Answered { assignment, task, event, at })
}

/// Puts an answer into the next turn of its instance. Whether that needs a driver, and what tells that it is on disk.
fn deliver(host: &Host, answered: Answered) -> (bool, oneshot::Receiver<Result<(), StoreError>>) {
    let (heard, hears) = oneshot::channel();
    let Answered { assignment, task, event, .. } = answered;
    let delivery = Delivery { event, source: Source::Worker { task, heard } };
    (host.mailroom.answer(assignment.instance, delivery), hears)
}

/// Puts an answer into the inbox. A remote worker takes the turn that sees it when it has time for that; who waited for it
/// until then might be that same worker, and both would wait.
async fn keep(host: &Arc<Host>, answered: Answered) -> Result<(), StoreError> {
    let Answered { assignment, task, event, at } = answered;
    let message = NewMessage {
        to: Address::Key(assignment.instance),
        event,
        visible: Visible::Now(at),
        task: Some(assignment.task),
    };
    let answer = Answer { task, message };
    let kept = persist(host, || host.store.answer(answer.clone())).await;
    match &kept {
        Ok(_) => host.counters.answers.one(),
        Err(_) => host.counters.stale_answers.one(),
    }
    kept.map(|committed| instance::follow_up(host, committed))
}

/// What is too large is a failure that says so.
fn within(host: &Host, assignment: &Assignment, answer: TaskAnswer) -> TaskAnswer {
    let limit = host.options.limits.payload_size;
    let name = &assignment.scheduled.name;
    match answer {
        Ok(Some(result)) if result.len() > limit => Err(failures::result_too_large(name, result.len(), limit).into()),
        Err(failure) if failure.encoded_len() > limit => {
            Err(failures::failure_too_large(name, failure.encoded_len(), limit).into())
        }
        answer => answer,
    }
}

fn answered(assignment: &Assignment, answer: TaskAnswer, at: Time) -> HistoryEvent {
    let task_execution_id = assignment.scheduled.task_execution_id.clone();
    let task_scheduled_id = assignment.task.get();
    let event = match answer {
        Ok(result) => EventType::TaskCompleted(TaskCompletedEvent {
            task_scheduled_id,
            result: result.map(text),
            task_execution_id,
            ..TaskCompletedEvent::default()
        }),
        Err(failure) => EventType::TaskFailed(Box::new(TaskFailedEvent {
            task_scheduled_id,
            failure_details: Some(failure),
            task_execution_id,
            ..TaskFailedEvent::default()
        })),
    };
    event::event(at.to_timestamp(), event)
}

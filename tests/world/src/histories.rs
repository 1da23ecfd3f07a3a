//! Short ways to write histories and to read turns. Times are seconds after a fixed start.

use std::time::Duration;

use everturn_history::history_event::EventType;
use everturn_history::workflow_action::ActionType;
use everturn_history::{
    ChildWorkflowInstanceCreatedEvent, CompleteWorkflowAction, CreateTimerAction, HistoryEvent, SequenceId,
    TaskFailureDetails, TaskScheduledEvent, TimerCreatedEvent, TimerOrigin, Timestamp, event, text,
};
use everturn_replay::{RetryPolicy, Turn};

pub const START_SECONDS: i64 = 1_700_000_000;

/// This many seconds after the start.
pub fn at(seconds: i64) -> Timestamp {
    Timestamp { seconds: START_SECONDS + seconds, nanos: 0 }
}

pub fn id(id: i32) -> SequenceId {
    SequenceId::new(id)
}

/// The beginning of a history of this workflow.
pub fn started_as(workflow: &str, input: &str) -> Vec<HistoryEvent> {
    vec![event::turn_started(at(0), vec![]), event::execution_started(at(0), &"instance".into(), workflow, input)]
}

/// The beginning of every history.
pub fn started() -> Vec<HistoryEvent> {
    started_as("workflow", "null")
}

/// The beginning of every history, then these.
pub fn started_then(events: impl IntoIterator<Item = HistoryEvent>) -> Vec<HistoryEvent> {
    started().into_iter().chain(events).collect()
}

pub fn turn(seconds: i64) -> HistoryEvent {
    event::turn_started(at(seconds), vec![])
}

pub fn raised(name: &str, payload: &str) -> HistoryEvent {
    event::event_raised(at(0), name, payload)
}

pub fn task_scheduled(sequence: i32, name: &str) -> HistoryEvent {
    let scheduled = TaskScheduledEvent { name: name.into(), ..TaskScheduledEvent::default() };
    event::recorded(id(sequence), at(0), EventType::TaskScheduled(scheduled.into()))
}

pub fn task_completed(sequence: i32, result: &str) -> HistoryEvent {
    event::task_completed(at(0), id(sequence), result)
}

pub fn task_failed(sequence: i32, error_type: &str) -> HistoryEvent {
    event::task_failed(at(0), id(sequence), failure_details(error_type))
}

pub fn failure_details(error_type: &str) -> TaskFailureDetails {
    TaskFailureDetails { error_type: error_type.into(), ..TaskFailureDetails::default() }
}

pub fn child_created(sequence: i32, name: &str, instance: &str) -> HistoryEvent {
    let created = ChildWorkflowInstanceCreatedEvent {
        name: name.into(),
        instance_id: instance.into(),
        ..ChildWorkflowInstanceCreatedEvent::default()
    };
    event::recorded(id(sequence), at(0), EventType::ChildWorkflowInstanceCreated(created.into()))
}

pub fn timer_created(sequence: i32, origin: Option<TimerOrigin>, fire_at: Timestamp) -> HistoryEvent {
    let created =
        TimerCreatedEvent { fire_at: Some(fire_at), origin: origin.map(Into::into), ..TimerCreatedEvent::default() };
    event::recorded(id(sequence), at(0), EventType::TimerCreated(created))
}

pub fn timer_fired(sequence: i32) -> HistoryEvent {
    event::timer_fired(at(0), id(sequence))
}

pub fn event_wait(name: &str) -> Option<TimerOrigin> {
    Some(TimerOrigin::ExternalEvent { name: name.into() })
}

/// The timers that a turn creates.
pub fn timers(turn: &Turn) -> Vec<CreateTimerAction> {
    let timer = |action: &_| match action {
        Some(ActionType::CreateTimer(timer)) => Some(timer.clone()),
        _ => None,
    };
    turn.actions.iter().filter_map(|action| timer(&action.action_type)).collect()
}

/// How a turn ended the workflow.
pub fn completion(turn: &Turn) -> CompleteWorkflowAction {
    match turn.actions.last().and_then(|last| last.action_type.clone()) {
        Some(ActionType::CompleteWorkflow(completion)) => completion,
        other => panic!("not a completion: {other:#?}"),
    }
}

/// How a turn ended the workflow; the turn must do nothing else.
pub fn only_completion(turn: &Turn) -> CompleteWorkflowAction {
    assert_eq!(turn.actions.len(), 1, "not a single action: {:#?}", turn.actions);
    completion(turn)
}

/// The result of a turn that completed the workflow.
pub fn result(turn: &Turn) -> String {
    completion(turn).result.unwrap_or_else(|| text("")).value
}

/// The result of a turn that completed the workflow and did nothing else.
pub fn only_result(turn: &Turn) -> String {
    only_completion(turn).result.unwrap_or_else(|| text("")).value
}

pub fn retries(max_attempts: u32) -> RetryPolicy {
    RetryPolicy {
        max_attempts,
        first_interval: Duration::from_secs(10),
        coefficient: 2.0,
        max_interval: None,
        timeout: None,
        non_retriable: vec![],
    }
}

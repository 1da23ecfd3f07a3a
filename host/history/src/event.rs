//! Short ways to write events. Only what every writer of a history needs; the rest are plain struct literals.

use crate::history_event::EventType;
use crate::{
    ChildWorkflowInstanceCompletedEvent, ChildWorkflowInstanceFailedEvent, EventRaisedEvent, ExecutionResumedEvent,
    ExecutionStartedEvent, ExecutionSuspendedEvent, ExecutionTerminatedEvent, HistoryEvent, InstanceId, SequenceId,
    TaskCompletedEvent, TaskFailedEvent, TaskFailureDetails, TimerFiredEvent, Timestamp, WorkflowInstance,
    WorkflowStartedEvent, WorkflowVersion, text,
};

/// The `event_id` of an event that is not the record of an action.
pub const NO_ID: i32 = -1;

/// An event that is not the record of an action.
pub fn event(timestamp: Timestamp, event_type: EventType) -> HistoryEvent {
    HistoryEvent { event_id: NO_ID, timestamp: Some(timestamp), event_type: Some(event_type), router: None }
}

/// The record of the action with this id.
pub fn recorded(id: SequenceId, timestamp: Timestamp, event_type: EventType) -> HistoryEvent {
    HistoryEvent { event_id: id.get(), ..event(timestamp, event_type) }
}

/// A turn begins. Its patches are known when it ends.
pub fn turn_started(at: Timestamp, patches: Vec<String>) -> HistoryEvent {
    let version = (!patches.is_empty()).then_some(WorkflowVersion { patches, name: None });
    event(at, EventType::WorkflowStarted(WorkflowStartedEvent { version }))
}

/// An instance begins its first generation.
pub fn execution_started(at: Timestamp, instance: &InstanceId, workflow: &str, input: &str) -> HistoryEvent {
    event(
        at,
        EventType::ExecutionStarted(Box::new(ExecutionStartedEvent {
            name: workflow.to_owned(),
            input: Some(text(input)),
            workflow_instance: Some(WorkflowInstance { instance_id: instance.to_string(), execution_id: None }),
            ..ExecutionStartedEvent::default()
        })),
    )
}

/// An event was raised to the instance.
pub fn event_raised(at: Timestamp, name: &str, input: &str) -> HistoryEvent {
    event(at, EventType::EventRaised(EventRaisedEvent { name: name.to_owned(), input: Some(text(input)) }))
}

/// A timer reached its time.
pub fn timer_fired(at: Timestamp, timer: SequenceId) -> HistoryEvent {
    event(at, EventType::TimerFired(TimerFiredEvent { fire_at: Some(at), timer_id: timer.get() }))
}

/// An activity succeeded.
pub fn task_completed(at: Timestamp, task: SequenceId, result: &str) -> HistoryEvent {
    event(
        at,
        EventType::TaskCompleted(TaskCompletedEvent {
            task_scheduled_id: task.get(),
            result: Some(text(result)),
            ..TaskCompletedEvent::default()
        }),
    )
}

/// An activity failed.
pub fn task_failed(at: Timestamp, task: SequenceId, failure: TaskFailureDetails) -> HistoryEvent {
    event(
        at,
        EventType::TaskFailed(Box::new(TaskFailedEvent {
            task_scheduled_id: task.get(),
            failure_details: Some(failure),
            ..TaskFailedEvent::default()
        })),
    )
}

/// A child workflow succeeded.
pub fn child_completed(at: Timestamp, task: SequenceId, result: &str) -> HistoryEvent {
    event(
        at,
        EventType::ChildWorkflowInstanceCompleted(ChildWorkflowInstanceCompletedEvent {
            task_scheduled_id: task.get(),
            result: Some(text(result)),
            ..ChildWorkflowInstanceCompletedEvent::default()
        }),
    )
}

/// A child workflow failed.
pub fn child_failed(at: Timestamp, task: SequenceId, failure: TaskFailureDetails) -> HistoryEvent {
    event(
        at,
        EventType::ChildWorkflowInstanceFailed(Box::new(ChildWorkflowInstanceFailedEvent {
            task_scheduled_id: task.get(),
            failure_details: Some(failure),
            ..ChildWorkflowInstanceFailedEvent::default()
        })),
    )
}

/// Somebody suspended the instance.
pub fn suspended(at: Timestamp) -> HistoryEvent {
    event(at, EventType::ExecutionSuspended(ExecutionSuspendedEvent { input: None }))
}

/// Somebody resumed the instance.
pub fn resumed(at: Timestamp) -> HistoryEvent {
    event(at, EventType::ExecutionResumed(ExecutionResumedEvent { input: None }))
}

/// Somebody terminated the instance and left this output for it.
pub fn terminated(at: Timestamp, output: Option<&str>) -> HistoryEvent {
    event(at, EventType::ExecutionTerminated(ExecutionTerminatedEvent { input: output.map(text), recurse: false }))
}

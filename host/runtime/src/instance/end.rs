//! What the end of a generation changes: the parent hears of it, children are closed, or the next generation begins.

use everturn_history::history_event::EventType;
use everturn_history::workflow_action::ActionType;
use everturn_history::{
    ChildWorkflowInstanceCompletedEvent, CompleteWorkflowAction, ExecutionCompletedEvent, ExecutionStartedEvent,
    ExecutionTerminatedEvent, HistoryEvent, InstanceId, OrchestrationStatus, SequenceId, event,
};
use everturn_replay::{Failure, Turn as PlayedTurn, next_generation};
use everturn_store::{
    Address, CloseChildren, EncodedEvents, Instance, InstanceKey, NewMessage, Restart, Status, Time, Turn, Visible,
};

use super::mailroom::Delivery;
use crate::{failures, identity};

/// How a turn says that it ends its generation.
pub(super) fn completion(turn: &PlayedTurn) -> Option<&CompleteWorkflowAction> {
    turn.actions.iter().find_map(|action| match &action.action_type {
        Some(ActionType::CompleteWorkflow(completion)) => Some(completion),
        _ => None,
    })
}

/// Adds to a turn what its end changes.
pub(super) fn plan(
    turn: &mut Turn,
    instance: &Instance,
    start: Option<&ExecutionStartedEvent>,
    completion: &CompleteWorkflowAction,
    deliveries: &[Delivery],
    at: Time,
) {
    let status = completion.workflow_status();
    if let (OrchestrationStatus::ContinuedAsNew, Some(start)) = (status, start) {
        return restart(turn, instance, start, completion, at);
    }
    let outcome = ExecutionCompletedEvent {
        workflow_status: completion.workflow_status,
        result: completion.result.clone(),
        failure_details: completion.failure_details.clone(),
    };
    let recursive = deliveries.iter().any(|delivery| match &delivery.event.event_type {
        Some(EventType::ExecutionTerminated(terminated)) => terminated.recurse,
        _ => false,
    });
    close(turn, instance, outcome, recursive && status == OrchestrationStatus::Terminated, at);
}

/// Ends an instance for good.
pub(super) fn close(
    turn: &mut Turn,
    instance: &Instance,
    outcome: ExecutionCompletedEvent,
    all_children: bool,
    at: Time,
) {
    turn.status = Status::from_protocol(outcome.workflow_status()).unwrap_or(Status::Failed);
    turn.messages.extend(answer_to_parent(instance, &outcome, at));
    turn.children = close_children(all_children, at);
    turn.outcome = Some(outcome);
    turn.wants_turn = false;
}

fn restart(
    turn: &mut Turn,
    instance: &Instance,
    start: &ExecutionStartedEvent,
    completion: &CompleteWorkflowAction,
    at: Time,
) {
    let execution_id = identity::execution_id();
    let history = next_generation(start, completion.clone(), Some(execution_id.clone()), at.to_timestamp());
    // The turn that begins it is the next one: it has its own beginning.
    let is_message = |event: &HistoryEvent| !matches!(event.event_type, Some(EventType::WorkflowStarted(_)));
    let mut opening: Vec<_> = history.into_iter().filter(is_message).collect();
    if instance.deployment.is_none() {
        // Remote workers begin with the start and find what was unread after it; guests find it before.
        opening.rotate_right(1);
    }
    turn.events = EncodedEvents::default();
    turn.status = Status::Running;
    turn.restart = Some(Restart {
        execution_id,
        // History counts; the store only shows it.
        generation: start.generation.saturating_add(1),
        version: completion.new_version.clone().map(|version| version.value).or_else(|| instance.version.clone()),
        deployment: None,
        opening,
    });
}

/// A child that could not be made, or failed.
pub(crate) fn child_failed(at: Time, task: SequenceId, failure: Failure) -> HistoryEvent {
    event::child_failed(at.to_timestamp(), task, failure.into())
}

/// What the parent hears of the end of a child that has ended.
pub(crate) fn answer_of(child: &Instance, at: Time) -> Option<NewMessage> {
    answer_to_parent(child, child.outcome.as_ref()?, at)
}

/// What a parent hears of a child that was deleted.
pub(crate) fn child_gone(parent: InstanceKey, task: SequenceId, child: &InstanceId, at: Time) -> NewMessage {
    NewMessage {
        to: Address::Key(parent),
        event: child_failed(at, task, failures::child_purged(child)),
        visible: Visible::Now(at),
        task: Some(task),
    }
}

/// What the parent hears of the end of its child.
fn answer_to_parent(instance: &Instance, outcome: &ExecutionCompletedEvent, at: Time) -> Option<NewMessage> {
    let parent = instance.parent.as_ref()?;
    let event = match (outcome.workflow_status(), &outcome.failure_details) {
        (OrchestrationStatus::Completed, _) => event::event(
            at.to_timestamp(),
            EventType::ChildWorkflowInstanceCompleted(ChildWorkflowInstanceCompletedEvent {
                task_scheduled_id: parent.task.get(),
                result: outcome.result.clone(),
                ..ChildWorkflowInstanceCompletedEvent::default()
            }),
        ),
        (OrchestrationStatus::Terminated, _) | (_, None) => {
            child_failed(at, parent.task, failures::child_terminated(&instance.id))
        }
        (_, Some(failure)) => event::child_failed(at.to_timestamp(), parent.task, failure.clone()),
    };
    Some(NewMessage {
        to: Address::ParentOf(instance.key),
        event,
        visible: Visible::Now(at),
        // A parent that begins anew has other children under the same numbers.
        task: Some(parent.task),
    })
}

fn close_children(all: bool, at: Time) -> CloseChildren {
    let terminated = ExecutionTerminatedEvent { input: None, recurse: all };
    let event = event::event(at.to_timestamp(), EventType::ExecutionTerminated(terminated));
    if all { CloseChildren::All(event) } else { CloseChildren::ByPolicy(event) }
}

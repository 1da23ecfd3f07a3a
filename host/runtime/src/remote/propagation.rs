//! What callees are told of the past of those that called them: the history of the caller, and, if it wants that, of its
//! callers too.

use everturn_history::history_event::EventType;
use everturn_history::workflow_action::ActionType;
use everturn_history::{
    ExecutionStartedEvent, HistoryEvent, HistoryPropagationScope, PropagatedHistory, PropagatedHistoryChunk,
    SequenceId, WorkflowAction,
};
use everturn_store::{Beginning, Instance, Turn};
use prost::Message as _;

use crate::instance::Played;

/// Whose history it is. Workers want a name, and a host has no applications.
const APP_ID: &str = "everturn";

/// What a start tells of the past of the callers.
pub(crate) fn told(event: &HistoryEvent) -> Option<PropagatedHistory> {
    match &event.event_type {
        Some(EventType::ExecutionStarted(start)) => start.propagated_history.clone(),
        _ => None,
    }
}

/// Whether a child of this turn is to be told of the past.
pub(super) fn is_asked_for(played: &Played) -> bool {
    let asks = |action: &WorkflowAction| match &action.action_type {
        Some(ActionType::CreateChildWorkflow(child)) => {
            child.history_propagation_scope() != HistoryPropagationScope::None
        }
        _ => false,
    };
    played.turn.actions.iter().any(asks)
}

/// Tells the children of a turn what their calls say. `history` has the turn's events too.
pub(super) fn tell_children(
    turn: &mut Turn,
    caller: &Instance,
    history: &[HistoryEvent],
    callers: Option<&PropagatedHistory>,
) {
    for child in &mut turn.instances {
        let Some(link) = &child.parent else { continue };
        let Beginning::Start(event) = &mut child.beginning else { continue };
        let Some(EventType::ExecutionStarted(start)) = &mut event.event_type else { continue };
        let scope = scope_of(history, link.task);
        start.propagated_history = propagated(scope, &caller.id.to_string(), &caller.workflow, history, callers);
    }
}

/// What an activity is told: the past up to its own call.
pub(crate) fn for_activity(
    instance_id: &str,
    workflow: &str,
    history: &[HistoryEvent],
    task: SequenceId,
) -> Option<PropagatedHistory> {
    let scope = scope_of(history, task);
    let callers = history.iter().find_map(told);
    let own = history.iter().position(|event| event.event_id == task.get()).map_or(history, |at| &history[..=at]);
    propagated(scope, instance_id, workflow, own, callers.as_ref())
}

fn scope_of(history: &[HistoryEvent], task: SequenceId) -> HistoryPropagationScope {
    let called = history.iter().rev().filter(|event| event.event_id == task.get());
    let mut scopes = called.filter_map(|event| match &event.event_type {
        Some(EventType::TaskScheduled(task)) => Some(task.history_propagation_scope()),
        Some(EventType::ChildWorkflowInstanceCreated(child)) => Some(child.history_propagation_scope()),
        _ => None,
    });
    scopes.next().unwrap_or_default()
}

fn propagated(
    scope: HistoryPropagationScope,
    instance_id: &str,
    workflow: &str,
    history: &[HistoryEvent],
    callers: Option<&PropagatedHistory>,
) -> Option<PropagatedHistory> {
    let mut chunks = match scope {
        HistoryPropagationScope::None => return None,
        HistoryPropagationScope::OwnHistory => Vec::new(),
        HistoryPropagationScope::Lineage => callers.map(|callers| callers.chunks.clone()).unwrap_or_default(),
    };
    chunks.push(PropagatedHistoryChunk {
        raw_events: history.iter().map(|event| without_callers(event).encode_to_vec()).collect(),
        app_id: APP_ID.to_owned(),
        instance_id: instance_id.to_owned(),
        workflow_name: workflow.to_owned(),
        ..PropagatedHistoryChunk::default()
    });
    Some(PropagatedHistory { scope: scope.into(), chunks })
}

/// Each chunk has one history: what its start tells of others is in chunks of their own.
fn without_callers(event: &HistoryEvent) -> HistoryEvent {
    let mut event = event.clone();
    if let Some(EventType::ExecutionStarted(start)) = &mut event.event_type {
        **start = ExecutionStartedEvent { propagated_history: None, ..std::mem::take(&mut **start) };
    }
    event
}

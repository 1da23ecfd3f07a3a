//! What a turn asks for, and the events that this becomes.

use everturn_history::history_event::EventType;
use everturn_history::workflow_action::ActionType;
use everturn_history::{
    ChildWorkflowInstanceCreatedEvent, CompleteWorkflowAction, CreateChildWorkflowAction, CreateTimerAction,
    DetachedWorkflowInstanceCreatedEvent, EventSentEvent, ExecutionCompletedEvent, ExecutionStartedEvent, HistoryEvent,
    OrchestrationStatus, ScheduleTaskAction, SequenceId, TaskScheduledEvent, TimerCreatedEvent, Timestamp,
    UpdateCompletedEvent, WorkflowAction, WorkflowInstance, event, text,
};

use crate::{CompletedUpdate, UpdateVerdict};

/// What a turn asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Turn {
    /// What to schedule, create, send and complete, in the order of their ids.
    pub actions: Vec<WorkflowAction>,
    /// What nobody waits for any more: timers among them must not fire. May name what this same turn creates.
    pub cancelled: Vec<SequenceId>,
    /// The status text to show from now on. None: unchanged.
    pub custom_status: Option<String>,
    /// Patches taken in this turn, to be recorded in the event that began it.
    pub patches: Vec<String>,
    /// Whether another turn is due although no message may ever come: the answer to something that this turn asks for
    /// is there already. To be stored with the turn, so that a crash does not forget it.
    pub wants_turn: bool,
    /// What became of the update that the turn brought, if it brought one.
    pub update: Option<UpdateVerdict>,
    /// Updates that have their answers since this turn.
    pub completed_updates: Vec<CompletedUpdate>,
    /// Updates that will have none, because the generation ends with this turn.
    pub abandoned_updates: Vec<String>,
}

/// The events that a turn's actions become in history. A restart by continue-as-new becomes none: it replaces history.
pub fn recorded_events(turn: &Turn, at: Timestamp) -> Vec<HistoryEvent> {
    let updates = turn.completed_updates.iter().map(|completed| update_completed(completed, at));
    updates.chain(turn.actions.iter().filter_map(|action| recorded_event(action, at))).collect()
}

fn update_completed(completed: &CompletedUpdate, at: Timestamp) -> HistoryEvent {
    let (result, failure_details) = match completed.outcome.clone() {
        Ok(result) => (Some(text(result)), None),
        Err(failure) => (None, Some(failure.into())),
    };
    let completed = UpdateCompletedEvent { id: completed.id.clone(), result, failure_details };
    event::event(at, EventType::UpdateCompleted(completed.into()))
}

/// The beginning of the next generation's history, after a turn that continues as new: the unread events, and then the
/// start, so that what came along is there when the workflow begins.
pub fn next_generation(
    start: &ExecutionStartedEvent,
    completion: CompleteWorkflowAction,
    execution_id: Option<String>,
    at: Timestamp,
) -> Vec<HistoryEvent> {
    let instance_id = start.workflow_instance.as_ref().map(|instance| instance.instance_id.clone());
    let next = ExecutionStartedEvent {
        input: completion.result,
        version: completion.new_version.or_else(|| start.version.clone()),
        workflow_instance: Some(WorkflowInstance {
            instance_id: instance_id.unwrap_or_default(),
            execution_id: execution_id.map(text),
        }),
        tags: if completion.tags.is_empty() { start.tags.clone() } else { completion.tags },
        scheduled_start_timestamp: None,
        randomness: None,
        generation: start.generation.saturating_add(1),
        ..start.clone()
    };
    let mut history = vec![event::turn_started(at, Vec::new())];
    history.extend(completion.carryover_events);
    history.push(event::event(at, EventType::ExecutionStarted(next.into())));
    history
}

fn recorded_event(action: &WorkflowAction, at: Timestamp) -> Option<HistoryEvent> {
    let kind = match action.action_type.clone()? {
        ActionType::ScheduleTask(task) => EventType::TaskScheduled(task_scheduled(task).into()),
        ActionType::CreateTimer(timer) => EventType::TimerCreated(timer_created(timer)),
        ActionType::CreateChildWorkflow(child) => EventType::ChildWorkflowInstanceCreated(child_created(child).into()),
        ActionType::CreateDetachedWorkflow(start) => {
            EventType::DetachedWorkflowInstanceCreated(DetachedWorkflowInstanceCreatedEvent {
                instance_id: start.instance_id,
                name: start.name,
            })
        }
        ActionType::SendEvent(sent) => EventType::EventSent(EventSentEvent {
            instance_id: sent.instance.map(|instance| instance.instance_id).unwrap_or_default(),
            name: sent.name,
            input: sent.data,
        }),
        ActionType::CompleteWorkflow(end) => return completed(end, at),
        ActionType::TerminateWorkflow(_) | ActionType::WorkflowVersionNotAvailable(_) => return None,
    };
    let recorded = event::recorded(SequenceId::new(action.id), at, kind);
    Some(HistoryEvent { router: action.router.clone().map(Box::new), ..recorded })
}

fn task_scheduled(task: ScheduleTaskAction) -> TaskScheduledEvent {
    TaskScheduledEvent {
        name: task.name,
        version: task.version,
        input: task.input,
        task_execution_id: task.task_execution_id,
        history_propagation_scope: task.history_propagation_scope,
        timeouts: task.timeouts,
        attempt: task.attempt,
        tags: task.tags,
        parent_trace_context: task.parent_trace_context,
        rerun_parent_instance_info: None,
    }
}

fn timer_created(timer: CreateTimerAction) -> TimerCreatedEvent {
    TimerCreatedEvent {
        fire_at: timer.fire_at,
        origin: timer.timer_origin().map(Into::into),
        name: timer.name,
        rerun_parent_instance_info: None,
    }
}

fn child_created(child: CreateChildWorkflowAction) -> ChildWorkflowInstanceCreatedEvent {
    ChildWorkflowInstanceCreatedEvent {
        instance_id: child.instance_id,
        name: child.name,
        version: child.version,
        input: child.input,
        history_propagation_scope: child.history_propagation_scope,
        retry_parent_instance_info: child.retry_parent_instance_info,
        parent_close_policy: child.parent_close_policy,
        tags: child.tags,
        parent_trace_context: child.parent_trace_context,
        rerun_parent_instance_info: None,
    }
}

fn completed(end: CompleteWorkflowAction, at: Timestamp) -> Option<HistoryEvent> {
    if end.workflow_status() == OrchestrationStatus::ContinuedAsNew {
        return None;
    }
    let end = ExecutionCompletedEvent {
        workflow_status: end.workflow_status,
        result: end.result,
        failure_details: end.failure_details,
    };
    Some(event::event(at, EventType::ExecutionCompleted(end.into())))
}

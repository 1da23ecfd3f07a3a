//! Actions, from the protocol's form to the host's. What sits where depends on the dialect.

use everturn_history::workflow_action::ActionType;
use everturn_history::{
    CompleteWorkflowAction, CreateChildWorkflowAction, OrchestrationStatus, ScheduleTaskAction, TaskRouter, Timestamp,
    TraceContext, WorkflowAction,
};
use prost::Message as _;

use super::carried::read_carried;
use super::moment::read_time;
use super::refused::unreadable;
use super::tags::read_tags;
use super::{Dialect, RefusedAnswer};
use crate::protocol::{self, workflow_action::ActionType as Sent};

pub(super) fn read_action(dialect: Dialect, sent: protocol::WorkflowAction) -> Result<WorkflowAction, RefusedAnswer> {
    let id = sent.id;
    let beside = sent.router_or_rewind;
    let is_rewind = dialect == Dialect::Microsoft && beside.is_some();
    let kind = match sent.action_type {
        // There it is an action of its own, the last of which counts.
        _ if is_rewind => return Err(RefusedAnswer::Rewind { id }),
        Some(kind) => kind,
        None => return Err(RefusedAnswer::UnknownKind { id }),
    };
    let mut router = beside.filter(|_| dialect == Dialect::Dapr).map(|bytes| read_router(&bytes)).transpose()?;
    let action = match kind {
        Sent::ScheduleTask(task) => {
            require(id, "name of an activity", !task.name.is_empty())?;
            router = router.or(inner_router(dialect, task.router_or_tags.first())?);
            ActionType::ScheduleTask(read_task(dialect, task)?)
        }
        Sent::CreateChildWorkflow(child) => {
            require(id, "name of a workflow", !child.fields.name.is_empty())?;
            router = router.or(inner_router(dialect, child.fields.router_or_trace.as_ref())?);
            ActionType::CreateChildWorkflow(read_child(dialect, child)?)
        }
        Sent::CreateTimer(timer) => {
            require(id, "time at which it fires", timer.fire_at.is_some())?;
            check_time(id, timer.fire_at)?;
            ActionType::CreateTimer(timer)
        }
        Sent::SendEvent(event) => {
            let is_addressed = event.instance.as_ref().is_some_and(|instance| !instance.instance_id.is_empty());
            require(id, "instance to send the event to", is_addressed)?;
            require(id, "name of an event", !event.name.is_empty())?;
            ActionType::SendEvent(event)
        }
        Sent::CompleteWorkflow(end) => ActionType::CompleteWorkflow(read_end(id, end)?),
        Sent::TerminateWorkflow(end) => {
            require(id, "instance to terminate", !end.instance_id.is_empty())?;
            ActionType::TerminateWorkflow(end)
        }
        Sent::SendEntityMessage(_) => return Err(RefusedAnswer::Entity { id }),
        Sent::WorkflowVersionNotAvailable(missing) => ActionType::WorkflowVersionNotAvailable(missing),
        Sent::CreateDetachedWorkflow(detached) => {
            require(id, "name of a workflow", !detached.name.is_empty())?;
            check_time(id, detached.scheduled_start_timestamp)?;
            ActionType::CreateDetachedWorkflow(detached)
        }
    };
    // Dapr's Python workers send an empty one with everything.
    let router = router.filter(|router| *router != TaskRouter::default());
    Ok(WorkflowAction { id, action_type: Some(action), router })
}

fn require(id: i32, what: &'static str, is_there: bool) -> Result<(), RefusedAnswer> {
    if is_there { Ok(()) } else { Err(RefusedAnswer::Missing { id, what }) }
}

pub(super) fn check_time(id: i32, time: Option<Timestamp>) -> Result<(), RefusedAnswer> {
    time.map_or(Ok(()), |time| read_time(time).map(drop).map_err(|source| RefusedAnswer::NoMoment { id, source }))
}

fn read_router(bytes: &[u8]) -> Result<TaskRouter, RefusedAnswer> {
    TaskRouter::decode(bytes).map_err(unreadable("router of an action"))
}

/// Where Dapr's SDKs had it before it was beside the action.
fn inner_router(dialect: Dialect, bytes: Option<&Vec<u8>>) -> Result<Option<TaskRouter>, RefusedAnswer> {
    bytes.filter(|_| dialect == Dialect::Dapr).map(|bytes| read_router(bytes)).transpose()
}

fn read_trace(bytes: &[u8]) -> Result<TraceContext, RefusedAnswer> {
    TraceContext::decode(bytes).map_err(unreadable("trace context of an action"))
}

fn read_text(bytes: Vec<u8>) -> Result<String, RefusedAnswer> {
    String::from_utf8(bytes).map_err(unreadable("task execution id"))
}

fn read_task(dialect: Dialect, task: protocol::ScheduleTaskAction) -> Result<ScheduleTaskAction, RefusedAnswer> {
    let mut read = ScheduleTaskAction {
        name: task.name,
        version: task.version,
        input: task.input,
        history_propagation_scope: task.history_propagation_scope,
        ..ScheduleTaskAction::default()
    };
    match dialect {
        Dialect::Dapr => {
            read.task_execution_id = task.task_execution_id_or_trace.map(read_text).transpose()?.unwrap_or_default();
        }
        Dialect::Microsoft => {
            read.tags = read_tags(&task.router_or_tags).map_err(unreadable("tags of an activity"))?;
            read.parent_trace_context = task.task_execution_id_or_trace.map(|bytes| read_trace(&bytes)).transpose()?;
        }
        // Nobody knows what these fields are, and nothing depends on them.
        Dialect::Neutral => {}
    }
    Ok(read)
}

fn read_child(
    dialect: Dialect,
    child: protocol::CreateChildWorkflowAction,
) -> Result<CreateChildWorkflowAction, RefusedAnswer> {
    let fields = child.fields;
    let trace = fields.router_or_trace.filter(|_| dialect == Dialect::Microsoft);
    Ok(CreateChildWorkflowAction {
        instance_id: fields.instance_id,
        name: fields.name,
        version: fields.version,
        input: fields.input,
        // The wire type has told these two apart, whatever the dialect is.
        history_propagation_scope: child.history_propagation_scope,
        tags: read_tags(&child.tags).map_err(unreadable("tags of a child workflow"))?,
        retry_parent_instance_info: fields.retry_parent_instance_info,
        parent_trace_context: trace.map(|bytes| read_trace(&bytes)).transpose()?,
        ..CreateChildWorkflowAction::default()
    })
}

fn read_end(id: i32, end: protocol::CompleteWorkflowAction) -> Result<CompleteWorkflowAction, RefusedAnswer> {
    let is_end = matches!(
        OrchestrationStatus::try_from(end.workflow_status),
        Ok(OrchestrationStatus::Completed
            | OrchestrationStatus::Failed
            | OrchestrationStatus::Terminated
            | OrchestrationStatus::ContinuedAsNew)
    );
    if !is_end {
        return Err(RefusedAnswer::NoEnd { id, status: end.workflow_status });
    }
    Ok(CompleteWorkflowAction {
        workflow_status: end.workflow_status,
        result: end.result,
        details: end.details,
        new_version: end.new_version,
        carryover_events: read_carried(id, &end.carryover_events)?,
        failure_details: end.failure_details,
        tags: end.tags,
    })
}

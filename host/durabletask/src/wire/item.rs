//! What a worker is sent: turns, activities and pings.

use everturn_history::{WorkflowInstance, text};
use everturn_runtime::{ActivityTask, TurnTask};

use super::tags::write_tags;
use super::{Dialect, readable, write_token};
use crate::protocol::work_item::Request;
use crate::protocol::{ActivityRequest, CachedHistory, HealthPing, WorkItem, WorkflowRequest};

/// A turn.
pub(crate) fn turn_item(dialect: Dialect, turn: TurnTask) -> WorkItem {
    let is_dapr = dialect == Dialect::Dapr;
    let known = i32::try_from(turn.known).ok().filter(|known| *known > 0);
    let request = WorkflowRequest {
        instance_id: turn.instance_id.into_string(),
        execution_id: Some(text(turn.execution_id)),
        past_events: readable(dialect, turn.past),
        new_events: readable(dialect, turn.new),
        requires_history_streaming: false,
        router: None,
        propagated_history: turn.propagated.filter(|_| is_dapr),
        cached_history: known.filter(|_| is_dapr).map(|event_count| CachedHistory { event_count }),
    };
    item(Request::WorkflowRequest(request), write_token(turn.token))
}

/// An activity.
pub(crate) fn activity_item(dialect: Dialect, task: ActivityTask) -> WorkItem {
    let scheduled = task.scheduled;
    let special = match dialect {
        // The same for all attempts of one call, in histories of every writer.
        Dialect::Dapr => vec![task.call.task_execution_id.into_bytes()],
        Dialect::Microsoft => write_tags(&scheduled.tags),
        Dialect::Neutral => Vec::new(),
    };
    let request = ActivityRequest {
        name: task.call.activity,
        version: scheduled.version,
        input: scheduled.input,
        workflow_instance: Some(WorkflowInstance {
            instance_id: task.call.instance_id.into_string(),
            execution_id: Some(text(task.execution_id)),
        }),
        task_id: task.call.task_id.get(),
        parent_trace_context: scheduled.parent_trace_context,
        task_execution_id_or_tags: special,
        propagated_history: task.propagated.filter(|_| dialect == Dialect::Dapr),
    };
    item(Request::ActivityRequest(request), write_token(task.token))
}

/// A sign of life. None: a worker of this dialect does not know any.
pub(crate) fn ping(dialect: Dialect) -> Option<WorkItem> {
    let request = match dialect {
        Dialect::Dapr => Request::DaprHealthPing(HealthPing {}),
        Dialect::Microsoft => Request::MicrosoftHealthPing(HealthPing {}),
        Dialect::Neutral => return None,
    };
    Some(item(request, String::new()))
}

fn item(request: Request, completion_token: String) -> WorkItem {
    WorkItem { request: Some(request), completion_token }
}

#[cfg(test)]
mod tests;

//! What a worker answers to a turn.

use std::collections::HashSet;

use everturn_history::WorkflowVersion;
use everturn_runtime::TurnAnswer;
use prost::Message as _;

use super::actions::read_action;
use super::refused::unreadable;
use super::shape::{self, Value};
use super::{Dialect, RefusedAnswer};
use crate::protocol::workflow_action::ActionType as Sent;
use crate::protocol::{WorkflowAction, WorkflowResponse};

/// Reads an answer of a worker that speaks this dialect.
pub(crate) fn read_answer(
    dialect: Dialect,
    response: WorkflowResponse,
    limit: usize,
) -> Result<TurnAnswer, RefusedAnswer> {
    let count = response.actions.len();
    if count > limit {
        return Err(RefusedAnswer::TooManyActions { count, limit });
    }
    let mut ids = HashSet::with_capacity(count);
    if let Some(action) = response.actions.iter().find(|action| !ids.insert(action.id)) {
        return Err(RefusedAnswer::DuplicateId { id: action.id });
    }
    let version = response.version_or_trace.filter(|_| dialect == Dialect::Dapr);
    let version = version.map(|bytes| WorkflowVersion::decode(bytes.as_slice()).map_err(unreadable("version")));
    Ok(TurnAnswer {
        actions: response.actions.into_iter().map(|action| read_action(dialect, action)).collect::<Result<_, _>>()?,
        // Some SDKs send an empty one when the workflow has set none.
        custom_status: response.custom_status.map(|status| status.value).filter(|status| !status.is_empty()),
        version: version.transpose()?,
    })
}

/// The dialect of an answer, if it has something that only one of them has.
pub(crate) fn tells(response: &WorkflowResponse) -> Option<Dialect> {
    let is_dapr = |action: &WorkflowAction| {
        action.router_or_rewind.is_some()
            || matches!(&action.action_type, Some(Sent::ScheduleTask(task))
                if task.task_execution_id_or_trace.as_deref().is_some_and(shape::is_uuid))
    };
    if response.actions.iter().any(is_dapr) {
        return Some(Dialect::Dapr);
    }
    response.version_or_trace.as_deref().and_then(of_version_or_trace)
}

/// Microsoft has the time of a span where Dapr has the name of a version.
fn of_version_or_trace(bytes: &[u8]) -> Option<Dialect> {
    let fields = shape::fields(bytes)?;
    let has_moment = fields.iter().any(|field| matches!(field, (2, Value::Bytes(bytes)) if shape::is_moment(bytes)));
    if has_moment {
        return Some(Dialect::Microsoft);
    }
    let version = WorkflowVersion::decode(bytes).ok()?;
    let mut texts = version.patches.iter().chain(&version.name).peekable();
    let is_version = texts.peek().is_some() && texts.all(|text| shape::is_readable(text));
    is_version.then_some(Dialect::Dapr)
}

#[cfg(test)]
mod tests;

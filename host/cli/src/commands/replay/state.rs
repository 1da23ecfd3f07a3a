//! The state that a replay reached, and its JSON form.

use everturn_history::{OrchestrationStatus, SequenceId, WorkflowAction};
use everturn_replay::{Execution, Failure, Turn};
use serde::Serialize;

use super::history::History;

/// Where a workflow stands after its history. Payloads are JSON text, as they are in the history.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct State {
    pub(super) workflow: String,
    pub(super) instance_id: String,
    /// How many events were replayed.
    pub(super) events: usize,
    pub(super) status: &'static str,
    pub(super) result: Option<String>,
    pub(super) failure: Option<Failure>,
    pub(super) custom_status: Option<String>,
    /// How many answers the workflow waits for.
    pub(super) open_tasks: usize,
    /// What it asks for beyond its history.
    pub(super) actions: Vec<WorkflowAction>,
    /// What nobody waits for any more since the last turn.
    pub(super) cancelled_timers: Vec<SequenceId>,
}

impl State {
    pub(super) fn new(history: &History, execution: &Execution, turn: Turn) -> Self {
        let ending = execution.ending();
        Self {
            workflow: history.workflow.clone(),
            instance_id: history.instance_id.clone(),
            events: history.events.len(),
            status: status(execution),
            result: ending.and_then(|ending| ending.result.clone()),
            failure: ending.and_then(|ending| ending.failure.clone()),
            custom_status: execution.custom_status().map(str::to_owned),
            open_tasks: execution.open_tasks(),
            actions: turn.actions,
            cancelled_timers: turn.cancelled,
        }
    }
}

/// A status as people know it: `COMPLETED`, not the protocol's `ORCHESTRATION_STATUS_COMPLETED`.
fn status(execution: &Execution) -> &'static str {
    let going_on = if execution.is_suspended() { OrchestrationStatus::Suspended } else { OrchestrationStatus::Running };
    let name = execution.ending().map_or(going_on, |ending| ending.status).as_str_name();
    name.strip_prefix("ORCHESTRATION_STATUS_").unwrap_or(name)
}

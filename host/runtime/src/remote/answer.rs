//! From what a worker answers to what is written. The host takes ids as they are; it fills in only what the protocol leaves
//! to it.

use everturn_history::history_event::EventType;
use everturn_history::workflow_action::ActionType;
use everturn_history::{
    ExecutionStartedEvent, OrchestrationStatus, StalledReason, TraceContext, WorkflowAction, WorkflowStartedEvent,
    event,
};
use everturn_replay::{Turn, recorded_events};
use everturn_store::{Instance, Time};

use super::orchestrator::TurnAnswer;
use super::past::RemotePast;
use crate::identity;
use crate::instance::Played;

/// Why the instance cannot go on with this worker's code.
pub(super) struct Stall {
    pub(super) kind: StalledReason,
    pub(super) reason: String,
}

/// When a turn began, which is its time for the workflow, and when its worker had answered.
#[derive(Clone, Copy)]
pub(super) struct Times {
    pub(super) begun: Time,
    pub(super) ended: Time,
}

/// What the turn comes to.
pub(super) fn read(
    instance: &Instance,
    start: Option<&ExecutionStartedEvent>,
    past: &RemotePast,
    answer: TurnAnswer,
    times: Times,
) -> Result<Played, Stall> {
    let TurnAnswer { mut actions, custom_status, version } = answer;
    let is_missing =
        |action: &WorkflowAction| matches!(action.action_type, Some(ActionType::WorkflowVersionNotAvailable(_)));
    if actions.iter().any(is_missing) {
        let reason = format!(
            "the worker does not have the version of workflow `{}` that this instance runs on; \
             it goes on when a worker that has it connects",
            instance.workflow
        );
        return Err(Stall { kind: StalledReason::VersionNotAvailable, reason });
    }
    // Workers name a patch as often as their code asks for it.
    let mut patches = Vec::new();
    for patch in version.iter().flat_map(|version| &version.patches) {
        if !patches.contains(patch) {
            patches.push(patch.clone());
        }
    }
    // One that says how it failed, and nothing else, has not come as far as its patches.
    let gave_up = version.is_none() && actions.iter().any(has_failed);
    if !gave_up && !patches.starts_with(&past.patches) {
        let reason = format!(
            "the worker's code has passed the patches [{}], and its history says [{}]; \
             it goes on when a worker with code that fits connects",
            patches.join(", "),
            past.patches.join(", ")
        );
        return Err(Stall { kind: StalledReason::PatchMismatch, reason });
    }
    let ends = actions.iter().any(|action| matches!(action.action_type, Some(ActionType::CompleteWorkflow(_))));
    // Nobody will wait for these.
    actions.retain(|action| {
        !ends || !matches!(action.action_type, Some(ActionType::ScheduleTask(_) | ActionType::CreateTimer(_)))
    });
    let trace = start.and_then(|start| start.parent_trace_context.as_ref());
    actions.iter_mut().for_each(|action| complete(action, instance, trace));
    let version = version.filter(|version| !version.patches.is_empty() || version.name.is_some());
    let turn = Turn { actions, custom_status, ..Turn::default() };
    let started = EventType::WorkflowStarted(WorkflowStartedEvent { version });
    let begun = event::event(times.begun.to_timestamp(), started);
    Ok(Played { begun, moved: None, recorded: recorded_events(&turn, times.ended.to_timestamp()), turn })
}

fn has_failed(action: &WorkflowAction) -> bool {
    match &action.action_type {
        Some(ActionType::CompleteWorkflow(end)) => end.workflow_status() == OrchestrationStatus::Failed,
        _ => false,
    }
}

/// Fills in what the worker left to the host: names of new instances, and the trace that the instance itself belongs to.
fn complete(action: &mut WorkflowAction, instance: &Instance, trace: Option<&TraceContext>) {
    let number = action.id;
    match &mut action.action_type {
        Some(ActionType::ScheduleTask(task)) => {
            task.parent_trace_context = task.parent_trace_context.take().or_else(|| trace.cloned());
        }
        Some(ActionType::CreateChildWorkflow(child)) => {
            if child.instance_id.is_empty() {
                // What workers of this protocol expect to find in history.
                child.instance_id = format!("{}:{number:04x}", instance.id);
            }
            child.parent_trace_context = child.parent_trace_context.take().or_else(|| trace.cloned());
        }
        Some(ActionType::CreateDetachedWorkflow(detached)) => {
            if detached.instance_id.is_empty() {
                detached.instance_id = identity::instance_id().into_string();
            }
            detached.parent_trace_context = detached.parent_trace_context.take().or_else(|| trace.cloned());
        }
        _ => {}
    }
}

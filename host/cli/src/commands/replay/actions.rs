//! What a workflow asks for, in a line for people. Programs get the actions themselves.

use everturn_history::workflow_action::ActionType;
use everturn_history::{
    CompleteWorkflowAction, CreateTimerAction, OrchestrationStatus, StringValue, TimerOrigin, Timestamp, WorkflowAction,
};

use crate::text::shown;

/// Says what an action asks for.
pub(super) fn describe(action: &WorkflowAction) -> String {
    match &action.action_type {
        None => "nothing".to_owned(),
        Some(ActionType::ScheduleTask(task)) => {
            format!("call activity {} with {}", shown(&task.name), payload(task.input.as_ref()))
        }
        Some(ActionType::CreateTimer(timer)) => describe_timer(timer),
        Some(ActionType::CreateChildWorkflow(child)) => {
            let input = payload(child.input.as_ref());
            format!("start child {} as {} with {input}", shown(&child.name), shown(&child.instance_id))
        }
        Some(ActionType::CreateDetachedWorkflow(other)) => {
            let input = payload(other.input.as_ref());
            format!("start workflow {} as {} with {input}", shown(&other.name), shown(&other.instance_id))
        }
        Some(ActionType::SendEvent(event)) => {
            let instance = event.instance.as_ref().map_or("", |instance| instance.instance_id.as_str());
            let data = payload(event.data.as_ref());
            format!("raise event {} to {} with {data}", shown(&event.name), shown(instance))
        }
        Some(ActionType::CompleteWorkflow(end)) => describe_end(end),
        Some(ActionType::TerminateWorkflow(other)) => format!("terminate {}", shown(&other.instance_id)),
        Some(ActionType::WorkflowVersionNotAvailable(_)) => "wait for a version that is not here".to_owned(),
    }
}

fn describe_timer(timer: &CreateTimerAction) -> String {
    let until = moment(timer.fire_at.as_ref());
    match timer.timer_origin() {
        Some(TimerOrigin::ExternalEvent { name }) if timer.is_optional() => {
            format!("wait for event {} without limit", shown(&name))
        }
        Some(TimerOrigin::ExternalEvent { name }) => format!("wait for event {} until {until}", shown(&name)),
        Some(TimerOrigin::ActivityRetry { .. }) => format!("wait until {until}, then try the activity again"),
        Some(TimerOrigin::ChildWorkflowRetry { instance_id }) => {
            format!("wait until {until}, then try child {} again", shown(&instance_id))
        }
        Some(TimerOrigin::CreateTimer) | None => match &timer.name {
            Some(name) => format!("wait until {until} ({})", shown(name)),
            None => format!("wait until {until}"),
        },
    }
}

fn describe_end(end: &CompleteWorkflowAction) -> String {
    match end.workflow_status() {
        OrchestrationStatus::Completed => "complete".to_owned(),
        OrchestrationStatus::ContinuedAsNew => {
            format!("continue as new with {}", payload(end.result.as_ref()))
        }
        OrchestrationStatus::Failed => "fail".to_owned(),
        other => format!("end as {}", other.as_str_name().trim_start_matches("ORCHESTRATION_STATUS_")),
    }
}

fn payload(text: Option<&StringValue>) -> String {
    shown(text.map_or("null", |text| &text.value))
}

/// A time in its JSON form, without the quotes.
fn moment(time: Option<&Timestamp>) -> String {
    let json = time.and_then(|time| serde_json::to_value(time).ok());
    json.as_ref().and_then(|json| json.as_str()).unwrap_or("an unknown time").to_owned()
}

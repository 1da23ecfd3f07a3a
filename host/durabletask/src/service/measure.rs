//! Whether what a turn asks for keeps to the limits that hold for everybody: names and payloads.

use everturn_history::workflow_action::ActionType;
use everturn_history::{StringValue, WorkflowAction};
use everturn_runtime::{RequestError, TurnAnswer};
use prost::Message;

/// The limits of a runtime that an answer has to keep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measure {
    /// Bytes of a payload.
    pub(super) payload: usize,
    /// Bytes of a name or an id.
    pub(super) name: usize,
}

impl Measure {
    pub(super) fn check(self, answer: &TurnAnswer) -> Result<(), RequestError> {
        if let Some(status) = &answer.custom_status {
            self.size("custom status", status.len())?;
        }
        for text in answer.version.iter().flat_map(|version| version.patches.iter().chain(&version.name)) {
            self.name("name of a patch or version", text)?;
        }
        answer.actions.iter().try_for_each(|action| self.action(action))
    }

    fn action(self, action: &WorkflowAction) -> Result<(), RequestError> {
        match &action.action_type {
            Some(ActionType::ScheduleTask(task)) => {
                self.name("activity's name", &task.name)?;
                self.payload("input of an activity", task.input.as_ref())
            }
            Some(ActionType::CreateChildWorkflow(child)) => {
                self.name("workflow's name", &child.name)?;
                self.name("instance id", &child.instance_id)?;
                self.payload("input of a child workflow", child.input.as_ref())
            }
            Some(ActionType::CreateDetachedWorkflow(detached)) => {
                self.name("workflow's name", &detached.name)?;
                self.name("instance id", &detached.instance_id)?;
                self.payload("input of a workflow", detached.input.as_ref())
            }
            Some(ActionType::SendEvent(event)) => {
                self.name("event's name", &event.name)?;
                self.payload("event's payload", event.data.as_ref())
            }
            Some(ActionType::CompleteWorkflow(end)) => {
                self.payload("result", end.result.as_ref())?;
                self.payload("details of the end", end.details.as_ref())?;
                self.size("failure", end.failure_details.as_ref().map_or(0, Message::encoded_len))?;
                end.carryover_events
                    .iter()
                    .try_for_each(|event| self.size("event that is carried over", event.encoded_len()))
            }
            Some(ActionType::TerminateWorkflow(end)) => self.payload("reason of an end", end.reason.as_ref()),
            Some(ActionType::CreateTimer(_) | ActionType::WorkflowVersionNotAvailable(_)) | None => Ok(()),
        }
    }

    fn payload(self, what: &'static str, payload: Option<&StringValue>) -> Result<(), RequestError> {
        self.size(what, payload.map_or(0, |payload| payload.value.len()))
    }

    fn size(self, what: &'static str, size: usize) -> Result<(), RequestError> {
        let limit = self.payload;
        if size > limit { Err(RequestError::PayloadTooLarge { what, size, limit }) } else { Ok(()) }
    }

    fn name(self, what: &'static str, name: &str) -> Result<(), RequestError> {
        let problem = if name.len() > self.name {
            format!("has {} bytes, and the limit is {}", name.len(), self.name)
        } else if name.chars().any(char::is_control) {
            "has control characters".to_owned()
        } else {
            return Ok(());
        };
        Err(RequestError::InvalidName { what, problem })
    }
}

#[cfg(test)]
mod tests {
    use everturn_history::{CompleteWorkflowAction, ScheduleTaskAction, text};

    use super::*;

    const MEASURE: Measure = Measure { payload: 10, name: 5 };

    fn check(action: ActionType) -> Result<(), RequestError> {
        let action = WorkflowAction { id: 1, action_type: Some(action), router: None };
        MEASURE.check(&TurnAnswer { actions: vec![action], ..TurnAnswer::default() })
    }

    #[test]
    fn what_is_too_large_is_told_apart_from_what_is_misnamed() {
        let task = |name: &str, input: &str| {
            ActionType::ScheduleTask(ScheduleTaskAction {
                name: name.to_owned(),
                input: Some(text(input)),
                ..ScheduleTaskAction::default()
            })
        };
        assert!(check(task("short", "0123456789")).is_ok());
        assert!(matches!(check(task("short", "0123456789x")), Err(RequestError::PayloadTooLarge { size: 11, .. })));
        assert!(matches!(check(task("longer", "")), Err(RequestError::InvalidName { .. })));
        assert!(matches!(check(task("a\nb", "")), Err(RequestError::InvalidName { .. })));

        let end = CompleteWorkflowAction { result: Some(text("0123456789x")), ..CompleteWorkflowAction::default() };
        assert!(matches!(check(ActionType::CompleteWorkflow(end)), Err(RequestError::PayloadTooLarge { .. })));
        let status = TurnAnswer { custom_status: Some("0123456789x".to_owned()), ..TurnAnswer::default() };
        assert!(matches!(MEASURE.check(&status), Err(RequestError::PayloadTooLarge { .. })));
    }
}

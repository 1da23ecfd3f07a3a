//! An instance as clients see it.

use everturn_history::{OrchestrationStatus, text};
use everturn_store::{Instance, Status};

use super::Dialect;
use crate::protocol::WorkflowState;

/// Whether the client wants to see what goes in and out: input, output, custom status and failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Payloads {
    /// It does not.
    Omitted,
    /// It does; this is the input.
    Shown {
        /// The input, which the store keeps apart.
        input: Option<String>,
    },
}

/// The state of an instance, for clients of a listener of this dialect.
pub(crate) fn state(dialect: Dialect, instance: Instance, payloads: Payloads) -> WorkflowState {
    let mut state = WorkflowState {
        instance_id: instance.id.into_string(),
        name: instance.workflow,
        version: instance.version.map(text),
        workflow_status: status(dialect, instance.status).into(),
        scheduled_start_timestamp: Some(instance.starts_at.to_timestamp()),
        created_timestamp: Some(instance.created_at.to_timestamp()),
        last_updated_timestamp: Some(instance.updated_at.to_timestamp()),
        execution_id: Some(text(instance.execution_id)),
        completed_timestamp: instance.ended_at.map(everturn_store::Time::to_timestamp),
        parent_instance_id: instance.parent.map(|parent| text(parent.instance.into_string())),
        tags: instance.tags,
        ..WorkflowState::default()
    };
    if let Payloads::Shown { input } = payloads {
        let (output, failure) = instance.outcome.map_or((None, None), |end| (end.result, end.failure_details));
        state.input = input.map(text);
        state.output = output;
        state.custom_status = instance.custom_status.map(text);
        state.failure_details = failure;
    }
    state
}

/// Microsoft's clients do not know what it is to be stalled, and fail when they are told. Such an instance has not
/// ended.
fn status(dialect: Dialect, status: Status) -> OrchestrationStatus {
    match status {
        Status::Stalled if dialect == Dialect::Microsoft => OrchestrationStatus::Running,
        status => status.to_protocol(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use everturn_history::{ExecutionCompletedEvent, TaskFailureDetails};
    use everturn_store::{InstanceKey, Time};

    use super::*;

    fn instance(status: Status) -> Instance {
        Instance {
            key: InstanceKey(1),
            id: "i".into(),
            workflow: "w".to_owned(),
            version: None,
            deployment: None,
            assigned: None,
            execution_id: "e".to_owned(),
            generation: 0,
            status,
            stalled: None,
            stalled_reason: None,
            custom_status: Some("\"half\"".to_owned()),
            outcome: Some(ExecutionCompletedEvent {
                workflow_status: status.to_protocol().into(),
                result: Some(text("1")),
                failure_details: Some(TaskFailureDetails::default()),
            }),
            created_at: Time::from_micros(1_000_000),
            starts_at: Time::from_micros(2_000_000),
            updated_at: Time::from_micros(3_000_000),
            ended_at: None,
            turns: 1,
            events: 1,
            history_bytes: 1,
            wants_turn: false,
            parent: None,
            tags: BTreeMap::new(),
        }
    }

    #[test]
    fn payloads_are_shown_to_who_asks_for_them() {
        let input = Some("7".to_owned());
        let shown = state(Dialect::Dapr, instance(Status::Failed), Payloads::Shown { input });
        assert_eq!((shown.input, shown.output), (Some(text("7")), Some(text("1"))));
        assert!(shown.custom_status.is_some() && shown.failure_details.is_some());

        let omitted = state(Dialect::Dapr, instance(Status::Failed), Payloads::Omitted);
        assert_eq!((omitted.input, omitted.output, omitted.custom_status), (None, None, None));
        assert_eq!(omitted.failure_details, None);
        assert_eq!(omitted.created_timestamp.unwrap().seconds, 1);
        assert_eq!(omitted.last_updated_timestamp.unwrap().seconds, 3);
    }

    #[test]
    fn a_status_that_microsofts_clients_do_not_know_is_shown_as_one_that_they_do() {
        let seen = |dialect| state(dialect, instance(Status::Stalled), Payloads::Omitted).workflow_status();
        assert_eq!(seen(Dialect::Dapr), OrchestrationStatus::Stalled);
        assert_eq!(seen(Dialect::Microsoft), OrchestrationStatus::Running);
    }
}

//! The failures that the host itself gives to workflows. Their types are names that code may compare: they stay.

use std::time::Duration;

use everturn_guest::RunError;
use everturn_history::{Duration as ProtocolDuration, InstanceId};
use everturn_replay::Failure;

use crate::RequestError;

fn failure(error_type: &str, message: String, retriable: bool) -> Failure {
    Failure { error_type: error_type.to_owned(), message, details: None, causes: Vec::new(), retriable }
}

/// From when it was scheduled, an activity attempt took too long.
pub(crate) fn schedule_to_close(activity: &str, limit: Duration) -> Failure {
    let message =
        format!("activity `{activity}` had no answer {limit:?} after it was scheduled; waiting for a worker counts");
    failure("ScheduleToCloseTimeout", message, true)
}

/// From when a worker took it, an activity attempt took too long.
pub(crate) fn start_to_close(activity: &str, limit: Duration) -> Failure {
    failure("StartToCloseTimeout", format!("activity `{activity}` had no answer {limit:?} after it was begun"), true)
}

/// The worker of an activity attempt was silent for too long.
pub(crate) fn heartbeat(activity: &str, limit: Duration) -> Failure {
    failure("HeartbeatTimeout", format!("activity `{activity}` gave no sign of life for {limit:?}"), true)
}

/// An activity gave more than the host takes.
pub(crate) fn result_too_large(activity: &str, size: usize, limit: usize) -> Failure {
    let message = format!(
        "the result of activity `{activity}` has {size} bytes, and the limit is {limit}; \
         keep large data elsewhere and return a reference to it"
    );
    failure(everturn_activity::error_types::RESULT_TOO_LARGE, message, false)
}

/// An activity failed with more words than the host takes.
pub(crate) fn failure_too_large(activity: &str, size: usize, limit: usize) -> Failure {
    let message = format!(
        "the failure of activity `{activity}` has {size} bytes, and the limit is {limit}; \
         keep large data elsewhere and refer to it"
    );
    failure(everturn_activity::error_types::RESULT_TOO_LARGE, message, false)
}

/// The id of a child is in use.
pub(crate) fn instance_exists(id: &str) -> Failure {
    failure("InstanceAlreadyExists", format!("there is an instance `{id}` already: choose another id"), false)
}

/// An update made its guest stop, so it was not accepted.
pub(crate) fn update_stopped_its_guest(error: &RunError) -> Failure {
    failure(
        "UpdateStoppedWorkflow",
        format!("the workflow stopped over the update, which has no effect: {error}"),
        false,
    )
}

/// A workflow that is not deployed was called.
pub(crate) fn unknown_workflow(error: &RequestError) -> Failure {
    failure("UnknownWorkflow", error.to_string(), false)
}

/// A child was terminated.
pub(crate) fn child_terminated(id: &InstanceId) -> Failure {
    failure("ChildTerminated", format!("child `{id}` was terminated"), false)
}

/// A child was deleted before it ended.
pub(crate) fn child_purged(id: &InstanceId) -> Failure {
    failure("ChildPurged", format!("child `{id}` was purged before it ended"), false)
}

/// A duration of the protocol; nothing if it is negative.
pub(crate) fn duration(duration: &ProtocolDuration) -> Duration {
    let seconds = u64::try_from(duration.seconds).unwrap_or(0);
    Duration::new(seconds, u32::try_from(duration.nanos).unwrap_or(0))
}

//! Between the WIT package's types and the core's.

use everturn_replay::{Cause, Failure};

use crate::bindings::everturn::activity::context::ActivityInfo;
use crate::bindings::everturn::workflow::types;
use crate::call::Call;

pub(crate) fn failure(failure: types::Failure) -> Failure {
    let cause =
        |cause: types::Cause| Cause { error_type: cause.error_type, message: cause.message, details: cause.details };
    Failure {
        error_type: failure.error_type,
        message: failure.message,
        details: failure.details,
        causes: failure.causes.into_iter().map(cause).collect(),
        retriable: failure.retriable,
    }
}

pub(crate) fn info(call: &Call) -> ActivityInfo {
    ActivityInfo {
        name: call.activity.clone(),
        instance_id: call.instance_id.to_string(),
        workflow: call.workflow.clone(),
        task_id: call.task_id.get(),
        generation: call.generation,
        task_execution_id: call.task_execution_id.clone(),
        attempt: call.attempt,
        dispatch: call.dispatch,
    }
}

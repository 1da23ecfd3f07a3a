//! Between the WIT package's types and the replay core's. Sizes are checked elsewhere; here only what has no meaning
//! in the core is refused.

use std::time::Duration;

use everturn_history::{ParentClosePolicy, Timestamp};
use everturn_replay as core;

use crate::bindings::everturn::workflow::{context, durable, types};
use crate::fault::GuestFault;

const NANOSECONDS_PER_SECOND: u32 = 1_000_000_000;

pub(crate) fn duration(nanoseconds: Option<u64>) -> Option<Duration> {
    nanoseconds.map(Duration::from_nanos)
}

pub(crate) fn timestamp(instant: types::Instant) -> Result<Timestamp, GuestFault> {
    let nanos = i32::try_from(instant.nanoseconds).ok();
    match nanos.filter(|_| instant.nanoseconds < NANOSECONDS_PER_SECOND) {
        Some(nanos) => Ok(Timestamp { seconds: instant.seconds, nanos }),
        None => Err(GuestFault::InvalidValue {
            what: "time",
            detail: "its nanoseconds are a billion or more; carry them over into the seconds",
        }),
    }
}

pub(crate) fn instant(timestamp: Timestamp) -> types::Instant {
    // History's times are normalised: their nanoseconds are not negative.
    types::Instant { seconds: timestamp.seconds, nanoseconds: u32::try_from(timestamp.nanos).unwrap_or(0) }
}

pub(crate) fn moment(moment: durable::Moment) -> Result<core::Moment, GuestFault> {
    Ok(match moment {
        durable::Moment::After(nanoseconds) => core::Moment::After(Duration::from_nanos(nanoseconds)),
        durable::Moment::At(instant) => core::Moment::At(timestamp(instant)?),
    })
}

pub(crate) fn activity_options(options: durable::ActivityOptions) -> core::ActivityOptions {
    core::ActivityOptions {
        retry: options.retry.map(retry_policy),
        start_to_close: duration(options.start_to_close),
        schedule_to_close: duration(options.schedule_to_close),
        heartbeat: duration(options.heartbeat),
        target_app_id: options.target_app_id,
        version: options.version,
    }
}

pub(crate) fn child_options(options: durable::ChildOptions) -> core::ChildOptions {
    core::ChildOptions {
        instance_id: options.instance_id.map(Into::into),
        retry: options.retry.map(retry_policy),
        target_app_id: options.target_app_id,
        version: options.version,
        parent_close: match options.parent_close {
            durable::ParentClosePolicy::Abandon => ParentClosePolicy::Abandon,
            durable::ParentClosePolicy::Terminate => ParentClosePolicy::Terminate,
        },
    }
}

pub(crate) fn detached_options(options: context::DetachedOptions) -> Result<core::DetachedOptions, GuestFault> {
    Ok(core::DetachedOptions {
        instance_id: options.instance_id.map(Into::into),
        target_app_id: options.target_app_id,
        version: options.version,
        start_at: options.start_at.map(timestamp).transpose()?,
    })
}

pub(crate) fn continue_options(options: context::ContinueOptions) -> core::ContinueOptions {
    core::ContinueOptions { keep_unread_events: options.keep_unread_events, version: options.version }
}

pub(crate) fn failure_to_guest(failure: core::Failure) -> types::Failure {
    let cause = |cause: core::Cause| types::Cause {
        error_type: cause.error_type,
        message: cause.message,
        details: cause.details,
    };
    types::Failure {
        error_type: failure.error_type,
        message: failure.message,
        details: failure.details,
        causes: failure.causes.into_iter().map(cause).collect(),
        retriable: failure.retriable,
    }
}

pub(crate) fn failure_from_guest(failure: types::Failure) -> core::Failure {
    let cause = |cause: types::Cause| core::Cause {
        error_type: cause.error_type,
        message: cause.message,
        details: cause.details,
    };
    core::Failure {
        error_type: failure.error_type,
        message: failure.message,
        details: failure.details,
        causes: failure.causes.into_iter().map(cause).collect(),
        retriable: failure.retriable,
    }
}

pub(crate) fn instance_info(start: &core::Start) -> context::InstanceInfo {
    context::InstanceInfo {
        instance_id: start.instance_id.to_string(),
        workflow: start.workflow.clone(),
        version: start.version.clone(),
        generation: start.generation,
        started_at: instant(start.started_at),
        parent: start.parent.as_ref().map(|parent| context::ParentInfo {
            instance_id: parent.instance_id.to_string(),
            workflow: parent.workflow.clone(),
        }),
        tags: start.tags.iter().map(|(key, value)| (key.clone(), value.clone())).collect(),
    }
}

fn retry_policy(policy: types::RetryPolicy) -> core::RetryPolicy {
    core::RetryPolicy {
        max_attempts: policy.max_attempts,
        first_interval: Duration::from_nanos(policy.first_interval),
        coefficient: policy.coefficient,
        max_interval: duration(policy.max_interval),
        timeout: duration(policy.timeout),
        non_retriable: policy.non_retriable,
    }
}

//! How timers, activities, children and restarts are asked for.

use std::time::Duration;

use everturn_history::{InstanceId, ParentClosePolicy, Timestamp};

use crate::RetryPolicy;

/// When a timer fires.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Moment {
    /// This long after the turn's time.
    After(Duration),
    /// At this time; at once if it is past.
    At(Timestamp),
}

/// How an activity is called.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActivityOptions {
    /// Attempts after a failure. None: one attempt.
    pub retry: Option<RetryPolicy>,
    /// Limit of one attempt, from when a worker takes it.
    pub start_to_close: Option<Duration>,
    /// Limit of one attempt, from when it is scheduled.
    pub schedule_to_close: Option<Duration>,
    /// Longest silence between two heartbeats.
    pub heartbeat: Option<Duration>,
    /// The application whose workers run it.
    pub target_app_id: Option<String>,
    /// The version of the activity.
    pub version: Option<String>,
}

/// How a child workflow is called.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChildOptions {
    /// The child's instance id. None: derived from the parent's.
    pub instance_id: Option<InstanceId>,
    /// Attempts after a failure. None: one attempt.
    pub retry: Option<RetryPolicy>,
    /// The application that runs it.
    pub target_app_id: Option<String>,
    /// The version to start.
    pub version: Option<String>,
    /// What happens to it when the parent ends first.
    pub parent_close: ParentClosePolicy,
}

/// How a workflow that is no child is started.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DetachedOptions {
    /// Its instance id. None: derived from the starter's.
    pub instance_id: Option<InstanceId>,
    /// The application that runs it.
    pub target_app_id: Option<String>,
    /// The version to start.
    pub version: Option<String>,
    /// When it starts. None: at once.
    pub start_at: Option<Timestamp>,
}

/// How a workflow restarts itself.
#[derive(Clone, Debug, PartialEq)]
pub struct ContinueOptions {
    /// Whether events that nobody waited for come along.
    pub keep_unread_events: bool,
    /// The version to go on with. None: the current one.
    pub version: Option<String>,
}

//! Questions to a store: which instances, and how many at a time.

use everturn_history::InstanceId;

use crate::{Instance, InstanceKey, Status, Time};

/// Which instances to list. All that is given must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// One of these. Empty: any.
    pub statuses: Vec<Status>,
    /// Of this workflow.
    pub workflow: Option<String>,
    /// Whose id begins like this.
    pub id_prefix: Option<String>,
    /// Made at this time or later.
    pub created_from: Option<Time>,
    /// Made before this time.
    pub created_before: Option<Time>,
    /// Ended at this time or later.
    pub ended_from: Option<Time>,
    /// Ended before this time.
    pub ended_before: Option<Time>,
    /// Children of the instance that has this id, or had it.
    pub parent: Option<InstanceId>,
    /// Whether remote workers take its turns.
    pub remote: Option<bool>,
}

/// One page of a list, newest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// What is on it.
    pub instances: Vec<Instance>,
    /// Where the next one begins. None: this is the last.
    pub next: Option<InstanceKey>,
}

/// What an instance has open.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpenWork {
    /// Messages that wait for it, the delayed ones included.
    pub messages: u64,
    /// Its activity tasks.
    pub tasks: Vec<crate::Task>,
}

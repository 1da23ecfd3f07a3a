//! Activity tasks: what workers are to do, and who does it at the moment.

use everturn_history::{InstanceId, SequenceId, TaskScheduledEvent};

use crate::{InstanceKey, Time};

/// The store's number of an activity task: later ones have higher numbers, and none is used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskKey(pub i64);

/// Tells one dispatch of a task from every other. Who shows it may answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token(pub [u8; 16]);

/// The right to work on a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// What the worker shows with its answer.
    pub token: Token,
    /// When the right ends by itself. None: with the process that gave it.
    pub until: Option<Time>,
}

/// An activity task to be stored.
#[derive(Clone, Debug, PartialEq)]
pub struct NewTask {
    /// What the workflow calls it by.
    pub task: SequenceId,
    /// What to do.
    pub scheduled: TaskScheduledEvent,
    /// When it was asked for.
    pub at: Time,
    /// Who begins with it as soon as this is on disk: its first dispatch. None: it waits for a worker.
    pub lease: Option<Lease>,
}

/// An activity task.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Its number.
    pub key: TaskKey,
    /// Who asked for it.
    pub instance: InstanceKey,
    /// The id of that instance.
    pub instance_id: InstanceId,
    /// The run of that instance.
    pub execution_id: String,
    /// The workflow of that instance.
    pub workflow: String,
    /// Whether remote workers take the turns of that instance.
    pub remote: bool,
    /// The generation that asked.
    pub generation: u32,
    /// What the workflow calls it by.
    pub task: SequenceId,
    /// What to do.
    pub scheduled: TaskScheduledEvent,
    /// When it was asked for.
    pub at: Time,
    /// How often it was given to a worker.
    pub dispatches: u32,
    /// Who works on it. None: it waits for a worker.
    pub lease: Option<Lease>,
}

/// A task that has its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FinishedTask {
    /// Which.
    pub key: TaskKey,
    /// What the worker showed.
    pub token: Token,
}

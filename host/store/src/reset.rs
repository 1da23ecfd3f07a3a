//! A reset: everything that changes when an open instance goes on from an earlier point of its history.

use everturn_history::{HistoryEvent, SequenceId};

use crate::{DeploymentId, InstanceKey, NewMessage, NewTask, Status, Time};

/// What a reset changes: all of it, or nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Reset {
    /// Which instance. It has a deployment.
    pub instance: InstanceKey,
    /// How many turns it has had, as far as who asks knows. Must be so. It counts as one more.
    pub number: u64,
    /// The deployment that it was assigned to, likewise. Afterwards it is to none.
    pub assigned: Option<DeploymentId>,
    /// Now.
    pub at: Time,
    /// How many events of its history stay. Must be those of whole turns.
    pub kept: u64,
    /// Tells the run from the one before: whom that one called answers to nobody, except for children that stay.
    pub execution_id: String,
    /// What it runs on.
    pub deployment: DeploymentId,
    /// Whether somebody chose that: then it stays there, like one that was started with that version, unless that is where
    /// all others go.
    pub by_hand: bool,
    /// How it stands afterwards. Open, and not stalled.
    pub status: Status,
    /// The status text to show from now on. None: it shows none.
    pub custom_status: Option<String>,
    /// What it asked for in the part that goes: messages and activity tasks of these numbers are deleted.
    pub given_up: Vec<SequenceId>,
    /// What its open children of these numbers hear, those that were made with the policy to be terminated.
    pub close: HistoryEvent,
    /// Messages that come before all that wait already, in this order, with what each is the answer to.
    pub opening: Vec<(HistoryEvent, Option<SequenceId>)>,
    /// What it waits for at present, and may have given up in the part that goes.
    pub awaited: Vec<Awaited>,
}

/// What an instance waits for. If there is neither a message nor an activity task of its number, this is made.
#[derive(Clone, Debug, PartialEq)]
pub struct Awaited {
    /// The number.
    pub number: SequenceId,
    /// An activity task.
    pub task: Option<NewTask>,
    /// A message. Its address is not looked at.
    pub message: Option<NewMessage>,
}

//! Messages: what waits in the inbox for an instance's next turn. A timer is one that becomes visible later.

use everturn_history::{HistoryEvent, InstanceId, SequenceId};

use crate::{InstanceKey, Time};

/// How many bytes of messages are read from an inbox at a time: with the message that reaches it, no more are.
pub const INBOX_BYTES: usize = 16 * 1024 * 1024;

/// The store's number of a message: later ones have higher numbers, and none is used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId(pub i64);

/// To whom a message goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// To the instance whose turn sends it, or to the one that begins with it. Nobody else can send such a message.
    Itself,
    /// To this instance.
    Key(InstanceKey),
    /// To the instance that has this id, and, if that is given, only to this run of it.
    Id {
        /// The id.
        id: InstanceId,
        /// The run. None: whichever there is.
        execution_id: Option<String>,
    },
    /// To the run that waits for the end of this instance, as the store knows it: it changes with a reset.
    ParentOf(InstanceKey),
}

/// When a turn gets to see a message. Turns see messages by time, and those of the same time by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visible {
    /// Before everything that is there: how a new generation begins.
    First,
    /// At once; this is when it arrived.
    Now(Time),
    /// Not before this.
    Later(Time),
}

impl Visible {
    /// The time to sort by.
    pub const fn time(self) -> Time {
        match self {
            Self::First => Time::FIRST,
            Self::Now(time) | Self::Later(time) => time,
        }
    }
}

/// A message to be sent.
#[derive(Clone, Debug, PartialEq)]
pub struct NewMessage {
    /// To whom.
    pub to: Address,
    /// What it says.
    pub event: HistoryEvent,
    /// When it may be seen.
    pub visible: Visible,
    /// What it is the answer to, if it must not come once that is settled otherwise: a timer, or the time limit of an
    /// activity.
    pub task: Option<SequenceId>,
}

/// A message in the inbox.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Its number.
    pub id: MessageId,
    /// To whom.
    pub instance: InstanceKey,
    /// What it says.
    pub event: HistoryEvent,
    /// When it may be seen.
    pub visible_at: Time,
}

//! Instances: what a store keeps of each, and what it takes to make one.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use everturn_history::{
    ExecutionCompletedEvent, HistoryEvent, InstanceId, OrchestrationStatus, ParentClosePolicy, SequenceId,
    StalledReason,
};

use crate::{DeploymentId, EncodedEvents, NewMessage, NewTask, Time, Turn};

/// The store's own number of an instance. It is never used again, also not when the instance's id is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstanceKey(pub i64);

/// How an instance stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// It has not had its first turn.
    Pending,
    /// It goes on.
    Running,
    /// Somebody suspended it.
    Suspended,
    /// Its code cannot go on: it is held, with all its messages, until a person or another version helps.
    Stalled,
    /// It returned a result.
    Completed,
    /// It returned a failure.
    Failed,
    /// Somebody terminated it.
    Terminated,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Pending, Self::Running, Self::Suspended, Self::Stalled, Self::Completed, Self::Failed, Self::Terminated];

    /// Whether nothing happens to it any more.
    pub const fn is_ended(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Terminated)
    }

    /// The same as the protocol has it.
    pub const fn to_protocol(self) -> OrchestrationStatus {
        match self {
            Self::Pending => OrchestrationStatus::Pending,
            Self::Running => OrchestrationStatus::Running,
            Self::Suspended => OrchestrationStatus::Suspended,
            Self::Stalled => OrchestrationStatus::Stalled,
            Self::Completed => OrchestrationStatus::Completed,
            Self::Failed => OrchestrationStatus::Failed,
            Self::Terminated => OrchestrationStatus::Terminated,
        }
    }

    /// From the protocol's. None: an instance that continues as new runs, and nothing is ever cancelled.
    pub const fn from_protocol(status: OrchestrationStatus) -> Option<Self> {
        match status {
            OrchestrationStatus::Pending => Some(Self::Pending),
            OrchestrationStatus::Running => Some(Self::Running),
            OrchestrationStatus::Suspended => Some(Self::Suspended),
            OrchestrationStatus::Stalled => Some(Self::Stalled),
            OrchestrationStatus::Completed => Some(Self::Completed),
            OrchestrationStatus::Failed => Some(Self::Failed),
            OrchestrationStatus::Terminated => Some(Self::Terminated),
            OrchestrationStatus::Canceled | OrchestrationStatus::ContinuedAsNew => None,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Suspended => "suspended",
            Self::Stalled => "stalled",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Terminated => "terminated",
        })
    }
}

/// What a store keeps of an instance, beside its history.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// The store's number of it.
    pub key: InstanceKey,
    /// Its id.
    pub id: InstanceId,
    /// The name of its workflow.
    pub workflow: String,
    /// The version label that was asked for.
    pub version: Option<String>,
    /// What it runs on. None: a remote worker.
    pub deployment: Option<DeploymentId>,
    /// What it moves to at its next turn, because somebody said so.
    pub assigned: Option<DeploymentId>,
    /// Which of the runs under this id; changes with every generation.
    pub execution_id: String,
    /// How often it has continued as new.
    pub generation: u32,
    /// How it stands.
    pub status: Status,
    /// Why it is stalled, in words.
    pub stalled: Option<String>,
    /// The same as the protocol of remote workers has it.
    pub stalled_reason: Option<StalledReason>,
    /// The status text that it shows.
    pub custom_status: Option<String>,
    /// How it ended.
    pub outcome: Option<ExecutionCompletedEvent>,
    /// When it was made.
    pub created_at: Time,
    /// When its start becomes visible.
    pub starts_at: Time,
    /// When it last changed.
    pub updated_at: Time,
    /// When it ended.
    pub ended_at: Option<Time>,
    /// How many turns it has had, over all generations: the number of the next one.
    pub turns: u64,
    /// How many events the history of this generation has.
    pub events: u64,
    /// How many bytes they take.
    pub history_bytes: u64,
    /// Whether a turn is due although no message may come.
    pub wants_turn: bool,
    /// Who waits for its end.
    pub parent: Option<ParentLink>,
    /// Labels.
    pub tags: BTreeMap<String, String>,
}

/// How a child is tied to its parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParentLink {
    /// The parent.
    pub instance: InstanceId,
    /// The parent's run that waits: another one does not.
    pub execution_id: String,
    /// What the parent calls it by.
    pub task: SequenceId,
    /// What happens to the child when the parent ends first.
    pub close: ParentClosePolicy,
}

/// An instance to be made.
#[derive(Clone, Debug, PartialEq)]
pub struct NewInstance {
    /// Its id.
    pub id: InstanceId,
    /// The name of its workflow.
    pub workflow: String,
    /// The version label that was asked for.
    pub version: Option<String>,
    /// What it runs on. None: a remote worker.
    pub deployment: Option<DeploymentId>,
    /// Tells this run from others under the same id.
    pub execution_id: String,
    /// Now.
    pub created_at: Time,
    /// When its first turn may be. After `created_at`: its start is a delayed message.
    pub starts_at: Time,
    /// Who waits for its end.
    pub parent: Option<ParentLink>,
    /// Labels.
    pub tags: BTreeMap<String, String>,
    /// How it begins.
    pub beginning: Beginning,
    /// What to do when the id is in use.
    pub if_exists: IfExists,
}

/// How an instance begins.
#[derive(Clone, Debug, PartialEq)]
pub enum Beginning {
    /// With this first message: its `ExecutionStarted`.
    Start(HistoryEvent),
    /// With its first turn, which was taken before there was anything on disk: the start is in its events. Whose turn it is
    /// and its number are not looked at, and it consumes nothing.
    Turn(Arc<Turn>),
    /// With the history of another, up to some point, and what it was waiting for there.
    History(Box<Past>),
}

/// What an instance that is run again begins with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Past {
    /// The turns that it has had.
    pub turns: Vec<EncodedEvents>,
    /// The activities that are open.
    pub tasks: Vec<NewTask>,
    /// The messages that wait for it: timers, most of all. Their address is not looked at.
    pub messages: Vec<NewMessage>,
    /// The children that it waits for.
    pub children: Vec<NewInstance>,
    /// Whether a turn is due although no message may come.
    pub wants_turn: bool,
}

/// What to do when the id of a new instance is in use.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum IfExists {
    /// Refuse it.
    #[default]
    Fail,
    /// Leave the one that is there, and say so.
    Keep,
    /// Delete the one that is there if it has ended; otherwise refuse.
    ReplaceEnded,
    /// Send this instead; the rest of the turn stands. For what a turn starts: a turn is not undone by an id.
    Tell(Box<NewMessage>),
    /// Delete the one that is there if it has ended; otherwise send this instead.
    ReplaceEndedOrTell(Box<NewMessage>),
    /// Drop it; the rest of the turn stands.
    Drop,
}

/// What became of a start.
#[derive(Clone, Debug, PartialEq)]
pub enum Started {
    /// It was made.
    Made {
        /// The new instance.
        instance: InstanceKey,
        /// The instance whose place it took.
        replaced: Option<InstanceKey>,
    },
    /// There was one, and it stays.
    Kept(InstanceKey),
}

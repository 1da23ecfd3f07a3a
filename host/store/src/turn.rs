//! A turn: everything that one activation of an instance changes, in one piece.

use everturn_history::{ExecutionCompletedEvent, HistoryEvent, SequenceId};

use crate::{
    DeploymentId, EncodedEvents, FinishedTask, InstanceKey, Message, MessageId, NewInstance, NewMessage, NewTask,
    Status, TaskKey, Time,
};

/// What one turn changes: all of it, or nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// Whose turn.
    pub instance: InstanceKey,
    /// Its number. Must be the instance's next: then nobody else had a turn in between.
    pub number: u64,
    /// When it was.
    pub at: Time,
    /// What it adds to history. After a restart: nothing, since history begins anew.
    pub events: EncodedEvents,
    /// The messages that it took. Each must be there.
    pub consumed: Vec<MessageId>,
    /// The activities whose answers it took without a message. Each must be there, with that token.
    pub finished: Vec<FinishedTask>,
    /// What nobody waits for any more, or has its answer: messages and activity tasks of that number are deleted.
    pub settled: Vec<SequenceId>,
    /// Messages to this instance and others. Those to nobody are dropped.
    pub messages: Vec<NewMessage>,
    /// New activity tasks.
    pub tasks: Vec<NewTask>,
    /// New instances: children and others.
    pub instances: Vec<NewInstance>,
    /// How the instance stands afterwards. One that has ended keeps no message and no task. Not stalled: that is
    /// [`Store::hold`](crate::Store::hold).
    pub status: Status,
    /// How it ended. To be given exactly when it has.
    pub outcome: Option<ExecutionCompletedEvent>,
    /// The status text to show from now on. None: unchanged.
    pub custom_status: Option<String>,
    /// Whether another turn is due although no message may come.
    pub wants_turn: bool,
    /// The deployment that the instance was assigned to, as far as the turn knew. Must be what it is assigned to: after the
    /// turn it is to none.
    pub assigned: Option<DeploymentId>,
    /// The deployment that it was taken on, if that is another one: the instance stays there.
    pub moved: Option<DeploymentId>,
    /// Whether it begins a new generation.
    pub restart: Option<Restart>,
    /// What happens to its children that are open.
    pub children: CloseChildren,
}

/// A new generation: the old one's history, timers and activity tasks go; messages that were not consumed stay.
#[derive(Clone, Debug, PartialEq)]
pub struct Restart {
    /// The execution id of the new generation.
    pub execution_id: String,
    /// Its number.
    pub generation: u32,
    /// The version label that it asked for.
    pub version: Option<String>,
    /// What it runs on. None: what the generation before it ran on.
    pub deployment: Option<DeploymentId>,
    /// Its first messages: they come before all that wait already.
    pub opening: Vec<HistoryEvent>,
}

/// What happens to the open children of an instance.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum CloseChildren {
    /// Nothing: it has not ended.
    #[default]
    Keep,
    /// Those that were made with the policy to be terminated get this message.
    ByPolicy(HistoryEvent),
    /// All get this message.
    All(HistoryEvent),
}

/// What a turn led to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Committed {
    /// The messages that are visible at once, by instance in the order in which they are to be seen. Those that become
    /// visible later are not here.
    pub messages: Vec<Message>,
    /// The numbers of the new activity tasks, in the order in which they were given.
    pub tasks: Vec<TaskKey>,
    /// The earliest time at which one of the new delayed messages becomes visible.
    pub next_visible: Option<Time>,
    /// Activity tasks that somebody works on and that were deleted without an answer: that work is for nobody.
    pub abandoned: Vec<TaskKey>,
}

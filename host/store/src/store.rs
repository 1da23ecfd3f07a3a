//! The contract of a store.

use std::sync::Arc;
use std::time::Instant;

use everturn_history::{HistoryEvent, InstanceId, StalledReason};
use futures::future::BoxFuture;

use crate::{
    Activation, Committed, ComponentDigest, Deployment, DeploymentId, Filter, FinishedTask, GateReport, Instance,
    InstanceKey, Lease, Message, NewDeployment, NewInstance, NewMessage, OpenWork, Page, Reset, Route, Started, Status,
    StoreError, Task, TaskKey, Time, Turn, Undone,
};

/// How many reports of gates are kept.
pub const GATE_REPORTS: usize = 200;

/// What a store's methods give: the answer, once it is there.
pub type StoreFuture<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

/// An instance with the history of its generation.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The instance.
    pub instance: Instance,
    /// Its history.
    pub history: Vec<HistoryEvent>,
}

/// Bytes of a history that is read together with others: longer ones are read by themselves.
pub const SHORT_HISTORY_BYTES: u64 = 64 * 1024;

/// What an instance needs for a turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Awoken {
    /// What it may see.
    pub messages: Vec<Message>,
    /// The instance with its history. None: it sees nothing, or its history has more than [`SHORT_HISTORY_BYTES`].
    pub loaded: Option<Loaded>,
}

/// The answer to an activity task, for an instance that has no turn for it now.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Which task, and by whom.
    pub task: FinishedTask,
    /// What the instance is told.
    pub message: NewMessage,
}

/// An instance that cannot go on is held: it keeps its messages and gets no turn until it is released.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hold {
    /// Which.
    pub instance: InstanceKey,
    /// The number of the turn that could not be made. Must be the instance's next.
    pub number: u64,
    /// Why, in words.
    pub reason: String,
    /// The same as the protocol of remote workers has it, where it has it.
    pub kind: Option<StalledReason>,
    /// Now.
    pub at: Time,
}

/// Who has something to do, and when the next one will.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wakeups {
    /// Instances with a turn due, those whose message was visible first come first. Held ones are not among them.
    pub instances: Vec<InstanceKey>,
    /// When the next delayed message becomes visible that is not among these: after the time that was asked for, or not
    /// after it if some were left out.
    pub next: Option<Time>,
}

/// A store: all that must not be lost.
///
/// Each method that writes is one atomic step, and answers once it is on disk. Steps that are asked for at the same time
/// may share the way there, but one that fails does not fail its neighbours. A step whose future is dropped may or may not
/// be made. Reads see every step that was acknowledged before.
pub trait Store: Send + Sync + 'static {
    /// Makes an instance, with its first message.
    ///
    /// Its `Committed` has that message, if it is visible at once. With a past or a first turn, it has the tasks and messages of that.
    /// [`StoreError::Conflict`] if the deployment is not there or is retired.
    fn start(&self, instance: NewInstance) -> StoreFuture<'_, (Started, Committed)>;

    /// Sends a message to an instance that is there and open: otherwise [`StoreError::NotFound`] or
    /// [`StoreError::Ended`]. A store has no clock, so here a message for later counts as delayed whatever its time: who
    /// gives a time that has passed has to ask [`Store::due`] from before it.
    fn send(&self, message: NewMessage) -> StoreFuture<'_, Committed>;

    /// Commits a turn.
    ///
    /// [`StoreError::Conflict`] if the instance had another turn, has ended, is held or is gone, if it was assigned to another
    /// deployment and the turn does not say what became of that, or if a message that it consumed is not there; [`StoreError::StaleToken`] if a task that it took the answer of is not there or has
    /// another token; [`StoreError::AlreadyExists`] if an instance that it begins is not to be dropped for that.
    ///
    /// First it takes (finished, consumed, settled), then a restart clears, then its own changes are made, then new
    /// instances begin, then messages go out, so that a new instance can be told something; at last children are told.
    fn commit(&self, turn: Arc<Turn>) -> StoreFuture<'_, Committed>;

    /// Commits a turn that was taken before its time: makes the step at once, and keeps it when that moment has come, not
    /// before. All that is asked for meanwhile waits as well, so who asks does so no longer before than it takes to make it.
    ///
    /// [`StoreError::Conflict`] also if the instance has a message of that time or an earlier one that the turn did not consume: it
    /// came meanwhile, and comes first.
    fn commit_ahead(&self, turn: Arc<Turn>, moment: Instant) -> StoreFuture<'_, Committed>;

    /// Takes the answer to an activity task without a turn: the task is deleted, and the message is in the inbox.
    /// [`StoreError::StaleToken`] if the task is not there or has another token.
    fn answer(&self, answer: Answer) -> StoreFuture<'_, Committed>;

    /// Gives tasks to workers: those of the given ones that are there. Each counts as one more dispatch. A task that has
    /// a lease loses it to the new one.
    fn lease(&self, leases: Vec<(TaskKey, Lease)>) -> StoreFuture<'_, Vec<Task>>;

    /// Takes tasks back from workers that are lost, if they still have this lease.
    fn release_leases(&self, tasks: Vec<FinishedTask>) -> StoreFuture<'_, ()>;

    /// Holds an instance: its status becomes stalled. One that is held already gets the new reason.
    /// [`StoreError::Conflict`] if it had another turn, has ended or is gone.
    fn hold(&self, hold: Hold) -> StoreFuture<'_, ()>;

    /// Lets an instance that is held go on. Any other instance stays as it is.
    /// Who asks wakes it. Its delayed messages count again: [`Store::due`] says when the next one is.
    fn release(&self, instance: InstanceKey, at: Time) -> StoreFuture<'_, ()>;

    /// An instance that has a deployment is to move to this one at its next turn, and goes on if it is held. Who asks
    /// wakes it. One that has ended or is gone stays as it is. [`StoreError::Conflict`] if the deployment is not there or is retired.
    fn assign(&self, instance: InstanceKey, deployment: DeploymentId, at: Time) -> StoreFuture<'_, ()>;

    /// Lets an open instance go on from an earlier point of its history, and go on if it is held. Its delayed messages count
    /// again: [`Store::due`] says when the next one is.
    ///
    /// [`StoreError::Conflict`] if it had another turn, has ended or is gone, if it was assigned to another deployment, if the
    /// deployment is not there or is retired, or if what is kept is not whole turns.
    ///
    /// First history is cut and what was given up goes, then its own changes are made, then messages come before all others,
    /// then what it waits for is there again. Children that stay are tied to the new run, and the others are told.
    fn reset(&self, reset: Reset) -> StoreFuture<'_, Committed>;

    /// Deletes an instance with all that belongs to it. One that has not ended only if `force` is given, otherwise
    /// [`StoreError::Open`]. One that is not there is gone already, and that is fine.
    fn purge(&self, instance: InstanceKey, force: bool) -> StoreFuture<'_, ()>;

    /// Deletes instances that ended with this status before this time, those that ended first, at most so many; says how
    /// many.
    fn purge_ended(&self, status: Status, before: Time, limit: usize) -> StoreFuture<'_, u64>;

    /// Stores a component. Nothing goes to it yet. [`StoreError::LabelInUse`] if the label stands for another component.
    fn deploy(&self, deployment: NewDeployment) -> StoreFuture<'_, DeploymentId>;

    /// Makes a deployment the active one for every name inside, or puts it on trial for the workflows among them. Trials of
    /// these names end. [`StoreError::Retired`] if it is retired, [`StoreError::Conflict`] if it is not there.
    fn activate(&self, activation: Activation) -> StoreFuture<'_, ()>;

    /// Undoes the last activation that was not undone: the routes are as they were before it, and those open instances of
    /// the deployment that moved to it move back. None: there is none. [`StoreError::Retired`] if they led to a deployment
    /// that is retired.
    fn roll_back(&self) -> StoreFuture<'_, Option<Undone>>;

    /// Retires a deployment: its component goes, unless another deployment has it too. [`StoreError::InstancesLeft`] while
    /// open instances run on it or are to move to it, [`StoreError::Active`] while names lead to it. With `drop_names`, those of
    /// them that no other kept deployment has lead nowhere from now on, and are given.
    fn retire(&self, deployment: DeploymentId, drop_names: bool, at: Time) -> StoreFuture<'_, Vec<String>>;

    /// Keeps what a gate found; the oldest beyond [`GATE_REPORTS`] go.
    fn keep_report(&self, report: GateReport) -> StoreFuture<'_, ()>;

    /// After an opening: no process has a lease any more, so all of them end. Gives everybody who has a turn due.
    fn recover(&self, now: Time) -> StoreFuture<'_, Wakeups>;

    /// Who has a delayed message that became visible after `since` and up to `now`.
    ///
    /// About `limit` of them, at least one: those of one and the same time are not torn apart. If there are more, `next` is
    /// the time of the first that was left out, and not after `now`: ask again from just before it, and nobody is skipped.
    fn due(&self, since: Time, now: Time, limit: usize) -> StoreFuture<'_, Wakeups>;

    /// The instance with this id.
    fn find(&self, id: &InstanceId) -> StoreFuture<'_, Option<Instance>>;

    /// The events of the first turn of an instance's generation; none if it has had no turn.
    fn opening(&self, instance: InstanceKey) -> StoreFuture<'_, Vec<HistoryEvent>>;

    /// An instance with its history.
    fn load(&self, instance: InstanceKey) -> StoreFuture<'_, Option<Loaded>>;

    /// The messages that an instance may see now, in order: at most so many, and no more once they have
    /// [`INBOX_BYTES`](crate::INBOX_BYTES). Only a delayed one is held against the clock: what was visible at once stays so
    /// when the clock goes back. One that is held sees none.
    fn inbox(&self, instance: InstanceKey, now: Time, limit: usize) -> StoreFuture<'_, Vec<Message>>;

    /// What each of these instances needs for a turn: the same messages, and if there are any, the instance itself.
    fn wake(&self, instances: Vec<InstanceKey>, now: Time, limit: usize) -> StoreFuture<'_, Vec<Awoken>>;

    /// What an instance has open.
    fn open_work(&self, instance: InstanceKey) -> StoreFuture<'_, OpenWork>;

    /// Instances, newest first, from the one where the last page said that the next begins; at most so many.
    fn list(&self, filter: Filter, from: Option<InstanceKey>, limit: usize) -> StoreFuture<'_, Page>;

    /// How many instances there are, for every status.
    fn count(&self) -> StoreFuture<'_, Vec<(Status, u64)>>;

    /// When the first of the instances with this status ended.
    fn oldest_ended(&self, status: Status) -> StoreFuture<'_, Option<Time>>;

    /// Tasks that wait for a worker, of one of these activities, longest waiting first; at most so many.
    fn waiting_tasks(&self, activities: Vec<String>, limit: usize) -> StoreFuture<'_, Vec<Task>>;

    /// The activities that tasks wait for, with how many.
    fn waiting_activities(&self) -> StoreFuture<'_, Vec<(String, u64)>>;

    /// The workflows that instances without a deployment have had, also if those are gone.
    fn remote_workflows(&self) -> StoreFuture<'_, Vec<String>>;

    /// All deployments, newest first.
    fn deployments(&self) -> StoreFuture<'_, Vec<Deployment>>;

    /// Where new starts of each workflow go, by name.
    fn routes(&self) -> StoreFuture<'_, Vec<(String, Route)>>;

    /// What gates found of the candidate with this label, or of all, newest first; at most so many.
    fn reports(&self, label: Option<String>, limit: usize) -> StoreFuture<'_, Vec<GateReport>>;

    /// A stored component.
    fn component(&self, digest: ComponentDigest) -> StoreFuture<'_, Arc<[u8]>>;

    /// Finishes what was asked for and closes. Everything after it is [`StoreError::Closed`].
    fn close(&self) -> BoxFuture<'_, ()>;
}

//! The driver of an instance: takes one turn after the other while there is work. There is at most one per instance, so
//! its turns are in order; turns of different instances run in parallel.

use std::sync::Arc;

use everturn_guest::{LiveGuest, RunError};
use everturn_history::{HistoryEvent, StalledReason};
use everturn_replay::UpdateVerdict;
use everturn_store::{Awoken, DeploymentId, INBOX_BYTES, Instance, InstanceKey, Loaded, Message, Status, StoreError};
use prost::Message as _;
use tokio::sync::SemaphorePermit;
use tokio::task::yield_now;

use super::mailroom::{Delivery, Source, Work};
use super::parked::{Code, Parked};
use super::run::{NewTurn, Play, Played};
use super::stage;
use super::{aftermath, plan, trouble, versions};
use crate::host::Host;
use crate::interaction::UpdateReply;
use crate::persist::{commit, read};
use crate::remote::{self, RemotePast};
use crate::{RequestError, failures};

/// The instance has something in its inbox.
pub(crate) fn wake(host: &Arc<Host>, instance: InstanceKey) {
    if host.mailroom.wake(instance) {
        start(host, instance);
    }
}

/// These messages are on disk, and visible.
pub(crate) fn deliver(host: &Arc<Host>, messages: Vec<Message>) {
    for message in messages {
        let instance = message.instance;
        if host.mailroom.deliver(message) {
            start(host, instance);
        }
    }
}

/// Looks what is there for these instances, with one look, and lets those that have something take their turns.
pub(crate) async fn wake_all(host: &Arc<Host>, instances: Vec<InstanceKey>) {
    let (now, limit) = (host.clock.now(), host.options.messages_per_turn);
    let Ok(awoken) = read(host, || host.store.wake(instances.clone(), now, limit)).await else {
        return instances.into_iter().for_each(|instance| wake(host, instance));
    };
    for (instance, Awoken { messages, loaded }) in instances.into_iter().zip(awoken) {
        if may_be_more(&messages, limit) {
            wake(host, instance);
        } else if !messages.is_empty() && host.mailroom.bring(instance, messages) {
            tokio::spawn(drive(Arc::clone(host), instance, loaded.map(Box::new)));
        }
    }
}

/// Whether there may be messages beyond these.
fn may_be_more(messages: &[Message], limit: usize) -> bool {
    let bytes: usize = messages.iter().map(|message| message.event.encoded_len()).sum();
    messages.len() >= limit || bytes >= INBOX_BYTES
}

/// Gives an instance a driver.
pub(crate) fn start(host: &Arc<Host>, instance: InstanceKey) {
    tokio::spawn(drive(Arc::clone(host), instance, None));
}

/// Is the driver of an instance, which must have none. What was loaded of it just now spares its first turn to do so.
/// What is rare is in a box of its own: there are many drivers.
pub(crate) async fn drive(host: Arc<Host>, instance: InstanceKey, mut loaded: Option<Box<Loaded>>) {
    let (mut streak, mut had_turn) = (Streak::default(), false);
    while !host.stopping.has_begun() {
        let Some(mut work) = host.mailroom.take(instance, host.options.messages_per_turn) else {
            remote::excuse(&host, instance);
            return;
        };
        if std::mem::replace(&mut had_turn, true) {
            // What the last turn let go on goes on before this one, which may be long.
            yield_now().await;
        }
        match take_turn(&host, instance, &mut work, loaded.take()).await {
            Ok(()) => streak = Streak::default(),
            Err(trouble) => Box::pin(trouble::handle(&host, instance, trouble, work, &mut streak)).await,
        }
    }
    // What is not on disk was not acknowledged, and workers do it again.
    drop(host.mailroom.dismiss(instance));
}

/// What went wrong in a row.
#[derive(Debug, Default)]
pub(crate) struct Streak {
    /// How often the host could not run the guest.
    pub(crate) cut_off: u32,
    /// How often the instance had changed when the turn was to be written.
    pub(crate) conflicts: u32,
    /// How often remote workers gave the turn back.
    pub(crate) given_back: u32,
    /// Whether it was held, and let go since there was another version to try.
    pub(crate) was_released: bool,
}

/// Why a turn was not made.
pub(crate) enum Trouble {
    /// The instance has ended or is gone: there is nobody to tell.
    Gone,
    /// It is held.
    Held,
    /// The store says so.
    Store(StoreError),
    /// The component that it runs on cannot be had.
    Component(Box<Instance>, RequestError),
    /// Its guest cannot go on.
    Guest(Box<Instance>, RunError),
    /// No remote worker has a place for its turn. It waits for one.
    NoWorker,
    /// A remote worker had the turn and gave no answer.
    TurnLost {
        /// It said so.
        given_back: bool,
    },
    /// Somebody asks for its end while a remote worker has its turn.
    EndAsked(Box<Instance>),
    /// Its turn cannot be given to remote workers, or their code does not fit.
    Stalled(Box<Instance>, Option<StalledReason>, String),
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

async fn take_turn(
    host: &Arc<Host>,
    instance: InstanceKey,
    work: &mut Work,
    loaded: Option<Box<Loaded>>,
) -> Result<(), Trouble> {
    // It is never closed.
    let Ok(room) = host.in_progress.acquire().await else { return Err(StoreError::Closed.into()) };
    let there_is_more = if work.look { look(host, instance, work).await? } else { false };
    let taken = take_messages(host, instance, work, loaded, room).await;
    if there_is_more && taken.is_ok() {
        // The next turn looks again. The driver is this one, so nobody has to be started.
        let _ = host.mailroom.wake(instance);
    }
    taken
}

/// Takes a turn with what there is.
async fn take_messages(
    host: &Arc<Host>,
    instance: InstanceKey,
    work: &mut Work,
    loaded: Option<Box<Loaded>>,
    room: SemaphorePermit<'_>,
) -> Result<(), Trouble> {
    let (mut parked, code, history) = match host.guests.take(instance) {
        Some((parked, code)) => (parked, Some(code), None),
        None => rebuild(host, instance, loaded).await?,
    };
    if work.deliveries.is_empty() && !work.wants_turn && !parked.instance.wants_turn {
        if let Some(code) = code.filter(|_| history.is_none_or(|history| history.is_empty())) {
            host.guests.put(parked, code);
        }
        return Ok(());
    }
    let guest = match code {
        Some(Code::Guest(guest)) => Some(guest),
        Some(Code::Remote(past)) => return Box::pin(remote::take(host, parked, *past, history, work, room)).await,
        None => None,
    };
    let _pressing = host.pressure.add();
    let update = work.deliveries.iter().find_map(|delivery| match &delivery.source {
        Source::Update { id } => Some(id.clone()),
        _ => None,
    });
    if update.as_ref().is_some_and(|id| !host.updates.is_awaited(instance, id)) {
        // Who asked has left, and nothing of it was accepted yet.
        if let Some(guest) = guest {
            host.guests.put(parked, Code::Guest(guest));
        }
        return Ok(());
    }
    let moving = versions::next(host, &parked.instance).await?;
    let (guest, history, changed, moved_to) = match (moving, guest) {
        (Some(moving), _) => (moving.guest, moving.history, moving.changed, Some(moving.to)),
        (None, Some(guest)) => (guest, history.unwrap_or_default(), None, None),
        (None, None) => (own_guest(host, &parked.instance).await?, history.unwrap_or_default(), None, None),
    };
    // What it asks for belongs to where it is then.
    parked.instance.deployment = moved_to.or(parked.instance.deployment);
    let events: Vec<_> = work.deliveries.iter().map(|delivery| delivery.event.clone()).collect();
    let stage = stage::enter(&host.turns, &host.clock).await;
    let at = stage.at;
    let turn = NewTurn { history, changed, messages: events, at };
    let (guest, played) = match stage.play(guest, turn).await {
        Ok((guest, Ok(Play::Played(played)))) => (guest, *played),
        Ok((guest, Ok(nothing))) => {
            // One on another version goes: nothing on disk says that the instance is there.
            if moved_to.is_none() {
                host.guests.put(parked, Code::Guest(guest));
            }
            update.iter().for_each(|id| tell(host, instance, id, &nothing));
            return Ok(());
        }
        Ok((_, Err(error))) => return refuse(host, parked, update.as_deref(), moved_to, error),
        // A panic of ours in there, or the end of the process: the guest is lost, and the turn is made again.
        Err(error) => {
            tracing::error!(%error, "a turn was cut off");
            return Err(Trouble::Store(StoreError::Conflict));
        }
    };
    if let (Some(id), Some(refusal)) = (&update, refusal(&played)) {
        // Nothing of it is written, and its guest goes too: it has seen what history does not have.
        host.updates.reply(instance, id, &refusal);
        return Ok(());
    }
    let status = status(&guest);
    let mut plan = plan(host, &parked.instance, parked.start.as_ref(), &work.deliveries, &played, status, at);
    plan.turn.moved = moved_to;
    let (turn, committed) = commit(host, plan.turn).await?;
    plan.turn = turn;
    host.counters.turns.one();
    if plan.start.is_some() {
        parked.start.clone_from(&plan.start);
    }
    aftermath::of_turn(host, parked, Code::Guest(guest), played, plan, committed, std::mem::take(work));
    Ok(())
}

/// Tells who asked for an update that had no turn.
fn tell(host: &Host, instance: InstanceKey, update: &str, nothing: &Play) {
    match nothing {
        Play::Known(Some(answer)) => host.updates.reply(instance, update, &UpdateReply::Completed(answer.clone())),
        // Whoever asked first waits for the answer, and so does this one.
        Play::Known(None) | Play::Played(_) => {}
        Play::NotTaken => host.updates.reply(instance, update, &UpdateReply::NotTaken),
    }
}

/// The guest could not go on. What an update does to it is the update's matter: nothing of it is on disk. But code that does
/// not fit its history, or was cut off by the clock, is nobody's who asked.
fn refuse(
    host: &Host,
    parked: Parked,
    update: Option<&str>,
    moved_to: Option<DeploymentId>,
    error: RunError,
) -> Result<(), Trouble> {
    match (update, &error) {
        (Some(id), RunError::Guest(fault)) => {
            let reply = if fault.is_deterministic() {
                UpdateReply::Rejected(failures::update_stopped_its_guest(&error))
            } else {
                UpdateReply::NotTaken
            };
            host.updates.reply(parked.instance.key, id, &reply);
            Ok(())
        }
        _ => match moved_to {
            Some(to) => {
                // It fitted, and then the new code stopped. Nothing of that is on disk: the old code makes this turn.
                let id = &parked.instance.id;
                tracing::warn!(instance = %id, %error, "an instance cannot go on on the new version; it stays");
                host.deployments.remember_unfit(&parked.instance, to);
                Err(StoreError::Conflict.into())
            }
            None => Err(Trouble::Guest(Box::new(parked.instance), error)),
        },
    }
}

/// Why an update is not accepted.
fn refusal(played: &Played) -> Option<UpdateReply> {
    match &played.turn.update {
        Some(UpdateVerdict::Accepted) | None => None,
        Some(UpdateVerdict::Rejected(failure)) => Some(UpdateReply::Rejected(failure.clone())),
        Some(UpdateVerdict::Unread) => Some(UpdateReply::NotTaken),
    }
}

/// Reads the inbox: what is there comes before what workers say now. Whether there may be more.
async fn look(host: &Host, instance: InstanceKey, work: &mut Work) -> Result<bool, StoreError> {
    let limit = host.options.messages_per_turn;
    let now = host.clock.now();
    let messages = read(host, || host.store.inbox(instance, now, limit)).await?;
    let there_is_more = may_be_more(&messages, limit);
    host.mailroom.were_read(instance, messages.iter().map(|message| message.id));
    let read = messages.into_iter();
    let read = read.map(|message| Delivery { event: message.event, source: Source::Inbox(message.id) });
    work.deliveries.splice(..0, read);
    Ok(there_is_more)
}

/// Loads an instance, unless it was loaded just now. One that has a component gets its guest later: it may go on on another one,
/// also if its own cannot be had any more.
async fn rebuild(
    host: &Arc<Host>,
    instance: InstanceKey,
    loaded: Option<Box<Loaded>>,
) -> Result<(Parked, Option<Code>, Option<Vec<HistoryEvent>>), Trouble> {
    let loaded = match loaded {
        Some(loaded) => Some(*loaded),
        None => read(host, || host.store.load(instance)).await?,
    };
    let Some(loaded) = loaded.filter(|loaded| !loaded.instance.status.is_ended()) else { return Err(Trouble::Gone) };
    if loaded.instance.status == Status::Stalled {
        return Err(Trouble::Held);
    }
    let is_remote = loaded.instance.deployment.is_none();
    let code = is_remote.then(|| Code::Remote(Box::new(RemotePast::of(&loaded.history))));
    let (parked, history) = Parked::new(loaded);
    Ok((parked, code, Some(history)))
}

/// A guest on the component that an instance is on, which has not seen its history yet.
async fn own_guest(host: &Arc<Host>, instance: &Instance) -> Result<Box<LiveGuest>, Trouble> {
    let Some(deployment) = instance.deployment else { return Err(StoreError::Conflict.into()) };
    match host.deployments.component(host, deployment).await {
        Ok(component) => {
            host.counters.replays.one();
            Ok(Box::new(LiveGuest::new(&component)))
        }
        Err(error) => Err(Trouble::Component(Box::new(instance.clone()), error)),
    }
}

pub(super) fn status(guest: &LiveGuest) -> Status {
    let execution = guest.execution();
    if execution.is_suspended() {
        Status::Suspended
    } else if execution.start().is_none() {
        Status::Pending
    } else {
        Status::Running
    }
}

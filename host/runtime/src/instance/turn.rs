//! One turn: from what there is for an instance to what it leads to, on disk.

use std::sync::Arc;
use std::time::Instant;

use everturn_guest::{LiveGuest, RunError};
use everturn_history::history_event::EventType;
use everturn_history::{HistoryEvent, event};
use everturn_replay::UpdateVerdict;
use everturn_store::{DeploymentId, INBOX_BYTES, Instance, InstanceKey, Loaded, Message, Status, StoreError, Time};
use prost::Message as _;
use tokio::sync::OwnedSemaphorePermit;

use super::driver::Trouble;
use super::mailroom::{Delivery, Source, Work};
use super::parked::{Code, Parked};
use super::plan::{Plan, plan};
use super::run::{self, NewTurn, Play, Played};
use super::{aftermath, stage, versions};
use crate::failures;
use crate::host::Host;
use crate::interaction::UpdateReply;
use crate::persist::{commit, commit_ahead, read};
use crate::pressure::Pressing;
use crate::remote::{self, RemotePast};

/// Where an instance stands before a turn.
pub(super) struct Standing {
    pub(super) parked: Box<Parked>,
    /// Who runs its code. None: a guest that has to be made first, which may be one on another version.
    pub(super) code: Option<Code>,
    /// Its history, if it was just read.
    pub(super) history: Option<Vec<HistoryEvent>>,
}

/// A turn that was played, with what it changes. Nothing of it is on disk.
pub(super) struct Begun {
    parked: Box<Parked>,
    guest: Box<LiveGuest>,
    played: Box<Played>,
    plan: Box<Plan>,
    pressing: Option<Pressing>,
    room: OwnedSemaphorePermit,
}

/// What a turn leaves that is of no more use: a guest, and its room. A guest takes longer to go than many turns.
pub(super) struct Left {
    _code: Option<Code>,
    _room: OwnedSemaphorePermit,
}

impl Begun {
    /// It waits for its time. Meanwhile nobody has to wait for it.
    pub(super) fn set_aside(&mut self) {
        self.pressing = None;
    }

    /// Whether its instance is to move to another version at its next turn.
    pub(super) fn is_to_move(&self, host: &Host) -> bool {
        host.deployments.destination(&self.parked.instance).is_some()
    }

    /// Writes it, and lets out what it caused. With a moment: it is on disk then, and no earlier.
    pub(super) async fn write(
        self,
        host: &Arc<Host>,
        work: &mut Work,
        moment: Option<Instant>,
    ) -> Result<Left, Trouble> {
        let Self { mut parked, guest, played, mut plan, pressing, room } = self;
        let _pressing = pressing.unwrap_or_else(|| host.pressure.add());
        let turn = Arc::new(plan.turn);
        let committed = match moment {
            Some(moment) => commit_ahead(host, &turn, moment).await?,
            None => commit(host, &turn).await?,
        };
        plan.turn = Arc::unwrap_or_clone(turn);
        host.counters.turns.one();
        if plan.start.is_some() {
            parked.start.clone_from(&plan.start);
        }
        let code = aftermath::of_turn(host, parked, Code::Guest(guest), played, plan, committed, std::mem::take(work));
        Ok(Left { _code: code, _room: room })
    }
}

/// Takes a turn with what there is, from its beginning to its end. What was loaded just now need not be loaded again.
pub(super) async fn take(
    host: &Arc<Host>,
    instance: InstanceKey,
    work: &mut Work,
    loaded: Option<Box<Loaded>>,
) -> Result<(), Trouble> {
    // It is never closed.
    let room = Arc::clone(&host.in_progress).acquire_owned().await.map_err(|_| StoreError::Closed)?;
    let there_is_more = if work.look { look(host, instance, work).await? } else { false };
    let standing = match host.guests.take(instance) {
        Some((parked, code)) => Standing { parked, code: Some(code), history: None },
        None => rebuild(host, instance, loaded).await?,
    };
    if let Some(begun) = play(host, standing, work, room, host.clock.now()).await? {
        begun.write(host, work, None).await?;
    }
    if there_is_more {
        // The next turn looks again. Whoever takes turns is the driver, so nobody has to be started.
        let _ = host.mailroom.wake(instance);
    }
    Ok(())
}

/// Plays a turn, which is no earlier than that time. None: it came to nothing, or remote workers took it to its end.
pub(super) async fn play(
    host: &Arc<Host>,
    standing: Standing,
    work: &mut Work,
    room: OwnedSemaphorePermit,
    not_before: Time,
) -> Result<Option<Begun>, Trouble> {
    let Standing { mut parked, code, history } = standing;
    let instance = parked.instance.key;
    if work.deliveries.is_empty() && !work.wants_turn && !parked.instance.wants_turn {
        if let Some(code) = code.filter(|_| history.is_none_or(|history| history.is_empty())) {
            host.guests.put(parked, code);
        }
        return Ok(None);
    }
    let guest = match code {
        Some(Code::Guest(guest)) => Some(guest),
        Some(Code::Remote(past)) => {
            return Box::pin(remote::take(host, parked, *past, history, work, room)).await.map(|()| None);
        }
        None => None,
    };
    let pressing = host.pressure.add();
    let update = work.deliveries.iter().find_map(|delivery| match &delivery.source {
        Source::Update { id } => Some(id.clone()),
        _ => None,
    });
    if update.as_ref().is_some_and(|id| !host.updates.is_awaited(instance, id)) {
        // Who asked has left, and nothing of it was accepted yet.
        if let Some(guest) = guest {
            host.guests.put(parked, Code::Guest(guest));
        }
        return Ok(None);
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
    let at = stage.at.max(not_before);
    let moved = changed.map(|changed| event::event(at.to_timestamp(), EventType::VersionChanged(Box::new(changed))));
    let turn = NewTurn { history, moved: moved.clone(), messages: events, at };
    match stage.play(guest, turn).await {
        Ok((mut guest, Ok(Play::Played))) => {
            let played = run::close(&mut guest, moved, at);
            if let (Some(id), Some(refusal)) = (&update, refusal(&played)) {
                // Nothing of it is written, and its guest goes too: it has seen what history does not have.
                host.updates.reply(instance, id, &refusal);
                return Ok(None);
            }
            let (start, status) = (parked.start.as_ref(), status(&guest));
            let mut plan = plan(host, &parked.instance, start, &work.deliveries, &played, status, at);
            plan.turn.moved = moved_to;
            Ok(Some(Begun { parked, guest, played, plan, pressing: Some(pressing), room }))
        }
        Ok((guest, Ok(nothing))) => {
            // One on another version goes: nothing on disk says that the instance is there.
            if moved_to.is_none() {
                host.guests.put(parked, Code::Guest(guest));
            }
            update.iter().for_each(|id| tell(host, instance, id, &nothing));
            Ok(None)
        }
        Ok((_, Err(error))) => refuse(host, parked, update.as_deref(), moved_to, error).map(|()| None),
        // A panic of ours in there, or the end of the process: the guest is lost, and the turn is made again.
        Err(error) => {
            tracing::error!(%error, "a turn was cut off");
            Err(Trouble::Store(StoreError::Conflict))
        }
    }
}

/// Tells who asked for an update that had no turn.
fn tell(host: &Host, instance: InstanceKey, update: &str, nothing: &Play) {
    match nothing {
        Play::Known(Some(answer)) => host.updates.reply(instance, update, &UpdateReply::Completed(answer.clone())),
        // Whoever asked first waits for the answer, and so does this one.
        Play::Known(None) | Play::Played => {}
        Play::NotTaken => host.updates.reply(instance, update, &UpdateReply::NotTaken),
    }
}

/// The guest could not go on. What an update does to it is the update's matter: nothing of it is on disk. But code that does
/// not fit its history, or was cut off by the clock, is nobody's who asked.
fn refuse(
    host: &Host,
    parked: Box<Parked>,
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
async fn rebuild(host: &Arc<Host>, instance: InstanceKey, loaded: Option<Box<Loaded>>) -> Result<Standing, Trouble> {
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
    Ok(Standing { parked, code, history: Some(history) })
}

/// A guest on the component that an instance is on, which has not seen its history yet.
pub(super) async fn own_guest(host: &Arc<Host>, instance: &Instance) -> Result<Box<LiveGuest>, Trouble> {
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

/// Whether there may be messages beyond these.
pub(super) fn may_be_more(messages: &[Message], limit: usize) -> bool {
    let bytes: usize = messages.iter().map(|message| message.event.encoded_len()).sum();
    messages.len() >= limit || bytes >= INBOX_BYTES
}

//! The driver of an instance: takes one turn after the other while there is work. There is at most one per instance, so
//! its turns are in order; turns of different instances run in parallel.

use std::sync::Arc;

use everturn_guest::{LiveGuest, RunError};
use everturn_history::HistoryEvent;
use everturn_store::{INBOX_BYTES, Instance, InstanceKey, Message, Status, StoreError, Time};
use prost::Message as _;

use super::mailroom::{Delivery, Source, Work};
use super::parked::Parked;
use super::run::{self, Played};
use super::{aftermath, plan, trouble};
use crate::RequestError;
use crate::host::Host;
use crate::persist::{persist, read};

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

/// Gives an instance a driver.
pub(crate) fn start(host: &Arc<Host>, instance: InstanceKey) {
    tokio::spawn(drive(Arc::clone(host), instance));
}

async fn drive(host: Arc<Host>, instance: InstanceKey) {
    let mut streak = Streak::default();
    while !host.stopping.has_begun() {
        let Some(mut work) = host.mailroom.take(instance, host.options.messages_per_turn) else { return };
        // The semaphores are never closed.
        let Ok(permit) = host.in_progress.acquire().await else { return };
        let result = take_turn(&host, instance, &mut work).await;
        drop(permit);
        match result {
            Ok(()) => streak = Streak::default(),
            Err(trouble) => trouble::handle(&host, instance, trouble, work, &mut streak).await,
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
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

async fn take_turn(host: &Arc<Host>, instance: InstanceKey, work: &mut Work) -> Result<(), Trouble> {
    if work.look {
        look(host, instance, work).await?;
    }
    let (parked, history) = match host.guests.take(instance) {
        Some(parked) => (parked, Vec::new()),
        None => rebuild(host, instance).await?,
    };
    if work.deliveries.is_empty() && !work.wants_turn && !parked.instance.wants_turn {
        if history.is_empty() {
            host.guests.put(parked);
        }
        return Ok(());
    }
    let at = host.clock.now();
    let events: Vec<_> = work.deliveries.iter().map(|delivery| delivery.event.clone()).collect();
    let (mut parked, played) = play(host, parked, history, events, at).await?;
    let status = status(&parked);
    let plan = plan::plan(host, &parked.instance, parked.start.as_ref(), &work.deliveries, &played, status, at);
    let committed = persist(host, || host.store.commit(plan.turn.clone())).await?;
    host.counters.turns.one();
    if plan.start.is_some() {
        parked.start.clone_from(&plan.start);
    }
    aftermath::of_turn(host, parked, played, plan, committed, std::mem::take(work));
    Ok(())
}

/// Reads the inbox: what is there comes before what workers say now.
async fn look(host: &Host, instance: InstanceKey, work: &mut Work) -> Result<(), StoreError> {
    let limit = host.options.messages_per_turn;
    let now = host.clock.now();
    let messages = read(host, || host.store.inbox(instance, now, limit)).await?;
    let bytes: usize = messages.iter().map(|message| message.event.encoded_len()).sum();
    if messages.len() >= limit || bytes >= INBOX_BYTES {
        // There may be more: the next turn looks again. The driver is this one, so nobody has to be started.
        let _ = host.mailroom.wake(instance);
    }
    host.mailroom.were_read(instance, messages.iter().map(|message| message.id));
    let read = messages.into_iter();
    let read = read.map(|message| Delivery { event: message.event, source: Source::Inbox(message.id) });
    work.deliveries.splice(..0, read);
    Ok(())
}

/// Loads an instance and gives it a guest that has not seen its history yet.
async fn rebuild(host: &Arc<Host>, instance: InstanceKey) -> Result<(Parked, Vec<HistoryEvent>), Trouble> {
    let loaded = read(host, || host.store.load(instance)).await?;
    let Some(loaded) = loaded.filter(|loaded| !loaded.instance.status.is_ended()) else { return Err(Trouble::Gone) };
    if loaded.instance.status == Status::Stalled {
        return Err(Trouble::Held);
    }
    host.counters.replays.one();
    match host.deployments.component(host, loaded.instance.deployment).await {
        Ok(component) => {
            let guest = LiveGuest::new(&component);
            Ok(Parked::new(loaded, guest))
        }
        Err(error) => Err(Trouble::Component(Box::new(loaded.instance), error)),
    }
}

/// Runs the guest where it may take its time.
async fn play(
    host: &Host,
    mut parked: Parked,
    history: Vec<HistoryEvent>,
    events: Vec<HistoryEvent>,
    at: Time,
) -> Result<(Parked, Played), Trouble> {
    let permit = host.turns.acquire().await;
    let playing = tokio::task::spawn_blocking(move || {
        let played = run::play(&mut parked.guest, history, &events, at);
        (parked, played)
    });
    let played = playing.await;
    drop(permit);
    match played {
        Ok((parked, Ok(played))) => Ok((parked, played)),
        Ok((parked, Err(error))) => Err(Trouble::Guest(Box::new(parked.instance), error)),
        // A panic of ours in there, or the end of the process: the guest is lost, and the turn is made again.
        Err(error) => {
            tracing::error!(%error, "a turn was cut off");
            Err(Trouble::Store(StoreError::Conflict))
        }
    }
}

fn status(parked: &Parked) -> Status {
    let execution = parked.guest.execution();
    if execution.is_suspended() {
        Status::Suspended
    } else if execution.start().is_none() {
        Status::Pending
    } else {
        Status::Running
    }
}

//! One turn of a remote instance: from its messages, by way of a worker, to the commit.

use std::sync::Arc;

use everturn_history::history_event::EventType;
use everturn_history::{HistoryEvent, event};
use everturn_store::{Status, StoreError, Time};
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::answer::Times;
use super::desk::{Reply, Wanted};
use super::orchestrator::{TurnAnswer, TurnTask};
use super::{Place, RemotePast, answer, propagation};
use crate::host::Host;
use crate::identity;
use crate::instance::mailroom::Work;
use crate::instance::{self, Code, Parked, Played, Trouble};
use crate::persist::{self, read};

/// Where the worker hears that its answer is on disk.
type Heard = oneshot::Sender<Result<(), StoreError>>;

/// What a worker said, and which.
struct Answered {
    answer: TurnAnswer,
    heard: Heard,
    place: Place,
}

/// Takes a turn. `history` is the whole past, if it was just read; `room` is given back while a worker has the turn.
pub(crate) async fn take(
    host: &Arc<Host>,
    parked: Box<Parked>,
    mut past: RemotePast,
    history: Option<Vec<HistoryEvent>>,
    work: &mut Work,
    room: OwnedSemaphorePermit,
) -> Result<(), Trouble> {
    let at = host.clock.now();
    let events = || work.deliveries.iter().map(|delivery| &delivery.event);
    if let Some(termination) = events().find(|event| is_termination(event)).cloned() {
        // Its end needs no code, so it needs no worker.
        instance::terminate(host, parked.instance, &termination, std::mem::take(work)).await;
        return Ok(());
    }
    if parked.start.is_some() && !work.deliveries.is_empty() && events().all(is_suspension) {
        // Nor does this: the worker finds it in the past when it goes on.
        let played = Box::new(Played::nothing(at));
        past.tail.extend(appended(&played, work));
        return commit(host, parked, past, played, work, at).await;
    }
    let answered = match ask(host, &parked, &past, history, work, room, at).await {
        Err(Trouble::NoWorker) => {
            host.guests.put(parked, Code::Remote(Box::new(past)));
            return Err(Trouble::NoWorker);
        }
        answered => answered?,
    };
    let Answered { answer, heard, place } = answered;
    let begun = events().find_map(instance::start_of);
    // The worker took its time: what it sends is sent now, and sorts after what came meanwhile.
    let times = Times { begun: at, ended: host.clock.now() };
    let played = match answer::read(&parked.instance, begun.as_ref().or(parked.start.as_ref()), &past, answer, times) {
        Ok(played) => Box::new(played),
        Err(stall) => {
            host.remote.lock().forget(place.worker, parked.instance.key);
            instance::hold(host, parked.instance, stall.reason, Some(stall.kind), std::mem::take(work)).await;
            let _ = heard.send(Ok(()));
            if host.remote.lock().arrivals() > place.arrivals {
                // Who came while this one had the turn may have the right code, and nobody looked for it since.
                host.remote.arrived.notify_one();
            }
            return Ok(());
        }
    };
    past.worker = Some(place.worker);
    past.before = parked.instance.events;
    past.tail = if keeps(host, &parked, &place) { appended(&played, work) } else { Vec::new() };
    drop(place);
    let result = commit(host, parked, past, played, work, times.ended).await;
    let _ = heard.send(match &result {
        Ok(()) => Ok(()),
        Err(Trouble::Store(error)) => Err(error.clone()),
        Err(_) => Err(StoreError::Conflict),
    });
    result
}

fn is_termination(event: &HistoryEvent) -> bool {
    matches!(event.event_type, Some(EventType::ExecutionTerminated(_)))
}

fn is_suspension(event: &HistoryEvent) -> bool {
    matches!(event.event_type, Some(EventType::ExecutionSuspended(_)))
}

/// What the turn adds to history, in order.
fn appended(played: &Played, work: &Work) -> Vec<HistoryEvent> {
    let taken = work.deliveries.iter().map(|delivery| &delivery.event);
    std::iter::once(&played.begun).chain(taken).chain(&played.recorded).cloned().collect()
}

fn keeps(host: &Host, parked: &Parked, place: &Place) -> bool {
    let instance = &parked.instance;
    host.remote.lock().known(place.worker, instance.key, &instance.execution_id).is_some()
}

/// Gives the turn to a worker, and waits for what becomes of it.
async fn ask(
    host: &Arc<Host>,
    parked: &Parked,
    past: &RemotePast,
    history: Option<Vec<HistoryEvent>>,
    work: &Work,
    room: OwnedSemaphorePermit,
    at: Time,
) -> Result<Answered, Trouble> {
    let instance = &parked.instance;
    let wanted = Wanted::new(&instance.workflow, instance.version.as_deref());
    let Some(place) = reserve(host, &wanted, parked, past, work.look) else { return Err(Trouble::NoWorker) };
    let (known, sent) = match host.remote.lock().known(place.worker, instance.key, &instance.execution_id) {
        Some(known) if known == past.before && past.worker == Some(place.worker) => (known, Some(past.tail.clone())),
        _ => (0, history),
    };
    let sent = match sent {
        Some(sent) => sent,
        None => reread(host, parked).await?,
    };
    let token = identity::token();
    let begin = event::turn_started(at.to_timestamp(), Vec::new());
    let new = std::iter::once(begin).chain(work.deliveries.iter().map(|delivery| delivery.event.clone()));
    let new: Vec<_> = new.collect();
    let told = new.iter().find_map(propagation::told).or_else(|| past.propagated.as_deref().cloned());
    let task = TurnTask {
        token,
        instance_id: instance.id.clone(),
        execution_id: instance.execution_id.clone(),
        workflow: instance.workflow.clone(),
        known,
        past: sent,
        new,
        propagated: told,
    };
    let (reply, replied) = oneshot::channel();
    if !host.remote.lock().begin(place.worker, instance.key, task, instance.events, reply) {
        return Err(Trouble::TurnLost { given_back: false });
    }
    // The worker may take its time, and many workers may have many turns: they are not counted as work of this process.
    drop(room);
    let reply = tokio::select! {
        // An answer that is there counts, whatever else is.
        biased;
        reply = replied => reply.ok(),
        () = tokio::time::sleep(host.options.lease) => None,
        () = host.mailroom.end_asked(instance.key) => {
            // Its end needs no answer.
            host.remote.lock().remove(token);
            return Err(Trouble::EndAsked(Box::new(instance.clone())));
        }
        () = host.stopping.begun() => return Err(StoreError::Closed.into()),
    };
    // Its time may have run out: an answer from now on is late.
    host.remote.lock().remove(token);
    match reply {
        Some(Reply::Answer(answer, heard)) => Ok(Answered { answer, heard, place }),
        Some(Reply::Hold(kind, reason)) => Err(Trouble::Stalled(Box::new(instance.clone()), kind, reason)),
        Some(Reply::Abandoned) => Err(Trouble::TurnLost { given_back: true }),
        None => {
            host.counters.lost_leases.one();
            Err(Trouble::TurnLost { given_back: false })
        }
    }
}

fn reserve(host: &Arc<Host>, wanted: &Wanted, parked: &Parked, past: &RemotePast, has_looked: bool) -> Option<Place> {
    let mut desk = host.remote.lock();
    let worker = desk.reserve(wanted, parked.instance.key, past.worker, has_looked);
    let is_news = worker.is_none() && desk.complain(wanted);
    let arrivals = desk.arrivals();
    drop(desk);
    if is_news {
        tracing::warn!(
            workflow = wanted.workflow,
            "no worker is connected for a workflow that was started; its instances wait for one"
        );
    }
    worker.map(|worker| Place { host: Arc::clone(host), worker, arrivals })
}

async fn reread(host: &Host, parked: &Parked) -> Result<Vec<HistoryEvent>, Trouble> {
    let loaded = read(host, || host.store.load(parked.instance.key)).await?.ok_or(Trouble::Gone)?;
    let is_same = loaded.instance.turns == parked.instance.turns;
    if is_same { Ok(loaded.history) } else { Err(StoreError::Conflict.into()) }
}

/// Writes the turn, and lets out what it caused.
async fn commit(
    host: &Arc<Host>,
    mut parked: Box<Parked>,
    mut past: RemotePast,
    played: Box<Played>,
    work: &mut Work,
    at: Time,
) -> Result<(), Trouble> {
    past.note(&played.begun);
    work.deliveries.iter().for_each(|delivery| past.note(&delivery.event));
    let status = if past.suspended { Status::Suspended } else { Status::Running };
    let mut plan = instance::plan(host, &parked.instance, parked.start.as_ref(), &work.deliveries, &played, status, at);
    if let Some(restart) = plan.turn.restart.as_mut().filter(|_| past.suspended) {
        // Who was suspended while restarting is suspended when it starts.
        restart.opening.push(event::suspended(at.to_timestamp()));
    }
    if propagation::is_asked_for(&played) {
        let mut history = reread(host, &parked).await?;
        history.extend(appended(&played, work));
        propagation::tell_children(&mut plan.turn, &parked.instance, &history, past.propagated.as_deref());
    }
    let turn = Arc::new(plan.turn);
    let committed = persist::commit(host, &turn).await?;
    plan.turn = Arc::unwrap_or_clone(turn);
    host.counters.turns.one();
    if plan.start.is_some() {
        parked.start.clone_from(&plan.start);
    }
    instance::of_turn(host, parked, Code::Remote(Box::new(past)), played, plan, committed, std::mem::take(work));
    Ok(())
}

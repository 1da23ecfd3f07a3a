//! What is done when a turn could not be made. Nothing is lost by it: messages stay in the inbox, answers of workers go
//! there, and the instance is tried again, held until somebody helps, or left alone because it is gone.

use std::sync::Arc;
use std::time::Duration;

use everturn_guest::{GuestFault, RunError};
use everturn_history::history_event::EventType;
use everturn_history::{ExecutionCompletedEvent, HistoryEvent, OrchestrationStatus, StalledReason, event};
use everturn_store::{
    Address, Answer, EncodedEvents, Hold, Instance, InstanceKey, NewMessage, Status, StoreError, Visible,
};

use super::driver::{Streak, Trouble};
use super::mailroom::{Source, Work};
use super::{aftermath, end, plan};
use crate::RequestError;
use crate::host::Host;
use crate::interaction::UpdateReply;
use crate::persist::{commit, persist, read};
use crate::watch::Change;

/// A guest that the host could not run so often in a row is held.
const MOST_CUT_OFF: u32 = 10;
/// The first pause before it is tried again. Doubles.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// Messages that are looked through for a termination.
const LOOKED_THROUGH: usize = 100_000;

/// Does what is to be done about it. `streak` counts what went wrong in a row.
pub(super) async fn handle(host: &Arc<Host>, instance: InstanceKey, trouble: Trouble, work: Work, streak: &mut Streak) {
    match trouble {
        Trouble::Gone => tell_stale(host, instance, work),
        // What it has to do is on disk, and it is called when a worker has a place for it.
        Trouble::Held | Trouble::NoWorker => drop(keep_answers(host, instance, work).await),
        Trouble::TurnLost { given_back } => {
            let work = keep_answers(host, instance, work).await;
            host.mailroom.put_back(instance, work);
            // A worker that is lost is replaced; one that gives a turn back would do so again.
            if given_back {
                let pause = pause_after(streak.given_back);
                streak.given_back += 1;
                tokio::select! {
                    _ = host.stopping.pause(pause) => {}
                    // Its end need not wait.
                    () = host.mailroom.end_asked(instance) => {}
                }
            }
        }
        Trouble::EndAsked(loaded) => {
            // It may lie far behind what the turn took.
            host.mailroom.was_ended(instance);
            match termination(host, instance, &work).await {
                Some(termination) => terminate(host, *loaded, &termination, work).await,
                None => host.mailroom.put_back(instance, work),
            }
        }
        Trouble::Stalled(loaded, kind, reason) => hold(host, *loaded, reason, kind, work).await,
        Trouble::Store(StoreError::Conflict) => {
            host.counters.conflicts.one();
            host.mailroom.put_back(instance, work);
            streak.conflicts += 1;
            // The second try knows what the first did not. If that does not help, something else is wrong.
            if streak.conflicts > 1 {
                host.stopping.pause(pause_after(streak.conflicts - 2)).await;
            }
        }
        Trouble::Store(StoreError::StaleToken { task }) => {
            let (stale, rest) = work.deliveries.into_iter().partition(
                |delivery| matches!(&delivery.source, Source::Worker { task: finished, .. } if finished.key == task),
            );
            tell_stale(host, instance, Work { deliveries: stale, ..Work::default() });
            host.mailroom.put_back(instance, Work { deliveries: rest, ..work });
        }
        Trouble::Store(error) => storage(host, instance, error, work).await,
        Trouble::Component(loaded, RequestError::Store(error)) if error.is_temporary() => {
            drop(loaded);
            storage(host, instance, error, work).await;
        }
        Trouble::Component(loaded, RequestError::Component(error))
            if !error.is_deterministic() && may_try_again(host, instance, &work, streak).await =>
        {
            let pause = streak.once_more();
            tracing::warn!(instance = %loaded.id, %error, again_in = ?pause, "a component is not there; it is loaded again");
            try_again(host, instance, work, pause).await;
        }
        Trouble::Component(loaded, error) => cannot_go_on(host, *loaded, error.to_string(), work, streak).await,
        Trouble::Guest(loaded, RunError::Guest(fault @ GuestFault::NoRoom { .. })) => {
            // Others have the room, and go on without it.
            host.guests.clear();
            tracing::warn!(instance = %loaded.id, %fault, again_in = ?FIRST_PAUSE, "a turn waits for room");
            try_again(host, instance, work, FIRST_PAUSE).await;
        }
        Trouble::Guest(loaded, RunError::Guest(fault))
            if !fault.is_deterministic() && may_try_again(host, instance, &work, streak).await =>
        {
            let pause = streak.once_more();
            tracing::warn!(instance = %loaded.id, %fault, again_in = ?pause, "a turn was cut off; it is made again");
            try_again(host, instance, work, pause).await;
        }
        Trouble::Guest(loaded, error) => cannot_go_on(host, *loaded, error.to_string(), work, streak).await,
    }
}

/// Whether what the host could not do is to be tried once more.
async fn may_try_again(host: &Host, instance: InstanceKey, work: &Work, streak: &Streak) -> bool {
    streak.cut_off < MOST_CUT_OFF && termination(host, instance, work).await.is_none()
}

async fn try_again(host: &Arc<Host>, instance: InstanceKey, work: Work, pause: Duration) {
    let work = keep_answers(host, instance, work).await;
    host.mailroom.put_back(instance, work);
    host.stopping.pause(pause).await;
}

impl Streak {
    /// Once more. Gives the pause before the next try.
    fn once_more(&mut self) -> Duration {
        self.cut_off += 1;
        pause_after(self.cut_off - 1)
    }
}

/// Whether somebody asked for its end: with what the turn took, or behind that in the inbox.
async fn termination(host: &Host, instance: InstanceKey, work: &Work) -> Option<HistoryEvent> {
    let asks = |event: &&HistoryEvent| matches!(event.event_type, Some(EventType::ExecutionTerminated(_)));
    if let Some(taken) = work.deliveries.iter().map(|delivery| &delivery.event).find(asks) {
        return Some(taken.clone());
    }
    let now = host.clock.now();
    let inbox = read(host, || host.store.inbox(instance, now, LOOKED_THROUGH)).await.ok()?;
    inbox.iter().map(|message| &message.event).find(asks).cloned()
}

/// The pause after so many tries before.
fn pause_after(tries: u32) -> Duration {
    FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(tries)).min(LONGEST_PAUSE)
}

/// There is nobody to answer to.
fn tell_stale(host: &Host, instance: InstanceKey, work: Work) {
    for delivery in work.deliveries {
        match delivery.source {
            Source::Worker { task, heard } => {
                host.counters.stale_answers.one();
                let _ = heard.send(Err(StoreError::StaleToken { task: task.key }));
            }
            Source::Update { id } => host.updates.reply(instance, &id, &UpdateReply::Over),
            Source::Inbox(_) | Source::Start => {}
        }
    }
}

/// Puts the answers of workers into the inbox, where the rest is already, and tells the workers. Gives what is left.
async fn keep_answers(host: &Arc<Host>, instance: InstanceKey, work: Work) -> Work {
    let mut left = Vec::new();
    for delivery in work.deliveries {
        let (task, heard) = match delivery.source {
            Source::Worker { task, heard } => (task, heard),
            Source::Update { id } => {
                // It is nowhere but here, and its caller can ask again.
                host.updates.reply(instance, &id, &UpdateReply::NotTaken);
                continue;
            }
            Source::Inbox(_) | Source::Start => {
                left.push(delivery);
                continue;
            }
        };
        let number = plan::answered_task(&delivery.event);
        let message = NewMessage {
            to: Address::Key(instance),
            event: delivery.event,
            visible: Visible::Now(host.clock.now()),
            task: number,
        };
        let answer = Answer { task, message };
        let kept = persist(host, || host.store.answer(answer.clone())).await;
        match &kept {
            Ok(_) => host.counters.answers.one(),
            Err(_) => host.counters.stale_answers.one(),
        }
        let _ = heard.send(kept.map(|committed| aftermath::follow_up(host, committed)));
    }
    Work { deliveries: left, ..work }
}

/// The store cannot give what is needed: the host stops, or something is damaged.
async fn storage(host: &Arc<Host>, instance: InstanceKey, error: StoreError, work: Work) {
    if host.stopping.has_begun() || matches!(error, StoreError::Closed) {
        // What was not acknowledged is done again after the start.
        drop(host.mailroom.dismiss(instance));
        return;
    }
    tracing::error!(instance = instance.0, %error, "an instance cannot be read or written");
    drop(keep_answers(host, instance, work).await);
    if let Ok(Some(loaded)) = read(host, || host.store.load(instance)).await {
        hold_or_end(host, loaded.instance, error.to_string(), Work::default()).await;
    }
}

/// Holds or ends an instance whose component or guest is of no use to it. A version that came while the turn was made has
/// found nobody held: then it is tried there, once.
async fn cannot_go_on(host: &Arc<Host>, instance: Instance, reason: String, work: Work, streak: &mut Streak) {
    hold_or_end(host, instance.clone(), reason, work).await;
    if !streak.was_released && host.deployments.destination(&instance).is_some() {
        streak.was_released = true;
        let released = release(host, instance.key).await;
        let _ = released.inspect_err(|error| tracing::warn!(instance = %instance.id, %error, "it stays held"));
    }
}

/// Holds an instance that cannot go on; or ends it, if that is what somebody asked for.
async fn hold_or_end(host: &Arc<Host>, instance: Instance, reason: String, work: Work) {
    match termination(host, instance.key, &work).await {
        Some(termination) => {
            // An answer that turns out to be late must not keep the instance from its end.
            let work = keep_answers(host, instance.key, work).await;
            terminate(host, instance, &termination, work).await;
        }
        None => hold(host, instance, reason, None, work).await,
    }
}

/// Holds an instance: it keeps its messages, and gets no turn until it is released.
pub(crate) async fn hold(
    host: &Arc<Host>,
    instance: Instance,
    reason: String,
    kind: Option<StalledReason>,
    work: Work,
) {
    drop(keep_answers(host, instance.key, work).await);
    let hold = Hold { instance: instance.key, number: instance.turns, reason, kind, at: host.clock.now() };
    match persist(host, || host.store.hold(hold.clone())).await {
        // Somebody ended it meanwhile, and had not seen that it was held.
        Ok(()) if host.mailroom.was_ended(instance.key) => {
            let released = persist(host, || host.store.release(instance.key, host.clock.now())).await;
            let _ = released.map(|()| host.mailroom.wake(instance.key));
        }
        Ok(()) => {
            host.counters.held.one();
            tracing::error!(
                instance = %instance.id, workflow = %instance.workflow, reason = %hold.reason,
                "an instance is held: it keeps its messages and goes on when it is resumed, or can be terminated"
            );
            host.watchers.changed(
                Change {
                    id: instance.id,
                    status: Status::Stalled,
                    events: instance.events,
                    generation: instance.generation,
                },
                None,
            );
        }
        // Somebody else changed it: its messages are looked at again.
        Err(StoreError::Conflict) => {
            let _ = host.mailroom.wake(instance.key);
        }
        Err(error) => tracing::error!(instance = %instance.id, %error, "an instance could not be held"),
    }
}

/// Lets an instance go on that is held.
pub(crate) async fn release(host: &Arc<Host>, instance: InstanceKey) -> Result<(), StoreError> {
    persist(host, || host.store.release(instance, host.clock.now())).await?;
    super::wake(host, instance);
    // While it was held, nobody slept for its timers.
    host.alarm.set(host.clock.now());
    Ok(())
}

/// Ends an instance whose code cannot take part in it, or need not.
pub(crate) async fn terminate(host: &Arc<Host>, mut instance: Instance, termination: &HistoryEvent, work: Work) {
    let Some(EventType::ExecutionTerminated(terminated)) = termination.event_type.clone() else { return };
    let at = host.clock.now();
    let outcome = ExecutionCompletedEvent {
        workflow_status: OrchestrationStatus::Terminated.into(),
        result: terminated.input,
        failure_details: None,
    };
    let ended = event::event(at.to_timestamp(), EventType::ExecutionCompleted(Box::new(outcome.clone())));
    let begin = event::turn_started(at.to_timestamp(), Vec::new());
    let taken = work.deliveries.iter().map(|delivery| &delivery.event);
    let behind = (!taken.clone().any(|event| event == termination)).then_some(termination);
    let events: Vec<&HistoryEvent> =
        std::iter::once(&begin).chain(taken).chain(behind).chain(std::iter::once(&ended)).collect();
    let mut turn = plan::empty(&instance, at, EncodedEvents::of(events), Status::Terminated);
    plan::take(&mut turn, &work.deliveries);
    end::close(&mut turn, &instance, outcome, terminated.recurse, at);
    let turn = Arc::new(turn);
    match commit(host, &turn).await {
        Ok(committed) => {
            let turn = Arc::unwrap_or_clone(turn);
            host.counters.turns.one();
            aftermath::update(host, &mut instance, &turn);
            aftermath::announce(host, &instance, turn, Vec::new(), committed, work);
        }
        Err(error) => {
            tracing::debug!(instance = %instance.id, %error, "an instance could not be ended; it is tried again");
            host.mailroom.put_back(instance.key, work);
            host.stopping.pause(FIRST_PAUSE).await;
        }
    }
}

//! What is done once a turn is on disk: only now does anything leave the process.

use std::sync::Arc;

use everturn_replay::Source as EventSource;
use everturn_store::{Address, Committed, Instance, NewMessage, Time, Turn, Visible};

use super::driver::deliver;
use super::mailroom::{Source, Work};
use super::parked::{Code, Parked};
use super::plan::Plan;
use super::run::Played;
use crate::dispatch::{Assignment, Reservation};
use crate::foresight;
use crate::host::Host;
use crate::interaction::UpdateReply;
use crate::watch::Change;

/// A turn is on disk. Gives the code, if it is not kept.
pub(crate) fn of_turn(
    host: &Arc<Host>,
    mut parked: Box<Parked>,
    mut code: Code,
    played: Box<Played>,
    plan: Box<Plan>,
    committed: Committed,
    work: Work,
) -> Option<Code> {
    let Plan { turn, reservations, .. } = *plan;
    let is_worth_it = is_worth_keeping(host, &parked.instance, &code, &turn);
    update(host, &mut parked.instance, &turn);
    parked.foreseen.clear();
    for completed in &played.turn.completed_updates {
        let reply = UpdateReply::Completed(completed.outcome.clone());
        host.updates.reply(turn.instance, &completed.id, &reply);
    }
    for update in &played.turn.abandoned_updates {
        host.updates.reply(turn.instance, update, &UpdateReply::Unanswered);
    }
    let restarted = turn.restart.is_some();
    if restarted {
        // What begins the new generation comes before what waits already: disk knows the order.
        let _ = host.mailroom.wake(turn.instance);
    }
    if !restarted && !turn.status.is_ended() {
        if let Code::Guest(guest) = &mut code {
            played.recorded.into_iter().for_each(|event| guest.push(event, EventSource::History));
        }
        if turn.wants_turn {
            let _ = host.mailroom.want_turn(turn.instance);
        }
        // What was moved by hand may be pinned now, which is for disk to say.
        let is_known = turn.assigned.is_none();
        announce(host, &parked.instance, turn, reservations, committed, work);
        if is_known && is_worth_it {
            host.guests.put(parked, code);
            return None;
        }
    } else {
        announce(host, &parked.instance, turn, reservations, committed, work);
    }
    Some(code)
}

/// Whether an instance is likely to have its next turn soon: an answer is on its way to it, a timer is near, or it had its last
/// turn just now. Who only waits for an event or a later timer may wait for months, and is made anew from its history then.
fn is_worth_keeping(host: &Host, before: &Instance, code: &Code, turn: &Turn) -> bool {
    let awaits_answer = turn.wants_turn || !turn.tasks.is_empty() || !turn.instances.is_empty();
    let has_near_timer = turn.messages.iter().any(|message| is_near(message, turn.at));
    let had_one_just_now = before.turns > 0 && turn.at.since(before.updated_at) < host.options.guest_idle;
    // What is kept for remote workers is small, and they are asked for less with it.
    awaits_answer || has_near_timer || had_one_just_now || matches!(code, Code::Remote(_))
}

/// Whether a message is a timer of its sender's own that is set for a moment from now.
fn is_near(message: &NewMessage, now: Time) -> bool {
    let visible_soon = matches!(message.visible, Visible::Later(time) if time.since(now) <= foresight::HORIZON);
    visible_soon && matches!(message.to, Address::Itself)
}

/// Lets out what a turn caused.
pub(super) fn announce(
    host: &Arc<Host>,
    instance: &Instance,
    turn: Turn,
    reservations: Vec<Option<Reservation>>,
    mut committed: Committed,
    work: Work,
) {
    for delivery in work.deliveries {
        if let Source::Worker { heard, .. } = delivery.source {
            host.counters.answers.one();
            // A worker that does not listen any more needs no word.
            let _ = heard.send(Ok(()));
        }
    }
    for task in &committed.abandoned {
        host.dispatcher.abandon(*task);
    }
    // What was moved by hand may be pinned now, and what was held was let go first: both are for disk to say.
    let is_known = turn.assigned.is_none() && instance.stalled.is_none();
    let keys = std::mem::take(&mut committed.tasks);
    for ((task, key), reservation) in turn.tasks.into_iter().zip(keys).zip(reservations) {
        match reservation {
            Some(reservation) => {
                let assignment = Assignment::new(instance, key, task);
                host.dispatcher.begin(host, reservation, assignment);
            }
            None => host.dispatcher.expect(&task.scheduled.name),
        }
    }
    for child in turn.instances.iter().filter(|child| child.deployment.is_none()) {
        host.remote.learn(&child.workflow);
    }
    follow_up(host, committed);
    let change = Change {
        id: instance.id.clone(),
        status: instance.status,
        events: instance.events,
        generation: instance.generation,
    };
    host.watchers.changed(change, Some(instance).filter(|instance| is_known && instance.status.is_ended()));
    if instance.status.is_ended() {
        host.updates.over(instance.key);
        host.ended.notify_one();
    }
}

/// Hands over what is visible, and sets the alarm for what will be.
pub(crate) fn follow_up(host: &Arc<Host>, committed: Committed) {
    deliver(host, committed.messages);
    if let Some(next) = committed.next_visible {
        host.alarm.set(next);
    }
}

/// What the store has of the instance now.
pub(super) fn update(host: &Host, instance: &mut Instance, turn: &Turn) {
    let before = (instance.events, instance.history_bytes);
    instance.turns += 1;
    instance.events += turn.events.count;
    instance.history_bytes += turn.events.bytes.len() as u64;
    instance.status = turn.status;
    instance.updated_at = turn.at;
    instance.ended_at = turn.status.is_ended().then_some(turn.at);
    instance.wants_turn = turn.wants_turn && !turn.status.is_ended();
    instance.outcome.clone_from(&turn.outcome);
    if turn.custom_status.is_some() {
        instance.custom_status.clone_from(&turn.custom_status);
    }
    instance.deployment = turn.moved.or(instance.deployment);
    instance.assigned = None;
    if let Some(restart) = &turn.restart {
        instance.deployment = restart.deployment.or(instance.deployment);
        instance.version.clone_from(&restart.version);
        instance.generation = restart.generation;
        instance.execution_id.clone_from(&restart.execution_id);
        instance.events = 0;
        instance.history_bytes = 0;
    }
    let crossed = |before: u64, now: u64, limit: u64| before < limit && now >= limit;
    if crossed(before.0, instance.events, host.options.history_events_warning)
        || crossed(before.1, instance.history_bytes, host.options.history_bytes_warning)
    {
        tracing::warn!(
            instance = %instance.id, workflow = %instance.workflow,
            events = instance.events, bytes = instance.history_bytes,
            "a history grows long: replays take longer and longer; let the workflow continue as new now and then"
        );
    }
}

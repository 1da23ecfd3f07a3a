//! Instances that are woken at one moment, however many they are. Those that are ready play their turns one after the other
//! before any of these turns is written: what a turn leads to takes longer than the turn, and the last ones would be late.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use everturn_store::{Awoken, InstanceKey, Time};
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;

use super::driver::{Opening, drive, drive_from, wake};
use super::parked::{Code, Parked};
use super::turn::{self, Standing, may_be_more};
use crate::host::Host;
use crate::persist::read;
use crate::processors::run_on_each;

/// Those whose messages are read together: few enough that the first of many do not wait for the last.
const READ_WITH_ONE_LOOK: usize = 50;
/// How long turns are played before the first of them is written.
const TOGETHER: Duration = Duration::from_millis(20);
/// So many are played where they are woken: it takes a millisecond.
const FEW: usize = 64;
/// Threads that play more of them, at most: for eight a thousand turns would take 2 ms, and each has to get a processor first.
const PLAYERS: usize = 8;

/// Those that are woken. Whoever plays has the next of them, so that all who play end at the same time.
struct Line {
    instances: Vec<InstanceKey>,
    next: AtomicUsize,
}

impl Line {
    fn next(&self) -> Option<InstanceKey> {
        self.instances.get(self.next.fetch_add(1, Relaxed)).copied()
    }
}

/// Lets all of these take their turns at that time, which is a moment from now or has come.
pub(crate) fn wake_all(host: &Arc<Host>, instances: Vec<InstanceKey>, at: Time) {
    let is_crowd = instances.len() > FEW;
    let line = Arc::new(Line { instances, next: AtomicUsize::new(0) });
    if is_crowd {
        host.mailroom.expect(line.instances.len());
        // Others need the threads of tokio.
        let (tokio, host, line) = (Handle::current(), Arc::clone(host), Arc::clone(&line));
        let threads = host.options.parallel_turns.clamp(1, PLAYERS);
        let play = move || {
            host.clock.sleep_until(at);
            tokio.block_on(play_in_turn(host, line));
        };
        if run_on_each(threads, "everturn-crowd", play).is_ok() {
            return;
        }
    }
    let host = Arc::clone(host);
    tokio::spawn(async move {
        sleep_until(&host, at).await;
        play_in_turn(host, line).await;
    });
}

/// Resolves at that time, and no later than a tenth of a millisecond after it, if there is a thread that may sleep so long.
async fn sleep_until(host: &Arc<Host>, at: Time) {
    while let Some(left) = host.clock.left(at) {
        let sleeping = Arc::clone(host);
        tokio::select! {
            _ = spawn_blocking(move || sleeping.clock.sleep_until(at)) => {}
            () = tokio::time::sleep(left) => {}
        }
    }
}

async fn play_in_turn(host: Arc<Host>, line: Arc<Line>) {
    let mut began = Instant::now();
    let (mut openings, mut others) = (Vec::with_capacity(line.instances.len()), Vec::new());
    while let Some(instance) = line.next() {
        let Some((parked, mut code, messages)) = host.guests.take_foreseen(instance, host.clock.now()) else {
            others.push(instance);
            continue;
        };
        host.counters.foreseen.one();
        if !is_short(&host, &parked, &code) {
            host.guests.put(parked, code);
            others.push(instance);
            continue;
        }
        // Who has a driver already is told to look.
        let Some(mut work) = host.mailroom.enter_with(instance, messages) else { continue };
        let room = Arc::clone(&host.in_progress).try_acquire_owned();
        if room.is_err() || began.elapsed() > TOGETHER {
            // Those that have begun must end, or there may never be room for others.
            write(&host, &mut openings);
            began = Instant::now();
        }
        let room = match room {
            Ok(room) => Ok(room),
            Err(_) => Arc::clone(&host.in_progress).acquire_owned().await,
        };
        // It is never closed.
        let Ok(room) = room else { return };
        if let Code::Guest(guest) = &mut code {
            guest.linger();
        }
        let standing = Standing { parked, code: Some(code), history: None };
        let begun = turn::play(&host, standing, &mut work, room).await;
        openings.push((instance, Opening { begun, work }));
    }
    write(&host, &mut openings);
    for instances in others.chunks(READ_WITH_ONE_LOOK) {
        tokio::spawn(look_and_wake(Arc::clone(&host), instances.to_vec()));
    }
}

/// Whether the turn of an instance is likely to be a short one, so that others can wait for it: a guest plays it that is quick,
/// and stays on its version.
fn is_short(host: &Host, parked: &Parked, code: &Code) -> bool {
    let is_quick = matches!(code, Code::Guest(guest) if guest.is_quick());
    is_quick && host.deployments.destination(&parked.instance).is_none()
}

/// Gives each of these a driver, which writes the turn that has begun.
fn write(host: &Arc<Host>, openings: &mut Vec<(InstanceKey, Opening)>) {
    for (instance, opening) in openings.drain(..) {
        tokio::spawn(drive_from(Arc::clone(host), instance, opening));
    }
}

/// Looks what is there for these instances, with one look, and lets those that have something take their turns.
async fn look_and_wake(host: Arc<Host>, instances: Vec<InstanceKey>) {
    let (now, limit) = (host.clock.now(), host.options.messages_per_turn);
    let Ok(awoken) = read(&host, || host.store.wake(instances.clone(), now, limit)).await else {
        return instances.into_iter().for_each(|instance| wake(&host, instance));
    };
    for (instance, Awoken { messages, loaded }) in instances.into_iter().zip(awoken) {
        if may_be_more(&messages, limit) {
            wake(&host, instance);
        } else if !messages.is_empty() && host.mailroom.bring(instance, messages) {
            tokio::spawn(drive(Arc::clone(&host), instance, loaded.map(Box::new)));
        }
    }
}

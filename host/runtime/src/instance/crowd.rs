//! Instances that are woken at one moment, however many they are. What a turn comes to does not depend on when it is played, only
//! on when it is: so those that are ready play theirs shortly before that moment, and all are written so that they are on disk
//! when it has come, and no earlier. Who was sent something meanwhile plays again: that comes first.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use everturn_store::{Awoken, InstanceKey, Time};
use futures::stream::{FuturesUnordered, StreamExt};
use tokio::runtime::Handle;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::spawn_blocking;

use super::driver::{self, Trouble, drive, wake};
use super::mailroom::Work;
use super::parked::{Code, Parked};
use super::turn::{self, Begun, Left, Standing, may_be_more};
use crate::host::Host;
use crate::persist::read;
use crate::processors::run_on_each;

/// Those whose messages are read together: few enough that the first of many do not wait for the last.
const READ_WITH_ONE_LOOK: usize = 50;
/// How long turns are played, once their time has come, before the first of them is written.
const TOGETHER: Duration = Duration::from_millis(20);
/// So many are played where they are woken: it takes a millisecond.
const FEW: usize = 64;
/// Threads that play more of them, at most: for eight a thousand turns would take 2 ms, and each has to get a processor first.
const PLAYERS: usize = 8;
/// What is left until the time has come is slept by a thread from here on: tokio's clock counts milliseconds, and may be late by
/// two of them.
const EXACTLY: Duration = Duration::from_millis(3);

/// What the thread that writes needs for each turn before it can be kept, or somewhat more: it begins so much earlier. Others wait
/// for it then, as they would afterwards.
const WRITING_ONE: Duration = Duration::from_micros(14);

/// A turn that was played, with what it took. Nobody else drives its instance.
struct Opening {
    instance: InstanceKey,
    begun: Result<Option<Begun>, Trouble>,
    work: Work,
}

/// Those that are woken. Whoever plays has the next of them, so that all who play end at the same time; and who goes last has
/// written what all have played.
struct Crowd {
    host: Arc<Host>,
    tokio: Handle,
    at: Time,
    instances: Vec<InstanceKey>,
    next: AtomicUsize,
    played: Mutex<Vec<Opening>>,
    /// Those that are not ready, or whose turns are not short.
    others: Mutex<Vec<InstanceKey>>,
}

impl Crowd {
    fn next(&self) -> Option<InstanceKey> {
        self.instances.get(self.next.fetch_add(1, Relaxed)).copied()
    }

    /// Has written what was played up to now.
    fn write(&self) {
        let played = std::mem::take(&mut *lock(&self.played));
        if !played.is_empty() {
            self.tokio.spawn(write(Arc::clone(&self.host), played, self.at));
        }
    }

    /// Has the others looked after.
    fn look(&self) {
        let others = std::mem::take(&mut *lock(&self.others));
        if !others.is_empty() {
            self.tokio.spawn(look_and_wake_all(Arc::clone(&self.host), others, self.at));
        }
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        self.write();
        self.look();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets all of these take their turns at that time, which is a moment from now or has come.
pub(crate) fn wake_all(host: &Arc<Host>, instances: Vec<InstanceKey>, at: Time) {
    let is_crowd = instances.len() > FEW;
    let crowd = Arc::new(Crowd {
        host: Arc::clone(host),
        tokio: Handle::current(),
        at,
        played: Mutex::new(Vec::with_capacity(instances.len())),
        others: Mutex::default(),
        instances,
        next: AtomicUsize::new(0),
    });
    if is_crowd {
        host.mailroom.expect(crowd.instances.len());
        // Others need the threads of tokio.
        let (tokio, crowd) = (Handle::current(), Arc::clone(&crowd));
        let threads = host.options.parallel_turns.clamp(1, PLAYERS);
        if run_on_each(threads, "everturn-crowd", move || tokio.block_on(take_turns(crowd))).is_ok() {
            return;
        }
    }
    tokio::spawn(take_turns(crowd));
}

/// Plays those that are ready, as long as there are any.
async fn take_turns(crowd: Arc<Crowd>) {
    let (host, at) = (&crowd.host, crowd.at);
    let mut write_by = at.after(TOGETHER);
    while let Some(instance) = crowd.next() {
        let room = Arc::clone(&host.in_progress).try_acquire_owned();
        if room.is_err() || host.clock.left(write_by).is_none() {
            // Those that have begun must end, or there may never be room for others.
            crowd.write();
            write_by = host.clock.now().max(at).after(TOGETHER);
        }
        let room = match room {
            Ok(room) => Ok(room),
            Err(_) => Arc::clone(&host.in_progress).acquire_owned().await,
        };
        // It is never closed.
        let Ok(room) = room else { return };
        match play(host, instance, room, at).await {
            Some(opening) => lock(&crowd.played).extend(opening),
            None => lock(&crowd.others).push(instance),
        }
    }
}

/// Plays the turn that an instance has at that time, if it is ready for that and the turn is a short one. Some(None): it has a
/// driver already, which is told to look.
async fn play(
    host: &Arc<Host>,
    instance: InstanceKey,
    room: OwnedSemaphorePermit,
    at: Time,
) -> Option<Option<Opening>> {
    let (parked, mut code, messages) = host.guests.take_foreseen(instance, at)?;
    host.counters.foreseen.one();
    if !is_short(host, &parked, &code) {
        host.guests.put(parked, code);
        return None;
    }
    let Some(mut work) = host.mailroom.enter_with(instance, messages) else { return Some(None) };
    if let Code::Guest(guest) = &mut code {
        guest.linger();
    }
    let standing = Standing { parked, code: Some(code), history: None };
    let mut begun = turn::play(host, standing, &mut work, room, at).await;
    if let Ok(Some(begun)) = &mut begun {
        begun.set_aside();
    }
    Some(Some(Opening { instance, begun, work }))
}

/// Whether the turn of an instance is likely to be a short one, so that others can wait for it: a guest plays it that is quick,
/// and stays on its version.
fn is_short(host: &Host, parked: &Parked, code: &Code) -> bool {
    let is_quick = matches!(code, Code::Guest(guest) if guest.is_quick());
    is_quick && host.deployments.destination(&parked.instance).is_none()
}

/// Resolves at that time, and no later than a tenth of a millisecond after it, if there is a thread that may sleep so long.
async fn sleep_until(host: &Arc<Host>, at: Time) {
    while let Some(left) = host.clock.left(at) {
        let coarsely = left.saturating_sub(EXACTLY);
        if !coarsely.is_zero() {
            tokio::time::sleep(coarsely).await;
            continue;
        }
        let sleeping = Arc::clone(host);
        tokio::select! {
            _ = spawn_blocking(move || sleeping.clock.sleep_until(at)) => {}
            () = tokio::time::sleep(left) => {}
        }
    }
}

/// Writes these turns so that they are on disk as soon as their time has come. One task does so for all: the thread that writes
/// needs a processor of its own.
async fn write(host: Arc<Host>, played: Vec<Opening>, at: Time) {
    let takes = WRITING_ONE.saturating_mul(u32::try_from(played.len()).unwrap_or(u32::MAX));
    sleep_until(&host, at.before(takes)).await;
    let moment = Instant::now() + host.clock.left(at).unwrap_or_default();
    let turns: FuturesUnordered<_> = played.into_iter().map(|opening| write_one(&host, opening, at, moment)).collect();
    let left: Vec<_> = turns.collect().await;
    // It goes when all are on disk: before, that would take time from those that are not.
    spawn_blocking(move || drop(left));
}

/// Writes a turn, unless something came meanwhile, which may have to come first, or it is to be another version's by now. What comes
/// while it is on its way, the store finds. What goes on gets a driver.
async fn write_one(host: &Arc<Host>, opening: Opening, at: Time, moment: Instant) -> Option<Left> {
    let Opening { instance, begun, mut work } = opening;
    let written = match begun {
        Ok(Some(begun)) if begun.is_to_move(host) || host.mailroom.has_work(instance) => None,
        Ok(Some(begun)) => Some(begun.write(host, &mut work, Some(moment)).await.map(Some)),
        Ok(None) => Some(Ok(None)),
        Err(trouble) => Some(Err(trouble)),
    };
    // A driver would not see before what woke its instance.
    come(host, at).await;
    match written {
        Some(Ok(left)) => {
            if !host.mailroom.leave(instance) {
                driver::start(host, instance);
            }
            left
        }
        Some(Err(trouble)) => {
            tokio::spawn(driver::drive_after(Arc::clone(host), instance, trouble, work));
            None
        }
        None => {
            host.mailroom.put_back(instance, work);
            driver::start(host, instance);
            None
        }
    }
}

/// Resolves when that time has come, which is soon.
async fn come(host: &Host, at: Time) {
    while let Some(left) = host.clock.left(at) {
        tokio::time::sleep(left).await;
    }
}

/// Looks what is there for these instances when their time has come, and lets those that have something take their turns.
async fn look_and_wake_all(host: Arc<Host>, others: Vec<InstanceKey>, at: Time) {
    sleep_until(&host, at).await;
    for instances in others.chunks(READ_WITH_ONE_LOOK) {
        tokio::spawn(look_and_wake(Arc::clone(&host), instances.to_vec()));
    }
}

/// The same for some of them, with one look.
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

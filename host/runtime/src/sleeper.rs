//! The single sleeper: waits for the next delayed message to become visible, and wakes its instance. There is no other
//! timer for timers, and while nothing is due it does nothing.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use everturn_store::{Time, Wakeups};
use tokio::sync::Notify;

use crate::host::Host;
use crate::instance;
use crate::persist::read;

/// Instances that are woken at a time.
const WAKEUPS: usize = 1_000;
/// Those whose messages are read together: few enough that the first of many do not wait for the last.
const WOKEN_WITH_ONE_LOOK: usize = 50;
/// The longest sleep: a clock that was set forward meanwhile is noticed then.
const LONGEST_SLEEP: Duration = Duration::from_secs(60 * 60);

/// How long to wait after the store could not say who is due.
const AFTER_TROUBLE: Duration = Duration::from_secs(5);

/// When the sleeper has to be up next.
#[derive(Debug)]
pub(crate) struct Alarm {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug)]
struct State {
    /// When to be up next.
    next: Option<Time>,
    /// Everything up to here was looked at.
    seen: Time,
}

impl Alarm {
    /// Everything up to this time was looked at.
    pub(crate) fn new(seen: Time) -> Self {
        Self { state: Mutex::new(State { next: None, seen }), changed: Notify::new() }
    }

    fn with<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A delayed message was written. One whose time has come before it was on disk is looked for again.
    pub(crate) fn set(&self, time: Time) {
        let just_before = Time::from_micros(time.as_micros().saturating_sub(1));
        let earlier = self.with(|state| {
            state.seen = state.seen.min(just_before);
            let earlier = state.next.is_none_or(|next| time < next);
            if earlier {
                state.next = Some(time);
            }
            earlier
        });
        if earlier {
            self.changed.notify_one();
        }
    }

    /// The time up to which all was looked at; from now on, up to `now`.
    fn look_up_to(&self, now: Time) -> Time {
        self.with(|state| {
            state.next = None;
            std::mem::replace(&mut state.seen, now)
        })
    }

    fn next(&self) -> Option<Time> {
        self.with(|state| state.next)
    }
}

/// Wakes who is due, and sleeps until the next one is. Runs as long as the host.
pub(crate) async fn sleeper(host: Arc<Host>, recovered: Wakeups) {
    for instance in recovered.instances {
        instance::wake(&host, instance);
    }
    if let Some(next) = recovered.next {
        host.alarm.set(next);
    }
    loop {
        tokio::select! {
            () = host.stopping.begun() => return,
            () = until_due(&host) => {}
        }
        host.counters.wakeups.one();
        let now = host.clock.now();
        let since = host.alarm.look_up_to(now);
        let due = match read(&host, || host.store.due(since, now, WAKEUPS)).await {
            Ok(due) => due,
            Err(_) if host.stopping.has_begun() => return,
            Err(error) => {
                tracing::error!(%error, "timers cannot be read; it is tried again");
                host.alarm.set(Time::from_micros(since.as_micros().saturating_add(1)));
                host.stopping.pause(AFTER_TROUBLE).await;
                continue;
            }
        };
        for instances in due.instances.chunks(WOKEN_WITH_ONE_LOOK) {
            let (host, instances) = (Arc::clone(&host), instances.to_vec());
            tokio::spawn(async move { instance::wake_all(&host, instances).await });
        }
        if let Some(next) = due.next {
            host.alarm.set(next);
        }
    }
}

async fn until_due(host: &Host) {
    loop {
        let changed = host.alarm.changed.notified();
        let sleep = match host.alarm.next() {
            Some(next) => match next.since(host.clock.now()) {
                Duration::ZERO => return,
                left => left.min(LONGEST_SLEEP),
            },
            None => LONGEST_SLEEP,
        };
        tokio::select! {
            () = changed => {}
            () = tokio::time::sleep(sleep) => {}
        }
    }
}

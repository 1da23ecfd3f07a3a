//! When somebody has to look for delayed messages next: one bell for what is due, and one for what will be soon.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use everturn_store::Time;
use tokio::sync::Notify;

use crate::clock::Clock;

/// The longest sleep: a clock that was set forward meanwhile is noticed then.
const LONGEST_SLEEP: Duration = Duration::from_secs(60 * 60);

/// How long before its time a bell rings at the latest, if it is asked to ring a moment ahead: so that who is due can be read, and
/// a thousand turns can be played, on a machine that takes milliseconds to begin with it.
pub(crate) const MOMENT: Duration = Duration::from_millis(30);

/// Both bells.
#[derive(Debug)]
pub(crate) struct Alarm {
    /// For who wakes instances when their time has come. Nothing escapes it.
    pub(crate) due: Bell,
    /// For who gets them ready before that. It may miss some.
    pub(crate) near: Bell,
}

impl Alarm {
    /// Everything up to this time was looked at.
    pub(crate) fn new(seen: Time) -> Self {
        Self { due: Bell::new(seen), near: Bell::new(seen) }
    }

    /// A delayed message was written. One whose time has come before it was on disk is looked for again.
    pub(crate) fn set(&self, time: Time) {
        self.due.set_again(time);
        self.near.set(time);
    }
}

/// Rings when it is time to look.
#[derive(Debug)]
pub(crate) struct Bell {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug)]
struct State {
    /// The next moment at which there is something.
    next: Option<Time>,
    /// Everything up to here was looked at.
    seen: Time,
}

impl State {
    /// Takes note of a moment. Whether it is the next one now.
    fn take_note(&mut self, time: Time) -> bool {
        let is_next = self.next.is_none_or(|next| time < next);
        if is_next {
            self.next = Some(time);
        }
        is_next
    }
}

impl Bell {
    fn new(seen: Time) -> Self {
        Self { state: Mutex::new(State { next: None, seen }), changed: Notify::new() }
    }

    fn with<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// There is something at this time, unless that was looked at already.
    pub(crate) fn set(&self, time: Time) {
        if self.with(|state| time > state.seen && state.take_note(time)) {
            self.changed.notify_one();
        }
    }

    /// There is something at this time. If that was looked at already, it is looked at again.
    pub(crate) fn set_again(&self, time: Time) {
        let just_before = Time::from_micros(time.as_micros().saturating_sub(1));
        let is_next = self.with(|state| {
            state.seen = state.seen.min(just_before);
            state.take_note(time)
        });
        if is_next {
            self.changed.notify_one();
        }
    }

    /// The time up to which all was looked at; from now on, up to `time`.
    pub(crate) fn look_up_to(&self, time: Time) -> Time {
        self.with(|state| {
            state.next = None;
            std::mem::replace(&mut state.seen, time)
        })
    }

    /// Resolves when the next moment is no further away than `ahead`, and says when it is.
    pub(crate) async fn rings(&self, clock: &Clock, ahead: Duration) -> Time {
        loop {
            let changed = self.changed.notified();
            let sleep = match self.with(|state| state.next) {
                Some(next) => match next.since(clock.now()).saturating_sub(ahead) {
                    Duration::ZERO => return next,
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
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    fn at(micros: i64) -> Time {
        Time::from_micros(micros)
    }

    #[tokio::test]
    async fn what_was_written_late_is_looked_for_again_and_nobody_gets_ready_for_it() {
        let (alarm, clock) = (Alarm::new(at(10)), Clock::default());
        alarm.set(at(5));
        assert_eq!(alarm.due.rings(&clock, Duration::ZERO).now_or_never(), Some(at(5)));
        assert_eq!(alarm.near.rings(&clock, Duration::ZERO).now_or_never(), None);
        assert_eq!(alarm.due.look_up_to(at(20)), at(4));
        assert_eq!(alarm.near.look_up_to(at(20)), at(10));
    }

    #[tokio::test]
    async fn it_rings_as_long_ahead_as_it_is_wanted() {
        let clock = Clock::default();
        let (now, minute) = (clock.now(), Duration::from_secs(60));
        let alarm = Alarm::new(now);
        alarm.set(now.after(minute));
        assert_eq!(alarm.near.rings(&clock, minute / 2).now_or_never(), None);
        assert_eq!(alarm.near.rings(&clock, minute).now_or_never(), Some(now.after(minute)));
        alarm.near.look_up_to(now.after(minute));
        assert_eq!(alarm.near.rings(&clock, minute).now_or_never(), None, "it was looked at");
        assert_eq!(alarm.due.rings(&clock, Duration::ZERO).now_or_never(), None, "it is not due");
    }
}

//! The host's clock: wall time that does not go back while the process lives, so that what arrives later sorts later.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use everturn_store::Time;

/// The host's clock.
#[derive(Debug, Default)]
pub(crate) struct Clock(Mutex<Option<Reading>>);

/// What it said last, and when that was by a clock that nobody sets.
#[derive(Clone, Copy, Debug)]
struct Reading {
    micros: i64,
    at: Instant,
}

impl Clock {
    /// Now, and never before what it said last. Behind a wall clock that was set back, time goes on from there.
    pub(crate) fn now(&self) -> Time {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let wall = i64::try_from(wall.as_micros()).unwrap_or(i64::MAX);
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let reading = next(*last, wall, Instant::now());
        *last = Some(reading);
        Time::from_micros(reading.micros)
    }

    /// Lets this thread sleep until then, and no longer than a tenth of a millisecond more.
    pub(crate) fn sleep_until(&self, time: Time) {
        // By another clock than this one, which may be behind it afterwards.
        while let Some(left) = self.left(time) {
            std::thread::sleep(left);
        }
    }

    /// How long it is until then. None: it has come.
    pub(crate) fn left(&self, time: Time) -> Option<Duration> {
        Some(time.since(self.now())).filter(|left| !left.is_zero())
    }
}

fn next(last: Option<Reading>, wall: i64, at: Instant) -> Reading {
    match last {
        Some(last) if wall < last.micros => {
            let passed = i64::try_from(at.duration_since(last.at).as_micros()).unwrap_or(0);
            // Less than a microsecond passes too, sooner or later: it is counted from the last reading that moved.
            let at = if passed == 0 { last.at } else { at };
            Reading { micros: last.micros.saturating_add(passed), at }
        }
        _ => Reading { micros: wall, at },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_sleeps_until_a_time_wakes_when_it_has_come() {
        let clock = Clock::default();
        let time = clock.now().after(Duration::from_millis(2));
        clock.sleep_until(time);
        assert!(clock.now() >= time);
        assert_eq!(clock.left(time), None);
    }

    #[test]
    fn time_goes_on_behind_a_wall_clock_that_was_set_back() {
        let began = Instant::now();
        let first = next(None, 5_000, began);
        assert_eq!(next(Some(first), 6_000, began).micros, 6_000);
        let behind = next(Some(first), 1_000, began + Duration::from_micros(70));
        assert_eq!(behind.micros, 5_070);
        assert_eq!(next(Some(behind), 1_010, began + Duration::from_micros(80)).micros, 5_080);
        assert_eq!(next(Some(behind), 9_000, began + Duration::from_micros(80)).micros, 9_000);
    }
}

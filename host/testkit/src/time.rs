//! Moments on the virtual clock: as history has them, but in order.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use everturn_history::Timestamp;
use everturn_replay::LATEST;

const NANOS_PER_SECOND: i64 = 1_000_000_000;

/// A moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Time {
    seconds: i64,
    nanos: i32,
}

impl Time {
    /// When a run begins unless it is told otherwise: 2026-01-01T09:00:00Z, so that no test depends on the day it runs on.
    pub(crate) const DEFAULT: Self = Self { seconds: 1_767_258_000, nanos: 0 };

    pub(crate) fn timestamp(self) -> Timestamp {
        Timestamp { seconds: self.seconds, nanos: self.nanos }
    }

    /// This much later; None beyond the last moment that a history can name.
    pub(crate) fn after(self, delay: Duration) -> Option<Self> {
        let nanos = i64::from(self.nanos) + i64::from(delay.subsec_nanos());
        let seconds = i64::try_from(delay.as_secs()).ok()?.checked_add(self.seconds)?;
        let seconds = seconds.checked_add(nanos / NANOS_PER_SECOND)?;
        let later = Self { seconds, nanos: i32::try_from(nanos % NANOS_PER_SECOND).ok()? };
        (later <= LATEST.into()).then_some(later)
    }

    /// How much later than another; nothing if it is earlier.
    pub(crate) fn since(self, earlier: Self) -> Duration {
        self.system_time().duration_since(earlier.system_time()).unwrap_or_default()
    }

    pub(crate) fn system_time(self) -> SystemTime {
        // Histories name the years 1 to 9999, which every clock of the standard library can tell.
        let nanos = Duration::from_nanos(u64::try_from(self.nanos).unwrap_or(0));
        let seconds = Duration::from_secs(self.seconds.unsigned_abs());
        if self.seconds < 0 { UNIX_EPOCH - seconds + nanos } else { UNIX_EPOCH + seconds + nanos }
    }
}

impl From<Timestamp> for Time {
    fn from(timestamp: Timestamp) -> Self {
        Self { seconds: timestamp.seconds, nanos: timestamp.nanos }
    }
}

impl From<SystemTime> for Time {
    fn from(time: SystemTime) -> Self {
        let parts = |duration: Duration| {
            let seconds = i64::try_from(duration.as_secs()).unwrap_or(LATEST.seconds);
            (seconds, i32::try_from(duration.subsec_nanos()).unwrap_or(0))
        };
        match time.duration_since(UNIX_EPOCH) {
            Ok(since) => {
                let (seconds, nanos) = parts(since);
                Self { seconds, nanos }
            }
            Err(before) => match parts(before.duration()) {
                (seconds, 0) => Self { seconds: -seconds, nanos: 0 },
                (seconds, nanos) => Self { seconds: -seconds - 1, nanos: 1_000_000_000 - nanos },
            },
        }
    }
}

/// As people and histories write it: `2026-01-01T09:00:00Z`.
impl fmt::Display for Time {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let json = serde_json::to_value(self.timestamp()).ok();
        formatter.write_str(json.as_ref().and_then(|json| json.as_str()).unwrap_or("a time beyond all histories"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_survive_the_way_there_and_back() {
        for (seconds, nanos) in [(0, 0), (1_767_258_000, 5), (-1, 999_999_000), (-5, 0)] {
            let time = Time { seconds, nanos };
            assert_eq!(Time::from(time.system_time()), time);
        }
        assert_eq!(Time::DEFAULT.to_string(), "2026-01-01T09:00:00Z");
    }

    #[test]
    fn time_carries_over_and_ends() {
        let time = Time { seconds: 1, nanos: 999_999_999 };
        assert_eq!(time.after(Duration::from_nanos(2)), Some(Time { seconds: 2, nanos: 1 }));
        assert_eq!(time.after(Duration::MAX), None);
        assert_eq!(
            Time::DEFAULT.after(Duration::from_secs(90)).map(|later| later.since(Time::DEFAULT).as_secs()),
            Some(90)
        );
    }
}

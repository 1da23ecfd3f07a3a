//! Moments that peers send, checked: the host computes with them.

use everturn_history::{NEVER, Timestamp};
use everturn_store::Time;

/// The seconds that protobuf allows: from the year 1 to the year 9999.
const SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=NEVER.seconds;
/// The nanoseconds past a second that it allows.
const NANOS: std::ops::Range<i32> = 0..1_000_000_000;

/// A timestamp that names no moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{seconds} s and {nanos} ns since 1970 is no moment that protobuf knows; it knows the years 1 to 9999")]
pub(crate) struct NoMoment {
    seconds: i64,
    nanos: i32,
}

/// The moment that a timestamp names.
pub(crate) fn read_time(timestamp: Timestamp) -> Result<Time, NoMoment> {
    let Timestamp { seconds, nanos } = timestamp;
    let is_moment = SECONDS.contains(&seconds) && NANOS.contains(&nanos);
    if is_moment { Ok(Time::at_or_after(timestamp)) } else { Err(NoMoment { seconds, nanos }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_moments_are_read() {
        assert_eq!(read_time(Timestamp { seconds: 1, nanos: 0 }), Ok(Time::from_micros(1_000_000)));
        assert!(read_time(NEVER).is_ok());
        for (seconds, nanos) in [(0, -1), (0, i32::MAX), (0, 1_000_000_000), (i64::MAX, 0), (i64::MIN, 0)] {
            assert_eq!(read_time(Timestamp { seconds, nanos }), Err(NoMoment { seconds, nanos }));
        }
    }
}

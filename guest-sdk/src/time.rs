//! Between the times of the standard library and those of the contract.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::bindings::everturn::workflow::types::Instant;

/// Nanoseconds; what is longer than the contract can say (584 years) becomes the longest it can.
pub(crate) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

pub(crate) fn to_system_time(instant: Instant) -> SystemTime {
    let nanoseconds = Duration::from_nanos(u64::from(instant.nanoseconds));
    let whole = Duration::from_secs(instant.seconds.unsigned_abs());
    let second = if instant.seconds >= 0 { UNIX_EPOCH.checked_add(whole) } else { UNIX_EPOCH.checked_sub(whole) };
    // Out of range only for times that no clock tells: WASI counts from 1970, and other systems far beyond.
    second.and_then(|second| second.checked_add(nanoseconds)).unwrap_or(UNIX_EPOCH)
}

pub(crate) fn to_instant(time: SystemTime) -> Instant {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => Instant { seconds: whole_seconds(after), nanoseconds: after.subsec_nanos() },
        Err(error) => before_1970(error.duration()),
    }
}

fn before_1970(before: Duration) -> Instant {
    match before.subsec_nanos() {
        0 => Instant { seconds: -whole_seconds(before), nanoseconds: 0 },
        // Nanoseconds count forward from the second before.
        nanoseconds => Instant { seconds: -whole_seconds(before) - 1, nanoseconds: 1_000_000_000 - nanoseconds },
    }
}

fn whole_seconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_secs()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_survive_the_way_there_and_back() {
        for (seconds, nanoseconds) in [(0, 0), (0, 1), (1_700_000_000, 999_999_999), (-1, 0), (-1, 999_999_999)] {
            let instant = to_instant(to_system_time(Instant { seconds, nanoseconds }));
            assert_eq!((instant.seconds, instant.nanoseconds), (seconds, nanoseconds));
        }
    }

    #[test]
    fn durations_beyond_the_contract_become_the_longest() {
        assert_eq!(nanoseconds(Duration::from_micros(3)), 3_000);
        assert_eq!(nanoseconds(Duration::MAX), u64::MAX);
    }
}

//! Arithmetic on timestamps that stays within what a history can name and never makes a sentinel by accident.

use std::time::Duration;

use everturn_history::{NEVER, Timestamp};

const NANOS_PER_SECOND: i128 = 1_000_000_000;
/// 0001-01-01T00:00:00Z, the first moment that a protobuf timestamp can name.
const EARLIEST_SECONDS: i64 = -62_135_596_800;

/// The last moment that a computed time can be: one nanosecond before [`NEVER`], so that a finite wait, however
/// long, is not taken for one without limit.
pub const LATEST: Timestamp = Timestamp { seconds: NEVER.seconds, nanos: NEVER.nanos - 1 };

/// The time `delay` after `start`, at most [`LATEST`].
pub(crate) fn after(start: Timestamp, delay: Duration) -> Timestamp {
    let nanos = nanoseconds(start).saturating_add_unsigned(delay.as_nanos());
    from_nanoseconds(nanos.min(nanoseconds(LATEST)))
}

/// The same moment in the form that protobuf wants, moved into the years 1 to 9999 if it lies outside.
pub(crate) fn normalised(moment: Timestamp) -> Timestamp {
    let earliest = i128::from(EARLIEST_SECONDS) * NANOS_PER_SECOND;
    from_nanoseconds(nanoseconds(moment).clamp(earliest, nanoseconds(NEVER)))
}

/// Whether `left` is later than `right`.
pub(crate) fn is_later(left: Timestamp, right: Timestamp) -> bool {
    nanoseconds(left) > nanoseconds(right)
}

fn nanoseconds(moment: Timestamp) -> i128 {
    i128::from(moment.seconds) * NANOS_PER_SECOND + i128::from(moment.nanos)
}

fn from_nanoseconds(nanos: i128) -> Timestamp {
    // Both fit: callers stay between the years 1 and 9999, and a remainder is below a billion.
    let seconds = i64::try_from(nanos.div_euclid(NANOS_PER_SECOND)).unwrap_or(NEVER.seconds);
    let nanos = i32::try_from(nanos.rem_euclid(NANOS_PER_SECOND)).unwrap_or(0);
    Timestamp { seconds, nanos }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_very_long_delay_stops_short_of_the_sentinel() {
        let now = Timestamp { seconds: 1_700_000_000, nanos: 5 };
        assert_eq!(after(now, Duration::MAX), LATEST);
        assert_eq!(after(LATEST, Duration::from_nanos(1)), LATEST);
        assert_ne!(LATEST, NEVER);
    }

    #[test]
    fn nanoseconds_carry_into_seconds() {
        let now = Timestamp { seconds: 10, nanos: 999_999_999 };
        assert_eq!(after(now, Duration::from_nanos(2)), Timestamp { seconds: 11, nanos: 1 });
    }

    #[test]
    fn nonsense_moments_are_moved_into_range() {
        let table = [
            (Timestamp { seconds: i64::MAX, nanos: i32::MAX }, NEVER),
            (Timestamp { seconds: i64::MIN, nanos: i32::MIN }, Timestamp { seconds: EARLIEST_SECONDS, nanos: 0 }),
            (Timestamp { seconds: 5, nanos: -1 }, Timestamp { seconds: 4, nanos: 999_999_999 }),
            (NEVER, NEVER),
        ];
        for (given, expected) in table {
            assert_eq!(normalised(given), expected, "{given:?}");
        }
    }
}

//! Moments as the store keeps them: whole microseconds, which sort and fit an integer column.

use everturn_history::Timestamp;

const MICROS_PER_SECOND: i64 = 1_000_000;
const NANOS_PER_MICRO: i32 = 1_000;

/// Microseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(i64);

impl Time {
    /// Before every other.
    pub const FIRST: Self = Self(i64::MIN);

    /// From microseconds.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// As microseconds.
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// The first moment of ours that is not before `timestamp`: what waits for it never comes early.
    pub fn at_or_after(timestamp: Timestamp) -> Self {
        // As wide as the sum may get: who wrote it may have written anything.
        let micros = (i64::from(timestamp.nanos) + i64::from(NANOS_PER_MICRO) - 1) / i64::from(NANOS_PER_MICRO);
        Self(timestamp.seconds.saturating_mul(MICROS_PER_SECOND).saturating_add(micros))
    }

    /// The same moment as events have it.
    pub fn to_timestamp(self) -> Timestamp {
        let micros = i32::try_from(self.0.rem_euclid(MICROS_PER_SECOND)).unwrap_or(0);
        Timestamp { seconds: self.0.div_euclid(MICROS_PER_SECOND), nanos: micros * NANOS_PER_MICRO }
    }

    /// This long after it.
    #[must_use]
    pub fn after(self, delay: std::time::Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(delay.as_micros()).unwrap_or(i64::MAX)))
    }

    /// This long before it.
    #[must_use]
    pub fn before(self, lead: std::time::Duration) -> Self {
        Self(self.0.saturating_sub(i64::try_from(lead.as_micros()).unwrap_or(i64::MAX)))
    }

    /// How long from `earlier` to this; nothing if it is not later.
    pub fn since(self, earlier: Self) -> std::time::Duration {
        std::time::Duration::from_micros(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_between_two_is_rounded_to_the_later_one() {
        let table = [(0, 0), (1, 1), (999, 1), (1_000, 1), (1_001, 2), (999_999_999, 1_000_000)];
        for (nanos, micros) in table {
            assert_eq!(Time::at_or_after(Timestamp { seconds: 2, nanos }), Time(2_000_000 + micros), "{nanos}");
        }
        let nonsense = Timestamp { seconds: i64::MAX, nanos: i32::MAX };
        assert_eq!(Time::at_or_after(nonsense), Time(i64::MAX));
    }

    #[test]
    fn moments_before_1970_keep_their_order() {
        let before = Time::from_micros(-1);
        assert_eq!(before.to_timestamp(), Timestamp { seconds: -1, nanos: 999_999_000 });
        assert_eq!(Time::at_or_after(before.to_timestamp()), before);
    }

    #[test]
    fn the_sentinel_fits() {
        assert!(Time::at_or_after(everturn_history::NEVER) > Time::from_micros(253_402_300_799_999_999));
    }
}

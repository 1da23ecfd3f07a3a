//! Moments inside JSON: RFC 3339 text in UTC.

use everturn_history::{NEVER, Timestamp};
use everturn_store::Time;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};

/// A moment: RFC 3339 text in UTC.
pub type Moment = Timestamp;

/// The first moment that has a JSON form: the year 1.
const FIRST: Timestamp = Timestamp { seconds: -62_135_596_800, nanos: 0 };

/// A moment of the store. What lies outside the years 1 to 9999 has no JSON form and becomes the nearest that has.
pub fn moment(time: Time) -> Moment {
    let timestamp = time.to_timestamp();
    if timestamp.seconds > NEVER.seconds {
        NEVER
    } else if timestamp.seconds < FIRST.seconds {
        FIRST
    } else {
        timestamp
    }
}

/// Reads a moment from RFC 3339 text.
pub fn read_moment(text: &str) -> Result<Moment, Error> {
    let text: StrDeserializer<'_, Error> = text.into_deserializer();
    Moment::deserialize(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_moment_of_the_store_has_a_json_form() {
        for micros in [i64::MIN, -1, 0, 253_402_300_800_000_000, i64::MAX] {
            assert!(serde_json::to_string(&moment(Time::from_micros(micros))).is_ok(), "{micros}");
        }
        assert_eq!(moment(Time::at_or_after(NEVER)), NEVER);
    }
}

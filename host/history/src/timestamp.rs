//! A moment as protobuf has it, with the JSON form that its specification asks for.

use std::fmt;
use std::ops::RangeInclusive;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::de::{Error as _, Unexpected, Visitor};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::NEVER;

/// `google.protobuf.Timestamp`. In JSON it is RFC 3339 text in UTC, ending in `Z`, with 0, 3, 6 or 9 digits of a second.
#[derive(Clone, Copy, PartialEq, Eq, Hash, prost::Message)]
pub struct Timestamp {
    /// Whole seconds since 1970-01-01T00:00:00Z.
    #[prost(int64, tag = "1")]
    pub seconds: i64,
    /// Nanoseconds past that second, 0 to 999,999,999.
    #[prost(int32, tag = "2")]
    pub nanos: i32,
}

/// The seconds that protobuf allows: from the year 1 to the year 9999.
const SECONDS: RangeInclusive<i64> = -62_135_596_800..=NEVER.seconds;

impl Timestamp {
    fn to_utc(self) -> Option<DateTime<Utc>> {
        let moment = DateTime::from_timestamp(self.seconds, u32::try_from(self.nanos).ok()?)?;
        self.is_valid().then_some(moment)
    }

    fn is_valid(self) -> bool {
        SECONDS.contains(&self.seconds) && (0..1_000_000_000).contains(&self.nanos)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let moment = self.to_utc().ok_or_else(|| S::Error::custom(format!("{self:?} is not a moment")))?;
        serializer.serialize_str(&moment.to_rfc3339_opts(SecondsFormat::AutoSi, true))
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl Visitor<'_> for Text {
            type Value = Timestamp;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a time such as \"2026-01-01T09:00:00Z\"")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Timestamp, E> {
                let read = || {
                    let moment = DateTime::parse_from_rfc3339(text).ok()?.to_utc();
                    let nanos = i32::try_from(moment.timestamp_subsec_nanos()).ok()?;
                    Some(Timestamp { seconds: moment.timestamp(), nanos }).filter(|moment| moment.is_valid())
                };
                read().ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
            }
        }

        deserializer.deserialize_str(Text).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_json_form_is_the_one_that_protobuf_specifies() {
        let table = [
            (Timestamp { seconds: 0, nanos: 0 }, "1970-01-01T00:00:00Z"),
            (Timestamp { seconds: 1_767_258_000, nanos: 120_000_000 }, "2026-01-01T09:00:00.120Z"),
            (Timestamp { seconds: -1, nanos: 1_000 }, "1969-12-31T23:59:59.000001Z"),
            (NEVER, "9999-12-31T23:59:59.999999999Z"),
            (Timestamp { seconds: -62_135_596_800, nanos: 0 }, "0001-01-01T00:00:00Z"),
        ];
        for (moment, text) in table {
            assert_eq!(serde_json::to_string(&moment).unwrap(), format!("\"{text}\""));
            assert_eq!(serde_json::from_str::<Timestamp>(&format!("\"{text}\"")).unwrap(), moment);
        }
    }

    #[test]
    fn other_zones_are_read_and_nonsense_is_told() {
        let berlin: Timestamp = serde_json::from_str("\"1970-01-01T01:00:00.5+01:00\"").unwrap();
        assert_eq!(berlin, Timestamp { seconds: 0, nanos: 500_000_000 });
        let error = serde_json::from_str::<Timestamp>("\"yesterday\"").unwrap_err().to_string();
        assert!(error.contains("expected a time such as"), "{error}");
        for nonsense in ["9999-12-31T23:59:59-23:59", "2016-12-31T23:59:60.5Z", "0000-12-31T00:00:00Z", ""] {
            assert!(serde_json::from_str::<Timestamp>(&format!("\"{nonsense}\"")).is_err(), "{nonsense}");
        }
        for (seconds, nanos) in [(0, -1), (0, 1_000_000_000), (i64::MAX, 0), (NEVER.seconds + 1, 0)] {
            assert!(serde_json::to_string(&Timestamp { seconds, nanos }).is_err(), "{seconds} {nanos}");
        }
    }
}

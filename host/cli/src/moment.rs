//! Moments and lengths of time, for people.

use std::time::Duration;

use everturn_history::Timestamp;

/// A moment in its JSON form, without the quotes.
pub(crate) fn written(moment: Timestamp) -> String {
    let json = serde_json::to_value(moment).ok();
    json.as_ref().and_then(|json| json.as_str()).unwrap_or("an unknown time").to_owned()
}

/// A moment to the second.
pub(crate) fn to_the_second(moment: Timestamp) -> String {
    written(Timestamp { nanos: 0, ..moment })
}

/// A moment to the millisecond.
pub(crate) fn to_the_millisecond(moment: Timestamp) -> String {
    let milliseconds = moment.nanos / 1_000_000;
    let second = to_the_second(moment);
    format!("{}.{milliseconds:03}Z", second.trim_end_matches('Z'))
}

/// How long from one moment to another, to the millisecond.
pub(crate) fn between(from: Timestamp, to: Timestamp) -> String {
    let milliseconds = (to.seconds - from.seconds) * 1_000 + i64::from((to.nanos - from.nanos) / 1_000_000);
    let duration = Duration::from_millis(u64::try_from(milliseconds).unwrap_or(0));
    humantime::format_duration(duration).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_cut_not_rounded() {
        let moment = Timestamp { seconds: 1_767_258_000, nanos: 999_999_999 };
        assert_eq!(to_the_second(moment), "2026-01-01T09:00:00Z");
        assert_eq!(to_the_millisecond(moment), "2026-01-01T09:00:00.999Z");
        assert_eq!(between(moment, Timestamp { seconds: moment.seconds + 90, ..moment }), "1m 30s");
    }
}

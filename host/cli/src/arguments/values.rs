//! How times, lengths of time and the like are written in arguments.

use std::net::SocketAddr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use everturn_history::Timestamp;
use everturn_server::model::{Moment, read_moment};

/// A length of time: `90s`, `5m`, `1h30m`, `7d`.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|error| format!("{error}; write it as 90s, 5m, 1h30m or 7d"))
}

/// A moment: RFC 3339, or how long ago.
pub(super) fn past(text: &str) -> Result<Moment, String> {
    match humantime::parse_duration(text) {
        Ok(ago) => before_now(ago),
        Err(_) => moment(text),
    }
}

/// A moment: RFC 3339.
pub(super) fn moment(text: &str) -> Result<Moment, String> {
    read_moment(text).map_err(|_| "write it as 2026-01-01T09:00:00Z, with a zone".to_owned())
}

/// So long ago.
pub(super) fn before_now(ago: Duration) -> Result<Moment, String> {
    SystemTime::now().checked_sub(ago).and_then(to_moment).ok_or_else(|| "that is too long ago".to_owned())
}

/// So far ahead.
pub(super) fn after_now(delay: &str) -> Result<Moment, String> {
    let then = SystemTime::now().checked_add(duration(delay)?);
    then.and_then(to_moment).ok_or_else(|| "that is too far ahead".to_owned())
}

/// A moment so long ago.
pub(super) fn ago(text: &str) -> Result<Moment, String> {
    before_now(duration(text)?)
}

fn to_moment(time: SystemTime) -> Option<Moment> {
    let since = time.duration_since(UNIX_EPOCH).ok()?;
    let moment = Timestamp { seconds: since.as_secs().try_into().ok()?, nanos: since.subsec_nanos().try_into().ok()? };
    // The years that have a JSON form.
    (moment.seconds <= everturn_history::NEVER.seconds).then_some(moment)
}

/// `NAME=VALUE`.
pub(super) fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write it as NAME=VALUE".to_owned()),
    }
}

/// An address to listen on, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MaybeAddress(pub(crate) Option<SocketAddr>);

/// An address to listen on, or `none`.
pub(super) fn address_or_none(text: &str) -> Result<MaybeAddress, String> {
    match text {
        "none" => Ok(MaybeAddress(None)),
        _ => address(text).map(|address| MaybeAddress(Some(address))).map_err(|error| format!("{error}, or as none")),
    }
}

/// An address to listen on. `localhost` is a name for one.
pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    let address = text.strip_prefix("localhost:").map_or_else(|| text.to_owned(), |port| format!("127.0.0.1:{port}"));
    address.parse().map_err(|_| "write it as ADDRESS:PORT, such as 127.0.0.1:4000".to_owned())
}

/// Which open instances a gate checks. The host reads it; this only finds what it would refuse.
pub(crate) fn gate(text: &str) -> Result<String, String> {
    let is_sample = text.strip_prefix("sample=").is_some_and(|count| count.parse::<usize>().is_ok());
    if matches!(text, "all" | "off") || is_sample {
        return Ok(text.to_owned());
    }
    Err("write all, off, or sample=NUMBER".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time_are_written_as_people_do() {
        for (text, seconds) in [("90s", 90), ("5m", 300), ("1h30m", 5_400), ("1h 30m", 5_400), ("7d", 604_800)] {
            assert_eq!(duration(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        for text in ["", "5", "soon", "-5m"] {
            assert!(duration(text).unwrap_err().contains("write it as"), "{text}");
        }
    }

    #[test]
    fn moments_are_absolute_or_so_long_ago() {
        assert_eq!(past("1970-01-01T01:00:00+01:00"), Ok(Timestamp { seconds: 0, nanos: 0 }));
        assert!(past("1h").unwrap().seconds > 0);
        assert!(past("yesterday").is_err());
        assert!(after_now("9999999y").is_err());
    }
}

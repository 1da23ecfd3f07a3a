//! How long a client waits, as it says with its call.

use std::time::Duration;

use tonic::metadata::MetadataMap;

/// Resolves when the client's time is over. One that gave none has all the time there is.
pub(crate) async fn passed(limit: Option<Duration>) {
    match limit {
        Some(limit) => tokio::time::sleep(limit).await,
        None => std::future::pending().await,
    }
}

/// The time limit of a call. One that cannot be read is none: the client ends the call itself.
pub(crate) fn of(metadata: &MetadataMap) -> Option<Duration> {
    read(metadata.get("grpc-timeout")?.to_str().ok()?)
}

/// At most eight digits and a unit, says gRPC.
fn read(text: &str) -> Option<Duration> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let is_number = (1..=8).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
    let number: u64 = number.parse().ok().filter(|_| is_number)?;
    Some(match unit {
        "H" => Duration::from_secs(number * 60 * 60),
        "M" => Duration::from_secs(number * 60),
        "S" => Duration::from_secs(number),
        "m" => Duration::from_millis(number),
        "u" => Duration::from_micros(number),
        "n" => Duration::from_nanos(number),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_a_number_and_a_unit() {
        let table = [
            ("1H", Some(Duration::from_secs(3_600))),
            ("2M", Some(Duration::from_secs(120))),
            ("3S", Some(Duration::from_secs(3))),
            ("99999999m", Some(Duration::from_millis(99_999_999))),
            ("5u", Some(Duration::from_micros(5))),
            ("6n", Some(Duration::from_nanos(6))),
            ("", None),
            ("S", None),
            ("+1S", None),
            ("123456789S", None),
            ("1s", None),
            ("1é", None),
        ];
        for (text, limit) in table {
            assert_eq!(read(text), limit, "{text}");
        }
    }
}

//! Payloads inside JSON: values that are kept to the letter.

use serde::{Deserialize, Deserializer};
use serde_json::value::{RawValue, to_raw_value};

/// A JSON value as text.
pub type Payload = Box<RawValue>;

/// A payload as an embedded value. Text that is no JSON, which only a foreign worker can have written, becomes a string.
pub fn payload(text: &str) -> Payload {
    let read = serde_json::from_str::<&RawValue>(text).map(ToOwned::to_owned);
    read.or_else(|_| to_raw_value(text)).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// Tells `null` from absent, which serde does not by itself. To be used with `default`.
pub(super) fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Payload>, D::Error> {
    Payload::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_keeps_every_character() {
        let text = "{\"b\" : 1.0,\n \"a\":1e400, \"a\":2}";
        assert_eq!(payload(text).get(), text);
    }

    #[test]
    fn what_is_no_json_becomes_a_string() {
        assert_eq!(payload("{no \"JSON\"").get(), r#""{no \"JSON\"""#);
        assert_eq!(payload("").get(), r#""""#);
    }
}

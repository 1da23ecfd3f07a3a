//! What bytes look like, where that has to tell what they are.

use everturn_history::Timestamp;
use prost::Message as _;
use prost::bytes::Buf as _;
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};

/// The years that a clock of a worker shows: 2000 to 2100. Text never looks like one of these.
const PLAUSIBLE_SECONDS: std::ops::Range<i64> = 946_684_800..4_102_444_800;

/// Whether this is a UUID as text, which is how Dapr's SDKs name a task execution.
pub(super) fn is_uuid(bytes: &[u8]) -> bool {
    bytes.len() == 36
        && bytes.iter().enumerate().all(|(place, byte)| match place {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Whether this is a moment as protobuf writes it.
pub(super) fn is_moment(bytes: &[u8]) -> bool {
    let fields_fit = fields(bytes)
        .is_some_and(|fields| fields.iter().all(|(tag, value)| matches!(tag, 1 | 2) && matches!(value, Value::Number)));
    let moment = Timestamp::decode(bytes).ok().filter(|_| fields_fit);
    moment.is_some_and(|moment| PLAUSIBLE_SECONDS.contains(&moment.seconds))
}

/// Whether this is text that people write.
pub(super) fn is_readable(text: &str) -> bool {
    !text.is_empty() && !text.chars().any(char::is_control)
}

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value<'a> {
    /// A number of some kind.
    Number,
    /// Text, bytes or a message.
    Bytes(&'a [u8]),
}

/// The fields of a message that nobody knows the type of. None: this is no message.
pub(super) fn fields(mut bytes: &[u8]) -> Option<Vec<(u32, Value<'_>)>> {
    let mut fields = Vec::new();
    while bytes.has_remaining() {
        let (tag, wire_type) = decode_key(&mut bytes).ok()?;
        let value = if wire_type == WireType::LengthDelimited {
            let length = usize::try_from(decode_varint(&mut bytes).ok()?).ok()?;
            let (value, rest) = bytes.split_at_checked(length)?;
            bytes = rest;
            Value::Bytes(value)
        } else {
            skip_field(wire_type, tag, &mut bytes, DecodeContext::default()).ok()?;
            Value::Number
        };
        fields.push((tag, value));
    }
    Some(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_is_told_from_other_text() {
        assert!(is_uuid(b"0b9d8f3e-6a55-4a39-9d0c-3e6ef3ad1f10"));
        assert!(!is_uuid(b"0b9d8f3e-6a55-4a39-9d0c-3e6ef3ad1f1"));
        assert!(!is_uuid(b"00-0af7651916cd43dd8448eb211c80319c-"));
        assert!(!is_uuid(&[0x0a; 36]));
    }

    #[test]
    fn a_moment_is_told_from_text() {
        let moment = Timestamp { seconds: 1_763_400_000, nanos: 5 };
        assert!(is_moment(&moment.encode_to_vec()));
        for text in ["", "v1", "2026-01-01", "\u{8}\u{1}"] {
            assert!(!is_moment(text.as_bytes()), "{text:?}");
        }
    }

    #[test]
    fn a_message_is_read_without_its_type_and_nonsense_is_not() {
        let fields_of = |bytes| fields(bytes).map(|fields| fields.len());
        assert_eq!(fields(&[0x0a, 1, b'a', 0x10, 5]), Some(vec![(1, Value::Bytes(b"a")), (2, Value::Number)]));
        assert_eq!(fields_of(&[]), Some(0));
        assert_eq!(fields_of(&[0x0a, 9, b'a']), None);
        assert_eq!(fields_of(&[0x08]), None);
        assert_eq!(fields_of(&[0x00, 0x00]), None);
    }
}

//! Events as bytes: what one turn added to history, in one piece.

use everturn_history::HistoryEvent;
use prost::Message;

/// The events of one turn, each with its length before it. Encoded by who makes them, so that the one thread that writes
/// only copies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EncodedEvents {
    /// How many.
    pub count: u64,
    /// Their bytes.
    pub bytes: Vec<u8>,
}

/// Bytes that are no events: the file was damaged, or written by something else.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("history cannot be read after {read} events: {source}")]
pub struct UnreadableEvents {
    /// How many could be read.
    pub read: usize,
    source: prost::DecodeError,
}

impl EncodedEvents {
    /// Encodes.
    pub fn of<'a>(events: impl IntoIterator<Item = &'a HistoryEvent>) -> Self {
        let mut encoded = Self::default();
        for event in events {
            // The only error is a buffer that is too small, and this one grows.
            let _ = event.encode_length_delimited(&mut encoded.bytes);
            encoded.count += 1;
        }
        encoded
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// Decodes what [`EncodedEvents`] holds and appends it.
pub fn decode_events(mut bytes: &[u8], events: &mut Vec<HistoryEvent>) -> Result<(), UnreadableEvents> {
    while !bytes.is_empty() {
        let event = HistoryEvent::decode_length_delimited(&mut bytes)
            .map_err(|source| UnreadableEvents { read: events.len(), source })?;
        events.push(event);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use everturn_history::{Timestamp, event};

    use super::*;

    #[test]
    fn what_was_encoded_is_decoded_and_damage_is_told() {
        let at = Timestamp { seconds: 7, nanos: 0 };
        let given = vec![event::turn_started(at, vec![]), event::event_raised(at, "go", &"x".repeat(300))];
        let encoded = EncodedEvents::of(&given);
        assert_eq!(encoded.count, 2);
        let mut read = Vec::new();
        decode_events(&encoded.bytes, &mut read).unwrap();
        assert_eq!(read, given);
        let damaged = &encoded.bytes[..encoded.bytes.len() - 1];
        assert_eq!(decode_events(damaged, &mut Vec::new()).unwrap_err().read, 1);
    }
}

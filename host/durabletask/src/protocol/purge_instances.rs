//! What to delete. Number 4 is a flag for Dapr and a batch of ids for Microsoft, and number 5 the other way round.

use prost::bytes::{Buf, BufMut};
use prost::encoding::{DecodeContext, WireType, bool as boolean, message, skip_field};
use prost::{DecodeError, Message, Oneof};

use super::{InstanceBatch, PurgeInstanceFilter};

/// Dapr: whether to delete what has not ended. Microsoft: a batch of ids.
const FORCE_OR_BATCH: u32 = 4;
/// Dapr: a router. Microsoft: whether workflows are meant. Neither changes anything here.
const ROUTER_OR_KIND: u32 = 5;

/// What to delete, of either dialect.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PurgeInstancesRequest {
    /// What both dialects have.
    pub fields: PurgeFields,
    /// Dapr: also what has not ended.
    pub force: bool,
    /// Microsoft: these.
    pub batch: Option<InstanceBatch>,
}

/// What a purge has in both dialects.
#[derive(Clone, PartialEq, Message)]
pub struct PurgeFields {
    /// What is to go.
    #[prost(oneof = "PurgeTarget", tags = "1, 2")]
    pub target: Option<PurgeTarget>,
    /// The children too.
    #[prost(bool, tag = "3")]
    pub recursive: bool,
}

/// What is to go.
#[derive(Clone, PartialEq, Oneof)]
pub enum PurgeTarget {
    /// The instance with this id.
    #[prost(string, tag = "1")]
    InstanceId(String),
    /// All that fit.
    #[prost(message, tag = "2")]
    Filter(PurgeInstanceFilter),
}

impl Message for PurgeInstancesRequest {
    fn encode_raw(&self, buffer: &mut impl BufMut) {
        self.fields.encode_raw(buffer);
        if self.force {
            boolean::encode(FORCE_OR_BATCH, &self.force, buffer);
        }
        if let Some(batch) = &self.batch {
            message::encode(FORCE_OR_BATCH, batch, buffer);
        }
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        buffer: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError> {
        match (tag, wire_type) {
            (FORCE_OR_BATCH, WireType::LengthDelimited) => {
                message::merge(wire_type, self.batch.get_or_insert_default(), buffer, context)
            }
            (FORCE_OR_BATCH, _) => boolean::merge(wire_type, &mut self.force, buffer, context),
            (ROUTER_OR_KIND, _) => skip_field(wire_type, tag, buffer, context),
            _ => self.fields.merge_field(tag, wire_type, buffer, context),
        }
    }

    fn encoded_len(&self) -> usize {
        let force = if self.force { boolean::encoded_len(FORCE_OR_BATCH, &true) } else { 0 };
        let batch = self.batch.as_ref().map_or(0, |batch| message::encoded_len(FORCE_OR_BATCH, batch));
        self.fields.encoded_len() + force + batch
    }

    fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_meanings_of_both_numbers_are_read() {
        // Recursive, forced, with an empty router.
        let dapr: &[u8] = &[0x0a, 1, b'i', 0x18, 1, 0x20, 1, 0x2a, 0];
        let read = PurgeInstancesRequest::decode(dapr).unwrap();
        assert!(read.force && read.fields.recursive && read.batch.is_none());
        assert_eq!(read.fields.target, Some(PurgeTarget::InstanceId("i".to_owned())));

        // A batch of two, workflows meant.
        let microsoft: &[u8] = &[0x22, 6, 0x0a, 1, b'a', 0x0a, 1, b'b', 0x28, 1];
        let read = PurgeInstancesRequest::decode(microsoft).unwrap();
        assert!(!read.force && read.fields.target.is_none());
        assert_eq!(read.batch.unwrap().instance_ids, ["a", "b"]);
    }

    #[test]
    fn what_is_written_is_read_again() {
        let batch = InstanceBatch { instance_ids: vec!["a".to_owned()] };
        for (force, batch) in [(false, None), (true, None), (false, Some(batch))] {
            let request = PurgeInstancesRequest { fields: PurgeFields::default(), force, batch };
            let bytes = request.encode_to_vec();
            assert_eq!(bytes.len(), request.encoded_len());
            assert_eq!(PurgeInstancesRequest::decode(bytes.as_slice()).unwrap(), request);
        }
    }
}

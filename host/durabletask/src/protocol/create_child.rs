//! The call of a child. Number 6 is a scope for Dapr and tags for Microsoft.

use everturn_history::{RetryParentInstanceInfo, StringValue};
use prost::bytes::{Buf, BufMut};
use prost::encoding::{DecodeContext, WireType, bytes, int32};
use prost::{DecodeError, Message};

/// The number that has two meanings.
const SCOPE_OR_TAGS: u32 = 6;

/// The call of a child, of either dialect.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CreateChildWorkflowAction {
    /// What both dialects have.
    pub fields: ChildFields,
    /// Dapr: how much of the past the child is told, as the number of an `everturn_history::HistoryPropagationScope`.
    pub history_propagation_scope: Option<i32>,
    /// Microsoft: labels, one encoded entry each.
    pub tags: Vec<Vec<u8>>,
}

/// What the call of a child has in both dialects.
#[derive(Clone, PartialEq, Message)]
pub struct ChildFields {
    /// The id of the child. Empty: made from the parent's.
    #[prost(string, tag = "1")]
    pub instance_id: String,
    /// The name of the workflow.
    #[prost(string, tag = "2")]
    pub name: String,
    /// Its version.
    #[prost(message, optional, tag = "3")]
    pub version: Option<StringValue>,
    /// Its input.
    #[prost(message, optional, tag = "4")]
    pub input: Option<StringValue>,
    /// Dapr: a router. Microsoft: a trace context.
    #[prost(bytes = "vec", optional, tag = "5")]
    pub router_or_trace: Option<Vec<u8>>,
    /// Dapr: the instance of the first attempt.
    #[prost(message, optional, tag = "7")]
    pub retry_parent_instance_info: Option<RetryParentInstanceInfo>,
}

impl Message for CreateChildWorkflowAction {
    fn encode_raw(&self, buffer: &mut impl BufMut) {
        self.fields.encode_raw(buffer);
        if let Some(scope) = &self.history_propagation_scope {
            int32::encode(SCOPE_OR_TAGS, scope, buffer);
        }
        bytes::encode_repeated(SCOPE_OR_TAGS, &self.tags, buffer);
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        buffer: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError> {
        match (tag, wire_type) {
            (SCOPE_OR_TAGS, WireType::LengthDelimited) => {
                bytes::merge_repeated(wire_type, &mut self.tags, buffer, context)
            }
            (SCOPE_OR_TAGS, _) => {
                int32::merge(wire_type, self.history_propagation_scope.get_or_insert_default(), buffer, context)
            }
            _ => self.fields.merge_field(tag, wire_type, buffer, context),
        }
    }

    fn encoded_len(&self) -> usize {
        let scope = self.history_propagation_scope.map_or(0, |scope| int32::encoded_len(SCOPE_OR_TAGS, &scope));
        self.fields.encoded_len() + scope + bytes::encoded_len_repeated(SCOPE_OR_TAGS, &self.tags)
    }

    fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_meanings_of_the_number_are_read() {
        let dapr: &[u8] = &[0x12, 1, b'c', 0x30, 2];
        let read = CreateChildWorkflowAction::decode(dapr).unwrap();
        assert_eq!((read.history_propagation_scope, read.tags.len()), (Some(2), 0));

        let microsoft: &[u8] = &[0x32, 6, 0x0a, 1, b'k', 0x12, 1, b'v', 0x12, 1, b'c', 0x32, 3, 0x0a, 1, b'l'];
        let read = CreateChildWorkflowAction::decode(microsoft).unwrap();
        assert_eq!((read.history_propagation_scope, read.tags.len()), (None, 2));
        assert_eq!(read.fields.name, "c");
    }

    #[test]
    fn what_is_written_is_read_again() {
        for (scope, tags) in [(None, vec![]), (Some(1), vec![]), (None, vec![vec![0x0a, 0], vec![]])] {
            let action =
                CreateChildWorkflowAction { fields: ChildFields::default(), history_propagation_scope: scope, tags };
            let bytes = action.encode_to_vec();
            assert_eq!(bytes.len(), action.encoded_len());
            assert_eq!(CreateChildWorkflowAction::decode(bytes.as_slice()).unwrap(), action);
        }
    }
}

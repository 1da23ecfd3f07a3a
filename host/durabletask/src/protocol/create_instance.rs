//! A start. Number 10 is a flag for Dapr and a time for Microsoft.

use std::collections::BTreeMap;

use everturn_history::{StringValue, TaskRouter, Timestamp, TraceContext};
use prost::bytes::{Buf, BufMut};
use prost::encoding::{DecodeContext, WireType, bool as boolean, message};
use prost::{DecodeError, Message};

use super::OrchestrationIdReusePolicy;

/// The number that has two meanings.
const FLAG_OR_TIME: u32 = 10;

/// A start, of either dialect.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CreateInstanceRequest {
    /// What both dialects have.
    pub fields: InstanceFields,
    /// Dapr: an instance that has ended keeps its id too.
    pub enforce_unique_instance_id: bool,
    /// Microsoft: when the client asked.
    pub request_time: Option<Timestamp>,
}

/// What a start has in both dialects.
#[derive(Clone, PartialEq, Message)]
pub struct InstanceFields {
    /// The id of the new instance. Empty: generated.
    #[prost(string, tag = "1")]
    pub instance_id: String,
    /// The name of the workflow.
    #[prost(string, tag = "2")]
    pub name: String,
    /// The version. Empty: none.
    #[prost(message, optional, tag = "3")]
    pub version: Option<StringValue>,
    /// The input.
    #[prost(message, optional, tag = "4")]
    pub input: Option<StringValue>,
    /// Not before this time.
    #[prost(message, optional, tag = "5")]
    pub scheduled_start_timestamp: Option<Timestamp>,
    /// What to do when the id is in use.
    #[prost(message, optional, tag = "6")]
    pub orchestration_id_reuse_policy: Option<OrchestrationIdReusePolicy>,
    /// Tells this run from others under the same id.
    #[prost(message, optional, tag = "7")]
    pub execution_id: Option<StringValue>,
    /// Labels.
    #[prost(btree_map = "string, string", tag = "8")]
    pub tags: BTreeMap<String, String>,
    /// Whose trace it belongs to.
    #[prost(message, optional, tag = "9")]
    pub parent_trace_context: Option<TraceContext>,
    /// Which application is meant. There is one.
    #[prost(message, optional, tag = "11")]
    pub router: Option<TaskRouter>,
}

impl Message for CreateInstanceRequest {
    fn encode_raw(&self, buffer: &mut impl BufMut) {
        self.fields.encode_raw(buffer);
        if self.enforce_unique_instance_id {
            boolean::encode(FLAG_OR_TIME, &self.enforce_unique_instance_id, buffer);
        }
        if let Some(time) = &self.request_time {
            message::encode(FLAG_OR_TIME, time, buffer);
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
            (FLAG_OR_TIME, WireType::LengthDelimited) => {
                let time = self.request_time.get_or_insert_default();
                message::merge(wire_type, time, buffer, context)
            }
            (FLAG_OR_TIME, _) => boolean::merge(wire_type, &mut self.enforce_unique_instance_id, buffer, context),
            _ => self.fields.merge_field(tag, wire_type, buffer, context),
        }
    }

    fn encoded_len(&self) -> usize {
        let flag = if self.enforce_unique_instance_id { boolean::encoded_len(FLAG_OR_TIME, &true) } else { 0 };
        let time = self.request_time.as_ref().map_or(0, |time| message::encoded_len(FLAG_OR_TIME, time));
        self.fields.encoded_len() + flag + time
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
        let dapr: &[u8] = &[0x0a, 1, b'i', 0x12, 1, b'n', 0x50, 1];
        let read = CreateInstanceRequest::decode(dapr).unwrap();
        assert!(read.enforce_unique_instance_id && read.request_time.is_none());
        assert_eq!((read.fields.instance_id.as_str(), read.fields.name.as_str()), ("i", "n"));

        let microsoft: &[u8] = &[0x0a, 1, b'i', 0x52, 2, 0x08, 7, 0x12, 1, b'n'];
        let read = CreateInstanceRequest::decode(microsoft).unwrap();
        assert!(!read.enforce_unique_instance_id);
        assert_eq!(read.request_time, Some(Timestamp { seconds: 7, nanos: 0 }));
        assert_eq!(read.fields.name, "n");
    }

    #[test]
    fn what_is_written_is_read_again() {
        let mut request = CreateInstanceRequest {
            fields: InstanceFields {
                instance_id: "i".to_owned(),
                tags: BTreeMap::from([("a".to_owned(), "b".to_owned())]),
                ..InstanceFields::default()
            },
            enforce_unique_instance_id: true,
            request_time: None,
        };
        for time in [None, Some(Timestamp { seconds: 1, nanos: 2 })] {
            request.request_time = time;
            let bytes = request.encode_to_vec();
            assert_eq!(bytes.len(), request.encoded_len());
            assert_eq!(CreateInstanceRequest::decode(bytes.as_slice()).unwrap(), request);
        }
    }

    #[test]
    fn the_version_of_dapr_clients_is_empty_and_the_time_of_javascript_is_1970() {
        let read = CreateInstanceRequest::decode([0x1a, 0, 0x2a, 0].as_slice()).unwrap();
        assert_eq!(read.fields.version.unwrap().value, "");
        assert_eq!(read.fields.scheduled_start_timestamp, Some(Timestamp { seconds: 0, nanos: 0 }));
    }
}

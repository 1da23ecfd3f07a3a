//! Labels as Microsoft's dialect has them, under numbers that mean something else to Dapr: one encoded entry each.

use std::collections::BTreeMap;

use prost::{DecodeError, Message};

/// An entry of a map from text to text.
#[derive(Clone, PartialEq, Message)]
struct Entry {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(string, tag = "2")]
    value: String,
}

pub(super) fn read_tags(entries: &[Vec<u8>]) -> Result<BTreeMap<String, String>, DecodeError> {
    entries.iter().map(|entry| Entry::decode(entry.as_slice()).map(|entry| (entry.key, entry.value))).collect()
}

pub(super) fn write_tags(tags: &BTreeMap<String, String>) -> Vec<Vec<u8>> {
    let entry = |(key, value): (&String, &String)| Entry { key: key.clone(), value: value.clone() }.encode_to_vec();
    tags.iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_entries_of_a_map_on_the_wire() {
        let tags = BTreeMap::from([("a".to_owned(), "1".to_owned()), ("b".to_owned(), String::new())]);
        let written = write_tags(&tags);
        assert_eq!(written, [vec![0x0a, 1, b'a', 0x12, 1, b'1'], vec![0x0a, 1, b'b']]);
        assert_eq!(read_tags(&written).unwrap(), tags);
        assert!(read_tags(&[vec![0xff]]).is_err());
    }
}

//! Between values of a test and JSON text, with the names of both in what goes wrong.

use std::any::type_name;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::complaint::Complaint;

/// The longest payload in a message.
const SHOWN: usize = 300;

/// Writes a value. `what` reads like "the input of workflow `order`".
pub(crate) fn write<T: Serialize + ?Sized>(what: &str, value: &T) -> Result<String, Complaint> {
    serde_json::to_string(value).map_err(|error| Complaint::Unwritable {
        what: what.to_owned(),
        kind: kind_of::<T>(),
        detail: error.to_string(),
    })
}

/// Reads a value.
pub(crate) fn read<T: DeserializeOwned>(what: &str, payload: &str) -> Result<T, Complaint> {
    serde_json::from_str(payload).map_err(|error| Complaint::Unreadable {
        what: what.to_owned(),
        kind: kind_of::<T>(),
        detail: error.to_string(),
        payload: shown(payload),
    })
}

/// The name of a type without the paths in it: `Option<String>` for `core::option::Option<alloc::string::String>`.
fn kind_of<T: ?Sized>() -> String {
    let mut short = String::new();
    for part in type_name::<T>().split_inclusive(|character: char| !character.is_alphanumeric() && character != '_') {
        if part.ends_with(':') {
            // A path goes on: what came before is not its last name.
            let kept = short.trim_end_matches(|character: char| character.is_alphanumeric() || character == '_').len();
            short.truncate(kept);
        } else {
            short.push_str(part);
        }
    }
    short
}

/// Text short enough for a message.
pub(crate) fn shown(payload: &str) -> String {
    let mut shown: String = payload.chars().take(SHOWN).collect();
    if shown.len() < payload.len() {
        shown.push_str("...");
    }
    shown
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::kind_of;

    #[test]
    fn types_are_named_without_their_paths() {
        assert_eq!(kind_of::<u32>(), "u32");
        assert_eq!(kind_of::<BTreeMap<(i32, i32), Option<String>>>(), "BTreeMap<(i32, i32), Option<String>>");
        assert_eq!(kind_of::<&str>(), "&str");
    }
}

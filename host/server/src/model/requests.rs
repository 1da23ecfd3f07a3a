//! What clients ask for. A field that is not known is refused: a misspelt one must not vanish without a word.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::payload::given;
use super::{Moment, Payload};

/// Starts a workflow.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Start {
    /// The name of the workflow.
    pub workflow: String,
    /// The id of the new instance. Absent: generated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What it is given. Absent: `null`.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<serde_json::Value>)]
    pub input: Option<Payload>,
    /// The version. Absent: the active one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Not before this time. Absent: at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub starts_at: Option<Moment>,
    /// Labels.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, String>,
    /// What to do when the id is in use.
    #[serde(default)]
    pub if_exists: IfExists,
}

/// What to do when the id of a new instance is in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum IfExists {
    /// Refuse.
    #[default]
    Fail,
    /// Leave it as it is, and give that.
    Use,
    /// Take its place if it has ended; otherwise refuse.
    ReplaceEnded,
    /// Terminate it if it is open, and take its place.
    Replace,
}

/// A start that was accepted: it is on disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Started {
    /// The id.
    pub id: String,
    /// Whether it is new. False: it was there before, and that was allowed.
    pub is_new: bool,
    /// What to mind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Something that was accepted: it is on disk, and takes effect with the instance's next turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Accepted {
    /// What to mind.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// Raises an event.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RaiseEvent {
    /// What it carries. Absent: `null`.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<serde_json::Value>)]
    pub data: Option<Payload>,
}

/// Terminates an instance.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Terminate {
    /// What it shows as its output.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<serde_json::Value>)]
    pub output: Option<Payload>,
    /// Whether its children, their children and so on are terminated too.
    #[serde(default)]
    pub recursive: bool,
}

/// Suspends or resumes an instance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Reason {
    /// Why, for the history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Runs an instance again from some point of its history, as a new one.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Rerun {
    /// What is done again first: an activity, timer or child that its history has, by its number (`eventId`).
    pub from: i32,
    /// The id of the new instance. Absent: generated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_id: Option<String>,
    /// Another input for what is done again. Absent: the one it had.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<serde_json::Value>)]
    pub input: Option<Payload>,
}

/// Takes an open instance back in its history, and lets it go on from there.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Reset {
    /// The number of an event of its history, counted from 1: the turn that has it and all later ones are taken back.
    pub to: u64,
    /// The version to go on with. Absent: the one that it follows, if what is kept fits that, or else its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Why, for its history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A reset that was accepted: it is on disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WasReset {
    /// How many events were taken back.
    pub taken_back: u64,
    /// How many are left.
    pub kept: u64,
    /// The version that it goes on with.
    pub version: String,
    /// What to mind: updates that were taken back, children whose ids are in the way.
    #[serde(default)]
    pub warnings: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_is_told_from_absent() {
        let input = |json| serde_json::from_str::<Rerun>(json).unwrap().input.map(|input| input.get().to_owned());
        assert_eq!(input(r#"{"from": 1, "input": null}"#).as_deref(), Some("null"));
        assert_eq!(input(r#"{"from": 1}"#), None);
    }

    #[test]
    fn an_unknown_field_is_named() {
        let error = serde_json::from_str::<Start>(r#"{"workflow": "a", "inptu": 1}"#).unwrap_err().to_string();
        assert!(error.contains("unknown field `inptu`"), "{error}");
    }
}

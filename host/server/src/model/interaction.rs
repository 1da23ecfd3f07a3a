//! Queries and updates, and what they are answered.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::payload::given;
use super::{Failure, Payload};

/// Asks an instance.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// What the query is given. Absent: `null`.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<serde_json::Value>)]
    pub input: Option<Payload>,
}

/// What an instance answers to a query.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Answer {
    /// The answer.
    #[schema(value_type = serde_json::Value)]
    pub result: Payload,
}

/// Asks an instance to change.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Update {
    /// What the update is given. Absent: `null`.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<serde_json::Value>)]
    pub input: Option<Payload>,
    /// Tells it from others: the same asked again is not done again, and who lost the answer gets it, as long as the
    /// instance has not continued as new. Absent: generated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// What became of an update.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Updated {
    /// Whether the workflow accepted it. One that it did not accept has left no trace.
    pub accepted: bool,
    /// What it answers.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<serde_json::Value>)]
    pub result: Option<Payload>,
    /// Why it was refused, or failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}

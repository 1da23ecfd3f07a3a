//! Deleting instances that have ended.

use everturn_store::{Filter, Time};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{InstanceStatus, Moment};

/// Deletes the instances that have ended and for which all of this holds. At least one condition must be given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Purge {
    /// It has one of these statuses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub status: Vec<InstanceStatus>,
    /// It is of this workflow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
    /// Its id begins like this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id_prefix: Option<String>,
    /// It was made at this time or later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub created_from: Option<Moment>,
    /// It was made before this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub created_before: Option<Moment>,
    /// It ended before this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub ended_before: Option<Moment>,
}

impl Purge {
    /// The same for the store. None: nothing is given, and that would mean all.
    pub fn to_filter(self) -> Option<Filter> {
        let filter = Filter {
            statuses: self.status.into_iter().map(Into::into).collect(),
            workflow: self.workflow,
            id_prefix: self.id_prefix,
            created_from: self.created_from.map(Time::at_or_after),
            created_before: self.created_before.map(Time::at_or_after),
            ended_before: self.ended_before.map(Time::at_or_after),
            ..Filter::default()
        };
        (filter != Filter::default()).then_some(filter)
    }
}

/// How many instances were deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Purged {
    /// So many.
    pub purged: u64,
}

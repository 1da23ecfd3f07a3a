//! What those who look on are told.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::InstanceStatus;

/// An instance has changed, and this is on disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Change {
    /// Which.
    pub id: String,
    /// How it stands now.
    pub status: InstanceStatus,
    /// How many events its history has.
    pub events: u64,
    /// How often it has continued as new.
    pub generation: u32,
}

impl Change {
    /// The name of server-sent events that carry a change.
    pub const EVENT: &str = "change";
    /// The name of the server-sent event that says how many changes an onlooker missed, who was too slow.
    pub const MISSED: &str = "missed";
    /// The name of the last server-sent event: the host is stopping.
    pub const END: &str = "end";
}

impl From<everturn_runtime::Change> for Change {
    fn from(change: everturn_runtime::Change) -> Self {
        Self {
            id: change.id.into_string(),
            status: change.status.into(),
            events: change.events,
            generation: change.generation,
        }
    }
}

//! How far a deploy is.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How far a deploy is: the data of server-sent events `progress`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", tag = "phase")]
pub enum DeployProgress {
    /// The component is checked and compiled; or another deploy has to come to its end first.
    Compiling,
    /// The gate replays what is open.
    Replaying {
        /// How many instances were checked.
        checked: u64,
        /// How many are to be.
        total: u64,
    },
}

impl DeployProgress {
    /// The name of server-sent events that say how far it is.
    pub const EVENT: &str = "progress";
    /// The name of the last server-sent event, if it ended: its data is the answer.
    pub const DONE: &str = "done";
    /// The name of the last server-sent event, if it was refused or failed: its data is the error.
    pub const PROBLEM: &str = "problem";
}

impl From<everturn_runtime::Progress> for DeployProgress {
    fn from(progress: everturn_runtime::Progress) -> Self {
        Self::Replaying { checked: progress.checked as u64, total: progress.total as u64 }
    }
}

//! How an instance stands, and how the host does.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use everturn_store::Status;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How an instance stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum InstanceStatus {
    /// It has not had its first turn.
    Pending,
    /// It goes on.
    Running,
    /// Somebody suspended it.
    Suspended,
    /// Its code cannot go on: a person or another version has to help.
    Stalled,
    /// It returned a result.
    Completed,
    /// It returned a failure.
    Failed,
    /// Somebody terminated it.
    Terminated,
}

impl InstanceStatus {
    /// As text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Suspended => "suspended",
            Self::Stalled => "stalled",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Terminated => "terminated",
        }
    }

    /// Whether nothing happens to it any more.
    pub const fn is_ended(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Terminated)
    }
}

impl fmt::Display for InstanceStatus {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

/// Text that is no status.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is no status; there are pending, running, suspended, stalled, completed, failed and terminated")]
pub struct UnknownStatus {
    /// The text.
    pub given: String,
}

impl FromStr for InstanceStatus {
    type Err = UnknownStatus;

    fn from_str(text: &str) -> Result<Self, UnknownStatus> {
        let mut all = Status::ALL.into_iter().map(Self::from);
        all.find(|status| status.as_str() == text).ok_or_else(|| UnknownStatus { given: text.to_owned() })
    }
}

impl From<Status> for InstanceStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::Pending => Self::Pending,
            Status::Running => Self::Running,
            Status::Suspended => Self::Suspended,
            Status::Stalled => Self::Stalled,
            Status::Completed => Self::Completed,
            Status::Failed => Self::Failed,
            Status::Terminated => Self::Terminated,
        }
    }
}

impl From<InstanceStatus> for Status {
    fn from(status: InstanceStatus) -> Self {
        match status {
            InstanceStatus::Pending => Self::Pending,
            InstanceStatus::Running => Self::Running,
            InstanceStatus::Suspended => Self::Suspended,
            InstanceStatus::Stalled => Self::Stalled,
            InstanceStatus::Completed => Self::Completed,
            InstanceStatus::Failed => Self::Failed,
            InstanceStatus::Terminated => Self::Terminated,
        }
    }
}

/// Whether a host can do its work, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum HealthState {
    /// It can.
    Ready,
    /// Its data cannot be written. What runs is kept and tried again.
    StorageFailing,
    /// It is stopping.
    Stopping,
}

/// Whether a host can do its work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Health {
    /// In a word.
    pub state: HealthState,
    /// What hinders it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl From<everturn_runtime::Health> for Health {
    fn from(health: everturn_runtime::Health) -> Self {
        match health {
            everturn_runtime::Health::Ready => Self { state: HealthState::Ready, problem: None },
            everturn_runtime::Health::StorageFailing { problem } => {
                Self { state: HealthState::StorageFailing, problem: Some(problem) }
            }
            everturn_runtime::Health::Stopping => Self { state: HealthState::Stopping, problem: None },
        }
    }
}

/// How a host does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HostStatus {
    /// The host's version.
    pub version: String,
    /// Whether it can do its work.
    pub health: Health,
    /// How many instances there are, by status.
    pub instances: BTreeMap<InstanceStatus, u64>,
    /// What it has done since it was started.
    pub statistics: BTreeMap<String, u64>,
}

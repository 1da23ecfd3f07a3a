//! How a run stands.

use std::fmt;

use everturn_history::OrchestrationStatus;

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// It has not had its first turn.
    Pending,
    /// It goes on.
    Running,
    /// Somebody suspended it: it sees nothing until it is resumed.
    Suspended,
    /// It returned a result.
    Completed,
    /// It returned an error.
    Failed,
    /// Somebody ended it.
    Terminated,
}

impl Status {
    /// Whether nothing happens to it any more.
    #[must_use]
    pub fn is_ended(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Terminated)
    }

    pub(crate) fn of_ending(status: OrchestrationStatus) -> Self {
        match status {
            OrchestrationStatus::Completed => Self::Completed,
            OrchestrationStatus::Terminated => Self::Terminated,
            _ => Self::Failed,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Suspended => "suspended",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Terminated => "terminated",
        })
    }
}

//! What a gate found.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Moment, moment};

/// What a candidate did with the histories of all that is open.
///
/// Replay checks the past, not the future: an instance that fits does in its next turns what the new code says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GateReport {
    /// Open instances whose history it replays as it is.
    pub compatible: u64,
    /// Those for which it does something else, or stops.
    pub diverged: u64,
    /// Those that were not looked at.
    pub not_checked: u64,
    /// Why they diverged, the cause of most of them first.
    pub causes: Vec<GateCause>,
}

/// Why instances diverged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GateCause {
    /// What kind of cause.
    pub kind: GateCauseKind,
    /// Of this workflow.
    pub workflow: String,
    /// What was recorded.
    pub recorded: String,
    /// What the candidate does.
    pub candidate: String,
    /// How many instances.
    pub count: u64,
    /// Which, as far as they are named.
    pub instances: Vec<Differing>,
}

/// An instance that diverged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Differing {
    /// Its id.
    pub id: String,
    /// The first event that differs, counted from 1. Absent: it is not about one event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<u64>,
}

/// What kind of cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum GateCauseKind {
    /// The candidate does something else.
    Mismatch,
    /// The candidate is stopped: it panics, traps, or exceeds a limit.
    Fault,
    /// The candidate does not come to rest in time.
    Timeout,
}

/// A report that was kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KeptReport {
    /// The version label of the candidate.
    pub version: String,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    pub at: Moment,
    /// What was found.
    pub report: GateReport,
}

impl From<everturn_runtime::GateReport> for GateReport {
    fn from(report: everturn_runtime::GateReport) -> Self {
        Self {
            compatible: report.compatible,
            diverged: report.diverged,
            not_checked: report.not_checked,
            causes: report.causes.into_iter().map(GateCause::from).collect(),
        }
    }
}

impl From<everturn_runtime::Cause> for GateCause {
    fn from(cause: everturn_runtime::Cause) -> Self {
        let differing = |one: everturn_runtime::Differing| Differing { id: one.id.to_string(), event: one.event };
        Self {
            kind: match cause.kind {
                everturn_runtime::CauseKind::Mismatch => GateCauseKind::Mismatch,
                everturn_runtime::CauseKind::Fault => GateCauseKind::Fault,
                everturn_runtime::CauseKind::Timeout => GateCauseKind::Timeout,
            },
            workflow: cause.workflow,
            recorded: cause.recorded,
            candidate: cause.candidate,
            count: cause.count,
            instances: cause.instances.into_iter().map(differing).collect(),
        }
    }
}

impl KeptReport {
    pub(crate) fn new(version: String, at: everturn_store::Time, report: everturn_runtime::GateReport) -> Self {
        Self { version, at: moment(at), report: report.into() }
    }
}

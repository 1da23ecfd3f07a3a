//! Components that are available.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{GateReport, KeptReport, Moment, moment};

/// All deployments, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeploymentList {
    /// They.
    pub deployments: Vec<Deployment>,
}

/// A component that is available under a version label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Deployment {
    /// Its version label.
    pub version: String,
    /// The SHA-256 digest of the component.
    pub digest: String,
    /// How many bytes it has.
    pub size: u64,
    /// The workflows inside.
    pub workflows: Vec<String>,
    /// Those of them whose new starts go here.
    pub active_workflows: Vec<String>,
    /// Those of them that are on trial here, with the share of new starts in percent.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub trials: BTreeMap<String, u8>,
    /// The activities inside.
    pub activities: Vec<String>,
    /// Those of them whose calls go here.
    pub active_activities: Vec<String>,
    /// What its activities may reach.
    pub grants: Grants,
    /// Where children and next generations of its instances go.
    #[serde(default)]
    pub successors: Successors,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Moment,
    /// When it was retired: its component is not kept any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub retired_at: Option<Moment>,
    /// How many open instances run on it.
    pub open_instances: u64,
}

/// A deployment, and what its component tells of its workflows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeploymentDetails {
    /// The deployment.
    #[serde(flatten)]
    pub deployment: Deployment,
    /// What its component tells of its workflows. Absent: it is retired, so its component is not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub descriptions: Option<Vec<WorkflowDescription>>,
}

/// What a component tells of a workflow.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WorkflowDescription {
    /// Its name.
    pub name: String,
    /// What it does, in words; may be empty.
    #[serde(default)]
    pub summary: String,
    /// The signals that it handles.
    #[serde(default)]
    pub signals: Vec<String>,
    /// The queries that it answers.
    #[serde(default)]
    pub queries: Vec<String>,
    /// The updates that it handles.
    #[serde(default)]
    pub updates: Vec<String>,
}

/// Where children and next generations of a deployment's instances go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum Successors {
    /// To the active version.
    #[default]
    Newest,
    /// They stay with it.
    Same,
}

/// What the activities of a deployment may reach.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Grants {
    /// Hosts that they may send HTTP requests to.
    #[serde(default)]
    pub http: Vec<String>,
    /// Their environment.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// The names of the secrets that they may read.
    #[serde(default)]
    pub secrets: Vec<String>,
}

/// A component that was made available.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Deployed {
    /// Its version label.
    pub version: String,
    /// The SHA-256 digest of the component.
    pub digest: String,
    /// The workflows inside.
    pub workflows: Vec<String>,
    /// The activities inside.
    pub activities: Vec<String>,
    /// What to mind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Whether new starts go to it. Not after a dry run, nor if it cannot run what is open and that is to move to it.
    pub active: bool,
    /// Whether it cannot run what is open of one of its workflows: then it becomes active only if all that is open stays where it
    /// is.
    pub broken: bool,
    /// What the gate found.
    pub report: GateReport,
}

/// An activation that was undone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RolledBack {
    /// The version that had been activated.
    pub undone: String,
    /// The workflows inside, with the version that new starts go to now; `null`: nowhere.
    pub workflows: BTreeMap<String, Option<String>>,
}

/// Who is to move to a version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Moving {
    /// The version label.
    pub version: String,
    /// How many open instances are to move to it at their next turn, if their history fits.
    pub left: u64,
    /// Whether new starts of all its workflows go to it.
    pub active: bool,
}

/// Reports of gates, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KeptReports {
    /// They.
    pub reports: Vec<KeptReport>,
}

/// Where an instance is to go on.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveTo {
    /// The version label.
    pub version: String,
}

impl From<everturn_runtime::RolledBack> for RolledBack {
    fn from(undone: everturn_runtime::RolledBack) -> Self {
        Self { undone: undone.label, workflows: undone.workflows.into_iter().collect() }
    }
}

impl From<everturn_runtime::Deployed> for Deployed {
    fn from(deployed: everturn_runtime::Deployed) -> Self {
        Self {
            version: deployed.label,
            digest: deployed.digest.to_string(),
            workflows: deployed.workflows,
            activities: deployed.activities,
            warnings: deployed.warnings,
            active: deployed.is_active,
            broken: deployed.is_broken,
            report: deployed.report.into(),
        }
    }
}

impl From<everturn_runtime::WorkflowDescription> for WorkflowDescription {
    fn from(described: everturn_runtime::WorkflowDescription) -> Self {
        Self {
            name: described.name,
            summary: described.summary,
            signals: described.signals,
            queries: described.queries,
            updates: described.updates,
        }
    }
}

impl From<everturn_store::Deployment> for Deployment {
    fn from(deployment: everturn_store::Deployment) -> Self {
        Self {
            version: deployment.label,
            digest: deployment.digest.iter().map(|byte| format!("{byte:02x}")).collect(),
            size: deployment.size,
            workflows: deployment.workflows,
            active_workflows: deployment.active_workflows,
            trials: deployment.trials.into_iter().collect(),
            activities: deployment.activities,
            active_activities: deployment.active_activities,
            // Written by this host; another version may have written more.
            grants: serde_json::from_str(&deployment.grants).unwrap_or_default(),
            successors: match deployment.successors {
                everturn_store::Successors::Newest => Successors::Newest,
                everturn_store::Successors::Same => Successors::Same,
            },
            created_at: moment(deployment.created_at),
            retired_at: deployment.retired_at.map(moment),
            open_instances: deployment.open_instances,
        }
    }
}

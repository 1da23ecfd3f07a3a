//! Deployments: components made available under a version label.

use crate::Time;

/// The store's number of a deployment: later ones have higher numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeploymentId(pub i64);

/// The SHA-256 digest of a component.
pub type ComponentDigest = [u8; 32];

/// A component to be stored under a version label. Nothing goes to it before its [`Activation`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewDeployment {
    /// The version label. Must not be in use for another component; the same again changes nothing but the grants, the
    /// successors, and that it is not retired any more.
    pub label: String,
    /// The digest of the component.
    pub digest: ComponentDigest,
    /// The component.
    pub wasm: Vec<u8>,
    /// The workflows inside.
    pub workflows: Vec<String>,
    /// The activities inside.
    pub activities: Vec<String>,
    /// What its activities may reach: JSON text that the store does not read.
    pub grants: String,
    /// Where children and the next generations of its instances go.
    pub successors: Successors,
    /// Now.
    pub at: Time,
}

/// A deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployment {
    /// Its number.
    pub id: DeploymentId,
    /// Its version label.
    pub label: String,
    /// The digest of its component.
    pub digest: ComponentDigest,
    /// How many bytes that has.
    pub size: u64,
    /// The workflows inside.
    pub workflows: Vec<String>,
    /// Those of them whose new starts go here.
    pub active_workflows: Vec<String>,
    /// Those of them that it has on trial, with the share of new starts that go here, in percent.
    pub trials: Vec<(String, u8)>,
    /// The activities inside.
    pub activities: Vec<String>,
    /// Those of them whose calls go here.
    pub active_activities: Vec<String>,
    /// What its activities may reach.
    pub grants: String,
    /// Where children and the next generations of its instances go.
    pub successors: Successors,
    /// When it was made.
    pub created_at: Time,
    /// When it was retired: its component is not kept any more.
    pub retired_at: Option<Time>,
    /// How many open instances run on it.
    pub open_instances: u64,
}

/// Where the children and the next generations of a deployment's instances go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Successors {
    /// To the active deployment.
    #[default]
    Newest,
    /// They stay with it.
    Same,
}

/// Whose open instances move to a deployment, each at its next turn, if their history fits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Follow {
    /// Nobody's: all stay where they are.
    #[default]
    Nobody,
    /// Those of every other deployment.
    Everybody,
}

/// Where new starts of a workflow go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The active deployment.
    pub deployment: DeploymentId,
    /// Whose open instances move there.
    pub follow: Follow,
    /// Deployments that were undone since the last activation that was not: theirs move there as well.
    pub undone: Vec<DeploymentId>,
    /// A deployment on trial.
    pub trial: Option<Trial>,
}

/// A deployment that gets a share of new starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trial {
    /// Which.
    pub deployment: DeploymentId,
    /// The share, in percent.
    pub share: u8,
}

/// New starts and calls of all names inside a deployment go to it from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activation {
    /// Which deployment.
    pub deployment: DeploymentId,
    /// Whose open instances move to it. Nobody's while it is on trial.
    pub follow: Follow,
    /// Only this share of new starts, in percent: it is on trial. Calls of activities that another has stay there.
    pub share: Option<u8>,
    /// Now.
    pub at: Time,
}

/// A change of routes that was undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undone {
    /// The deployment that had been activated.
    pub deployment: DeploymentId,
    /// The workflows whose new starts went to it, with where they go now. None: nowhere.
    pub workflows: Vec<(String, Option<DeploymentId>)>,
}

/// What a gate found, in words that the store does not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateReport {
    /// The version label of the candidate.
    pub label: String,
    /// When it was made.
    pub at: Time,
    /// JSON text.
    pub report: String,
}

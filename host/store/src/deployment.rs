//! Deployments: components made available under a version label.

use crate::Time;

/// The store's number of a deployment: later ones have higher numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeploymentId(pub i64);

/// The SHA-256 digest of a component.
pub type ComponentDigest = [u8; 32];

/// A deployment to be made: the component, and for each name inside, that new starts and calls go to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewDeployment {
    /// The version label. Must not be in use for another component; the same again changes nothing but the grants.
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
    /// The activities inside.
    pub activities: Vec<String>,
    /// Those of them whose calls go here.
    pub active_activities: Vec<String>,
    /// What its activities may reach.
    pub grants: String,
    /// When it was made.
    pub created_at: Time,
    /// How many open instances run on it.
    pub open_instances: u64,
}

//! What clients ask for, and what they get.

use std::collections::BTreeMap;

use everturn_activity::Permissions;
use everturn_guest::Digest;
use everturn_history::{InstanceId, SequenceId, TraceContext};
use everturn_store::{Instance, OpenWork, Successors, Time};

use crate::gate::{Gate, GateReport};

/// A workflow to be started.
#[derive(Clone, Debug, Default)]
pub struct StartRequest {
    /// The name of the workflow.
    pub workflow: String,
    /// The id of the new instance. None: generated.
    pub id: Option<InstanceId>,
    /// JSON text. None: `null`.
    pub input: Option<String>,
    /// The version label. None: the active one.
    pub version: Option<String>,
    /// Not before this time. None: at once.
    pub starts_at: Option<Time>,
    /// Labels.
    pub tags: BTreeMap<String, String>,
    /// What to do when the id is in use.
    pub if_exists: ExistingInstance,
    /// What to do when nobody is known to have the workflow.
    pub unknown: UnknownWorkflow,
    /// What the input is.
    pub form: Form,
    /// The execution id of its first generation. None: generated.
    pub execution_id: Option<String>,
    /// The trace that it belongs to.
    pub trace: Option<TraceContext>,
}

/// What a payload is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// JSON text. Anything else is refused.
    #[default]
    Json,
    /// Any text: the workers and clients of other SDKs agree on it among themselves.
    Opaque,
}

/// What to do when nobody is known to have a workflow: no component, and no remote worker that is connected or was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownWorkflow {
    /// Refuse.
    #[default]
    Refuse,
    /// A remote worker will have it: wait for that.
    AwaitWorker,
}

/// What to do when the id of a new instance is in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExistingInstance {
    /// Refuse.
    #[default]
    Fail,
    /// Leave it as it is, and give that.
    Use,
    /// Take its place if it has ended; otherwise refuse.
    ReplaceEnded,
    /// Terminate it if it is open, and take its place.
    Replace,
}

/// A start that was accepted: it is on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartedInstance {
    /// The id.
    pub id: InstanceId,
    /// Whether it is new. False: it was there before, and that was allowed.
    pub is_new: bool,
    /// What to mind.
    pub warnings: Vec<String>,
}

/// An instance to be run again from some point of its history, as a new one.
#[derive(Clone, Debug, Default)]
pub struct RerunRequest {
    /// What is done again first: an activity, timer or child that its history has, by its number.
    pub from: SequenceId,
    /// The id of the new instance. None: generated.
    pub new_id: Option<InstanceId>,
    /// Another input for what is done again. None: the one it had.
    pub input: Option<String>,
    /// What that is.
    pub form: Form,
    /// The id of the child that is done again, if it is a child. None: made of the id of the new instance.
    pub child_id: Option<InstanceId>,
}

/// An open instance that is to go on from an earlier point of its history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResetRequest {
    /// The number of an event of its history, counted from 1: the turn that has it and all later ones are taken back.
    pub to: u64,
    /// The version label to go on with. None: the version that it follows, if what is kept fits that, or else its own.
    pub version: Option<String>,
    /// Why, for its history.
    pub reason: Option<String>,
}

/// An instance that was reset: it is on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResetInstance {
    /// How many events were taken back.
    pub taken_back: u64,
    /// How many are left.
    pub kept: u64,
    /// The label of the version that it goes on with.
    pub version: String,
    /// What to mind: updates that were taken back, children whose ids are in the way.
    pub warnings: Vec<String>,
}

/// An instance, as one looks at it.
#[derive(Clone, Debug)]
pub struct InstanceView {
    /// What the store keeps of it.
    pub instance: Instance,
    /// Its input: JSON text.
    pub input: Option<String>,
    /// What it has open.
    pub open: OpenWork,
    /// The version label of the deployment that it runs on.
    pub deployment: Option<String>,
    /// What to mind: a history that grows too long, an activity that no worker offers.
    pub warnings: Vec<String>,
}

/// A component to be made available.
#[derive(Clone, Debug, Default)]
pub struct DeployRequest {
    /// The bytes of the component.
    pub wasm: Vec<u8>,
    /// The version label. None: the beginning of the digest.
    pub label: Option<String>,
    /// What its activities may reach.
    pub permissions: Permissions,
    /// Where children and the next generations of its instances go.
    pub successors: Successors,
    /// How it takes over.
    pub rollout: Rollout,
    /// Only say what would happen: nothing is stored, and nothing goes to it.
    pub dry_run: bool,
}

/// A deployment to be made the active one.
#[derive(Clone, Debug, Default)]
pub struct ActivateRequest {
    /// Its version label.
    pub label: String,
    /// How it takes over.
    pub rollout: Rollout,
    /// Only say what would happen.
    pub dry_run: bool,
}

/// How a deployment takes over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rollout {
    /// What open instances of other deployments do.
    pub strategy: Strategy,
    /// Which of them are checked first.
    pub gate: Gate,
    /// Only this share of new starts goes to it, in percent, and open instances stay where they are.
    pub share: Option<u8>,
}

/// What open instances of other deployments do when there is a new one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// Those whose history fits move to it, each at its next turn.
    #[default]
    Upgrade,
    /// All stay where they are.
    Pin,
}

/// An activation that was undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RolledBack {
    /// The version label of the deployment that had been activated.
    pub label: String,
    /// The workflows inside, with the version that new starts go to now. None: nowhere.
    pub workflows: Vec<(String, Option<String>)>,
}

/// Who is to move to a deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moving {
    /// How many open instances are to go on there from their next turn, if their history fits. Those that are known not to
    /// fit are not among them.
    pub left: u64,
    /// Whether new starts of all its workflows go there.
    pub is_active: bool,
}

/// A component that is available.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployed {
    /// Its version label.
    pub label: String,
    /// Its digest.
    pub digest: Digest,
    /// The workflows inside.
    pub workflows: Vec<String>,
    /// The activities inside.
    pub activities: Vec<String>,
    /// What to mind: granted secrets that this host does not have.
    pub warnings: Vec<String>,
    /// Whether new starts go to it. Not after a dry run, nor if it cannot run what is open and that is to move to it.
    pub is_active: bool,
    /// Whether it cannot run what is open of one of its workflows: then it becomes active only if all that is open stays where
    /// it is.
    pub is_broken: bool,
    /// What the gate found.
    pub report: GateReport,
}

//! Why a request was refused, and why a runtime did not open.

use everturn_activity::LoadError;
use everturn_guest::{CacheError, ComponentError, EngineError};
use everturn_history::{InstanceId, SequenceId};
use everturn_store::StoreError;

use crate::text::listed;

/// Why a request was refused. Nothing was changed, except where it says otherwise.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RequestError {
    /// The store refused it, or could not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No deployment has the workflow.
    #[error("no deployment has a workflow `{workflow}`{}; deploy a component that has it, or start another", only(.known))]
    UnknownWorkflow {
        /// The workflow that was asked for.
        workflow: String,
        /// Those there are.
        known: Vec<String>,
    },
    /// There is no such version, or it does not have the workflow.
    #[error("version `{version}` of workflow `{workflow}` is not deployed; `everturn deployment list` shows what is")]
    UnknownVersion {
        /// The workflow.
        workflow: String,
        /// The version label that was asked for.
        version: String,
    },
    /// A payload exceeds the limit.
    #[error(
        "the {what} has {size} bytes, and the limit is {limit}; keep large data elsewhere and pass a reference to it"
    )]
    PayloadTooLarge {
        /// Which payload.
        what: &'static str,
        /// How many bytes it has.
        size: usize,
        /// How many it may have.
        limit: usize,
    },
    /// A payload is no JSON.
    #[error("the {what} is not JSON: {detail}")]
    InvalidPayload {
        /// Which payload.
        what: &'static str,
        /// Where it stops being JSON.
        detail: String,
    },
    /// A name or an id cannot be used.
    #[error("the {what} {problem}")]
    InvalidName {
        /// Which.
        what: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// It cannot be run again from there.
    #[error("instance `{id}` cannot be run again from {from}: {problem}")]
    CannotRerun {
        /// The instance.
        id: InstanceId,
        /// The number that was given.
        from: SequenceId,
        /// Why not.
        problem: String,
    },
    /// The component cannot be used.
    #[error("the component cannot be deployed: {0}")]
    Component(#[from] ComponentError),
    /// Its activities cannot be used.
    #[error("the component's activities cannot be deployed: {0}")]
    Activities(#[from] LoadError),
    /// The host is stopping.
    #[error("the host is stopping; ask again when it is back")]
    Stopping,
}

fn only(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!(", only {}", listed(names)) }
}

/// Why a runtime did not open.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// WebAssembly does not work here.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The directory of compiled components cannot be used.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

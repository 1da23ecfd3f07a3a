//! Why a request was refused, and why a runtime did not open.

use everturn_activity::LoadError;
use everturn_guest::{CacheError, ComponentError, EngineError};
use everturn_history::{InstanceId, SequenceId};
use everturn_store::{Status, StoreError};

use crate::text::listed;

/// Why a request was refused. Nothing was changed, except where it says otherwise.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RequestError {
    /// The store refused it, or could not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No deployment has the workflow.
    #[error("no deployment has a workflow `{workflow}`{}; deploy a component that has it, connect a worker, or start another", only(.known))]
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
    /// It cannot go on from there.
    #[error("instance `{id}` cannot be reset to event {to}: {problem}")]
    CannotReset {
        /// The instance.
        id: InstanceId,
        /// The event that was named.
        to: u64,
        /// Why not.
        problem: String,
    },
    /// The workflow handles nothing of that name.
    #[error("workflow `{workflow}` has no {what} `{name}`{}", only(.known))]
    UnknownHandler {
        /// A signal, a query or an update.
        what: &'static str,
        /// The name that was given.
        name: String,
        /// The workflow.
        workflow: String,
        /// Those that it has.
        known: Vec<String>,
    },
    /// A query has no answer.
    #[error("query `{query}` of instance `{id}` has no answer: {problem}")]
    NoAnswer {
        /// The instance.
        id: InstanceId,
        /// The query.
        query: String,
        /// Why not.
        problem: String,
    },
    /// An update finds nobody who takes it.
    #[error("instance `{id}` takes no update at the moment ({status}); nothing was changed, so try again")]
    NotTaken {
        /// The instance.
        id: InstanceId,
        /// How it stands.
        status: Status,
    },
    /// There is no such deployment.
    #[error("there is no version `{label}`, only {}; `everturn deployment list` shows them", listed(.known))]
    UnknownDeployment {
        /// The version label.
        label: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// The history of an instance does not fit a version.
    #[error("instance `{id}` does not fit version `{label}`, so it stays where it is: {problem}")]
    DoesNotFit {
        /// The instance.
        id: InstanceId,
        /// The version label.
        label: String,
        /// What does not fit.
        problem: String,
    },
    /// No activation is left that could be undone.
    #[error("there is no deploy that could be undone")]
    NothingToUndo,
    /// A share of new starts that is none.
    #[error("{share} is no share of new starts: give 1 to 99 percent, or leave it out for all of them")]
    InvalidShare {
        /// The share.
        share: u8,
    },
    /// An update was accepted, and will have no answer.
    #[error(
        "update `{update}` was accepted, but instance `{id}` ended, began anew or was reset before it was answered; its \
         history says what has happened"
    )]
    Unanswered {
        /// The instance.
        id: InstanceId,
        /// The id of the update.
        update: String,
    },
    /// More updates wait for an instance than it can take.
    #[error("instance `{id}` has too many updates waiting; nothing was changed, so try again later")]
    TooManyUpdates {
        /// The instance.
        id: InstanceId,
    },
    /// It cannot go on from before its failures.
    #[error("instance `{id}` cannot be rewound: {problem}")]
    CannotRewind {
        /// The instance.
        id: InstanceId,
        /// Why not.
        problem: &'static str,
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

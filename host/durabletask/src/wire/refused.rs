//! Why the answer to a turn is not taken. Then it has no effect, and the turn stays with the worker.

use std::fmt;

use everturn_history::OrchestrationStatus;

use super::moment::NoMoment;

/// Why the answer to a turn is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RefusedAnswer {
    /// There is too much of it.
    #[error("the turn asks for {count} things, and the limit is {limit}; let the workflow do them in several turns")]
    TooManyActions {
        /// How many actions there are.
        count: usize,
        /// How many there may be.
        limit: usize,
    },
    /// Its pieces are too large together.
    #[error("the pieces of the answer have {size} bytes together, and the limit is {limit}; keep large data elsewhere")]
    TooManyBytes {
        /// How many bytes there are.
        size: usize,
        /// How many there may be.
        limit: usize,
    },
    /// Two actions have one id.
    #[error("two actions have the id {id}; each needs its own, or their answers cannot be told apart")]
    DuplicateId {
        /// The id.
        id: i32,
    },
    /// An action says nothing.
    #[error("action {id} is of no kind that is known here; use an SDK of a version that this host supports")]
    UnknownKind {
        /// The action.
        id: i32,
    },
    /// Entities.
    #[error("action {id} is about an entity, and this host has none; keep such state in a workflow of its own")]
    Entity {
        /// The action.
        id: i32,
    },
    /// The host does that by itself.
    #[error("action {id} rewrites the history; this host rewinds instances by itself, and asks no worker to")]
    Rewind {
        /// The action.
        id: i32,
    },
    /// An action lacks what it cannot do without.
    #[error("action {id} has no {what}")]
    Missing {
        /// The action.
        id: i32,
        /// What it lacks.
        what: &'static str,
    },
    /// An action names a time that is none.
    #[error("the time of action {id} cannot be used: {source}")]
    NoMoment {
        /// The action.
        id: i32,
        /// What is wrong with it.
        source: NoMoment,
    },
    /// An end that is none.
    #[error(
        "action {id} ends the workflow as {}, which is no end; \
         there are completed, failed, terminated and continued as new",
        described(*.status)
    )]
    NoEnd {
        /// The action.
        id: i32,
        /// The number of its status.
        status: i32,
    },
    /// Something else than an event was carried over.
    #[error("action {id} carries over what is no event that was raised; only those reach the next generation")]
    CarriedOver {
        /// The action.
        id: i32,
    },
    /// Bytes that do not say what they should.
    #[error("the {what} cannot be read: {detail}; use an SDK of the dialect that this listener is for")]
    Unreadable {
        /// What they should say.
        what: &'static str,
        /// What the reader says.
        detail: String,
    },
    /// A piece is missing.
    #[error("piece {found} of the answer came where piece {expected} was due; send all of them again, from piece 0")]
    OutOfOrder {
        /// The piece that was due.
        expected: i32,
        /// The piece that came.
        found: i32,
    },
}

fn described(status: i32) -> String {
    OrchestrationStatus::try_from(status).map_or_else(
        |_| format!("{status}"),
        |status| status.as_str_name().trim_start_matches("ORCHESTRATION_STATUS_").to_lowercase().replace('_', " "),
    )
}

/// For fields that are read once the dialect is known.
pub(super) fn unreadable<E: fmt::Display>(what: &'static str) -> impl Fn(E) -> RefusedAnswer {
    move |error| RefusedAnswer::Unreadable { what, detail: error.to_string() }
}

//! What makes a test fail: a mistake in the test, or in the workflow under test. Every message says what to do about it.
//!
//! Nothing panics but [`or_fail`], on behalf of the test that called.

use std::path::PathBuf;

use everturn_builder::BuildError;
use everturn_guest::{ComponentError, EngineError, RunError};

use crate::replay::Difference;
use crate::time::Time;

/// Why a test fails.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Complaint {
    #[error("cannot build the workflow crate in {}: {source}", .directory.display())]
    Build { directory: PathBuf, source: BuildError },
    #[error("failed to read or write {}: {source}", .path.display())]
    File { path: PathBuf, source: std::io::Error },
    #[error("{whose} cannot be used as a component: {source}")]
    Component { whose: String, source: ComponentError },
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("the activities of the component cannot be run: {detail}")]
    Activities { detail: String },

    #[error(
        "{what}, of type `{kind}`, cannot be written as JSON: {detail}; maps need keys that are text, and numbers must be finite"
    )]
    Unwritable { what: String, kind: String, detail: String },
    #[error("{what} cannot be read as a `{kind}`: {detail}\n  it is: {payload}")]
    Unreadable { what: String, kind: String, detail: String, payload: String },

    #[error("the component has no workflow `{name}`; it has {}", listed(.known))]
    UnknownWorkflow { name: String, known: Vec<String> },
    #[error(
        "the workflow called activity `{name}`, and nobody does it: mock it with `.activity(\"{name}\", ..)`\n  mocked: {}\n  \
         in the component: {}{}",
        listed(.mocked), listed(.inside), real_hint(.name, .inside)
    )]
    UnknownActivity { name: String, mocked: Vec<String>, inside: Vec<String> },
    #[error(
        "the workflow called child `{name}`, which is not in the component: mock it with `.child(\"{name}\", ..)`\n  mocked: \
         {}\n  in the component: {}",
        listed(.mocked), listed(.inside)
    )]
    UnknownChild { name: String, mocked: Vec<String>, inside: Vec<String> },
    #[error("workflow `{workflow}` handles no {what} `{name}`; it handles {}{hint}", listed(.known))]
    UnknownHandler { what: &'static str, name: String, workflow: String, known: Vec<String>, hint: &'static str },
    #[error("there is no instance `{id}`; there is {}", listed(.known))]
    UnknownInstance { id: String, known: Vec<String> },

    #[error("query `{name}` of workflow `{workflow}` gave no answer: {problem}")]
    NoAnswer { name: String, workflow: String, problem: String },
    #[error("workflow `{workflow}` of instance `{instance}` cannot go on: {source}")]
    Stopped { workflow: String, instance: String, source: RunError },
    #[error("instance `{instance}` has ended: it is {status}, so {what} cannot reach it")]
    Ended { instance: String, status: crate::Status, what: String },
    #[error(
        "workflow `{workflow}` does something else when it is replayed from its own history, so it is not deterministic\n\
         {difference}"
    )]
    NotDeterministic { workflow: String, difference: Difference },

    #[error(
        "{what} never comes: all that is left at {now} waits for something that nobody sends\n{}\nsend it what it waits for \
         before (`run.signal`, `run.raise_event`), or at a chosen time (`run.at`)",
        .waits.join("\n")
    )]
    WaitsForEver { what: String, now: Time, waits: Vec<String> },
    #[error(
        "there were {limit} turns without any time passing, up to {now}; look for a loop that does not wait, such as a \
         timer of no length"
    )]
    Restless { limit: usize, now: Time },
    #[error(
        "the clock has jumped {limit} times, to {now}, and {what} is not there; a workflow that goes on for ever is tested \
         with `run.skip`, piece by piece"
    )]
    TooLong { what: String, limit: usize, now: Time },
    #[error("it is {now} already, and time does not go back to {asked}")]
    Past { now: Time, asked: Time },

    #[error("{0}")]
    Assertion(String),
}

/// Names in a row, as messages list them.
pub(crate) fn listed(names: &[String]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn real_hint(name: &String, inside: &[String]) -> String {
    if inside.contains(name) {
        return "\n  or let those of the component run for real: `.with_real_activities()`".to_owned();
    }
    String::new()
}

/// The one place where the testkit panics: where the test called it.
#[track_caller]
#[expect(clippy::panic, reason = "a test fails by panicking")]
pub(crate) fn or_fail<T>(result: Result<T, Complaint>) -> T {
    match result {
        Ok(value) => value,
        Err(complaint) => panic!("{complaint}"),
    }
}

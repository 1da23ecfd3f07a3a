//! Queries: questions to a guest that waits. They are handed over through the link, since the guest owns its store.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use everturn_replay::Failure;
use wasmtime::Store;
use wasmtime::component::{Accessor, ComponentExportIndex, ComponentType, Instance, Lift, TypedFunc};

use crate::bindings::everturn::workflow::types;
use crate::convert;
use crate::fault::GuestFault;
use crate::link::Link;
use crate::state::{State, failure_size};

/// Why a query has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// The workflow has no query of that name.
    #[error("the workflow has no query `{name}`, only {}", listed(.known))]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The names that it has.
        known: Vec<String>,
    },
    /// The query ran and failed.
    #[error("the query failed: {}: {}", .0.error_type, .0.message)]
    Failed(Failure),
    /// The answer is larger than it may be, or what was said in its place.
    #[error(
        "the answer has {size} bytes, and the limit is {limit}; let the query answer with less, or ask for a part of it"
    )]
    TooLarge {
        /// Its bytes.
        size: usize,
        /// The limit, `payload_size`.
        limit: usize,
    },
    /// Anything else, in words.
    #[error("the query was not answered: {0}")]
    Other(String),
}

fn listed(names: &[String]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "none at all".to_owned() } else { names.join(", ") }
}

/// What a guest answers.
pub(crate) type Answer = Result<String, QueryError>;

/// A question and its answer, on their way through the link.
#[derive(Default)]
pub(crate) struct Questions {
    asked: Option<(String, String)>,
    waker: Option<Waker>,
    answer: Option<Answer>,
    /// Whether the guest answers one now: it may only look then.
    pub(crate) answering: bool,
}

impl Questions {
    /// Asks. The guest has to be polled then.
    pub(crate) fn ask(&mut self, name: String, input: String) {
        self.asked = Some((name, input));
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    pub(crate) fn answer(&mut self) -> Option<Answer> {
        self.answer.take()
    }
}

/// As the guest gives it.
#[derive(ComponentType, Lift)]
#[component(variant)]
pub(crate) enum NoAnswer {
    #[component(name = "unknown-query")]
    Unknown(Vec<String>),
    #[component(name = "failed")]
    Failed(types::Failure),
    #[component(name = "other")]
    Other(String),
}

/// Where a guest answers queries.
pub(crate) type Door = TypedFunc<(String, String), (Result<String, NoAnswer>,)>;

/// Resolves with the next question.
struct Next<'a>(&'a Link);

impl Future for Next<'_> {
    type Output = (String, String);

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut linked = self.0.lock();
        match linked.questions.asked.take() {
            Some(asked) => Poll::Ready(asked),
            None => {
                linked.questions.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

/// Finds where a guest answers queries.
pub(crate) fn door(
    store: &mut Store<State>,
    instance: &Instance,
    index: ComponentExportIndex,
) -> wasmtime::Result<Door> {
    instance.get_typed_func(store, index)
}

/// Answers one question after the other, for ever. Without a door there is nobody to ask.
pub(crate) async fn serve(accessor: &Accessor<State>, link: &Link, door: Option<&Door>) -> wasmtime::Error {
    loop {
        let (name, input) = Next(link).await;
        let asked = name.clone();
        let answer = match door {
            None => Err(QueryError::Unknown { name, known: Vec::new() }),
            Some(door) => {
                link.lock().questions.answering = true;
                let answered = door.call_concurrent(accessor, (name, input)).await;
                link.lock().questions.answering = false;
                match answered {
                    Ok((answer,)) => {
                        let limit = accessor.with(|mut access| access.get().limits.payload_size);
                        checked(asked, answer, limit)
                    }
                    Err(error) => return error,
                }
            }
        };
        link.lock().questions.answer = Some(answer);
    }
}

/// Nothing but the guest's memory limits what it answers.
fn checked(name: String, answer: Result<String, NoAnswer>, limit: usize) -> Answer {
    let size = match &answer {
        Ok(answer) | Err(NoAnswer::Other(answer)) => answer.len(),
        Err(NoAnswer::Failed(failure)) => failure_size(failure),
        Err(NoAnswer::Unknown(known)) => known.iter().map(String::len).sum(),
    };
    if size > limit {
        return Err(QueryError::TooLarge { size, limit });
    }
    answer.map_err(|none| no_answer(name, none))
}

fn no_answer(name: String, none: NoAnswer) -> QueryError {
    match none {
        NoAnswer::Unknown(known) => QueryError::Unknown { name, known },
        NoAnswer::Failed(failure) => QueryError::Failed(convert::failure_from_guest(failure)),
        NoAnswer::Other(words) => QueryError::Other(words),
    }
}

/// What a query may not do.
pub(crate) fn only_looks(function: &'static str) -> GuestFault {
    GuestFault::Forbidden {
        interface: format!("everturn:workflow/{function} from within a query"),
        instead: "a query only looks: let a signal or an update change something",
    }
}

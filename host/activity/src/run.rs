//! One run of an activity, as a future that owns its store; and what its end is called.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use everturn_guest::Engine;
use everturn_replay::Failure;
use futures::future::BoxFuture;
use wasmtime::{Store, Trap};
use wasmtime_wasi::I32Exit;

use crate::bindings::ActivityPre;
use crate::bindings::everturn::workflow::types;
use crate::call::Outcome;
use crate::limits::ActivityLimits;
use crate::state::State;
use crate::{convert, error_types};

/// What an activity did that stopped it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Stopped {
    #[error("the activity asked for {wanted} {what}, and the limit is {limit}; work on less at once")]
    TooMuch { what: &'static str, wanted: usize, limit: usize },
    #[error("the details of a heartbeat have {size} bytes, and the limit is {limit}; say less")]
    HeartbeatTooLarge { size: usize, limit: usize },
    #[error("the activity called {function}, which only workflows may; return to the workflow, and do it there")]
    OnlyForWorkflows { function: String },
}

/// A run. Epochs advance while it is polled, so a busy guest yields; dropping it stops the guest.
pub(crate) struct Run {
    engine: Engine,
    future: BoxFuture<'static, Outcome>,
}

impl Run {
    pub(crate) fn new(engine: Engine, component: ActivityPre<State>, state: State) -> Self {
        Self { engine, future: Box::pin(run(component, state)) }
    }
}

impl Future for Run {
    type Output = Outcome;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Outcome> {
        let this = &mut *self;
        let _running = this.engine.running();
        let polled = catch_unwind(AssertUnwindSafe(|| this.future.as_mut().poll(context)));
        // A guest cannot panic in the host; what gives it WASI and the network might.
        polled.unwrap_or_else(|panic| Poll::Ready(Err(failure(error_types::HOST, words(panic.as_ref())))))
    }
}

/// What a panic says.
pub(crate) fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("there was a panic without a message").to_owned()
}

async fn run(component: ActivityPre<State>, state: State) -> Outcome {
    let (output, limits) = (Arc::clone(&state.output), Arc::clone(&state.limits));
    let (activity, input) = (state.call.activity.clone(), state.call.input.clone());
    let mut store = new_store(component.engine(), state);
    let returned = async {
        let guest = component.instantiate_async(&mut store).await?;
        let activities = guest.everturn_activity_activities();
        store.run_concurrent(async |accessor| activities.call_run(accessor, activity, input).await).await?
    };
    let returned = returned.await;
    output.flush();
    match returned {
        Ok(outcome) => accepted(outcome, &limits),
        Err(error) => Err(failure_of(&error, output.last_words())),
    }
}

/// A store with all limits set.
fn new_store(engine: &wasmtime::Engine, state: State) -> Store<State> {
    let limits = Arc::clone(&state.limits);
    let mut store = Store::new(engine, state);
    store.limiter(State::usage);
    store.set_hostcall_fuel(limits.host_call_bytes);
    store.set_max_component_handles(limits.resources);
    // Others may run at every tick.
    store.set_epoch_deadline(1);
    store.epoch_deadline_async_yield_and_update(1);
    store
}

fn accepted(outcome: Result<String, types::Failure>, limits: &ActivityLimits) -> Outcome {
    match outcome {
        Ok(result) => fitting(result, limits.payload_size),
        Err(failure) => Err(fitting_failure(convert::failure(failure), limits.payload_size)),
    }
}

/// A result that is not too large for history.
pub(crate) fn fitting(result: String, limit: usize) -> Outcome {
    if result.len() > limit { Err(too_large("result", result.len(), limit)) } else { Ok(result) }
}

/// A failure that is not too large for history.
pub(crate) fn fitting_failure(failure: Failure, limit: usize) -> Failure {
    let text = |details: &Option<String>| details.as_ref().map_or(0, String::len);
    let causes = failure.causes.iter();
    let causes = causes.map(|cause| cause.error_type.len() + cause.message.len() + text(&cause.details));
    let size = failure.error_type.len() + failure.message.len() + text(&failure.details) + causes.sum::<usize>();
    if size > limit { too_large("failure", size, limit) } else { failure }
}

fn too_large(what: &str, size: usize, limit: usize) -> Failure {
    let message = format!(
        "the activity's {what} has {size} bytes, and the limit is {limit}; store it elsewhere and return a reference to it"
    );
    Failure { retriable: false, ..failure(error_types::RESULT_TOO_LARGE, message) }
}

/// A failure that trying again may mend.
pub(crate) fn failure(error_type: &str, message: impl Into<String>) -> Failure {
    Failure {
        error_type: error_type.to_owned(),
        message: message.into(),
        details: None,
        causes: Vec::new(),
        retriable: true,
    }
}

/// Tells what stopped a guest, by type. `stderr` is what it said last.
fn failure_of(error: &wasmtime::Error, stderr: String) -> Failure {
    if let Some(stopped) = error.downcast_ref::<Stopped>() {
        return failure(error_types::TRAPPED, stopped.to_string());
    }
    if let Some(exit) = error.downcast_ref::<I32Exit>() {
        let message = format!("the activity called exit with code {}; return a result or an error instead", exit.0);
        return failure(error_types::TRAPPED, message);
    }
    let details = (!stderr.is_empty()).then_some(stderr);
    match (error.downcast_ref::<Trap>(), details) {
        (Some(Trap::UnreachableCodeReached), Some(message)) => failure(error_types::PANICKED, message),
        (Some(trap), details) => {
            Failure { details, ..failure(error_types::TRAPPED, format!("the activity was stopped by a {trap}")) }
        }
        (None, details) => {
            Failure { details, ..failure(error_types::HOST, format!("the activity could not be run: {error:#}")) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(error: impl Into<wasmtime::Error>, stderr: &str) -> (String, String) {
        let failure = failure_of(&error.into().context("while calling"), stderr.to_owned());
        assert!(failure.retriable);
        (failure.error_type, failure.message)
    }

    #[test]
    fn an_abort_is_a_panic_if_it_left_words() {
        let abort = Trap::UnreachableCodeReached;
        assert_eq!(kind(abort, "boom"), (error_types::PANICKED.to_owned(), "boom".to_owned()));
        assert_eq!(kind(abort, "").0, error_types::TRAPPED);
        assert_eq!(kind(Trap::StackOverflow, "noise").0, error_types::TRAPPED);
    }

    #[test]
    fn what_is_not_the_guests_doing_is_the_hosts() {
        assert_eq!(kind(wasmtime::Error::msg("in words"), "noise").0, error_types::HOST);
        assert_eq!(kind(I32Exit(3), "").0, error_types::TRAPPED);
    }

    #[test]
    fn what_is_too_large_is_final() {
        assert_eq!(fitting("1234".to_owned(), 4), Ok("1234".to_owned()));
        let failure = fitting("12345".to_owned(), 4).unwrap_err();
        assert_eq!((failure.error_type.as_str(), failure.retriable), (error_types::RESULT_TOO_LARGE, false));
        let failure = fitting_failure(super::failure("Kind", "message"), 4);
        assert_eq!((failure.error_type.as_str(), failure.retriable), (error_types::RESULT_TOO_LARGE, false));
    }
}

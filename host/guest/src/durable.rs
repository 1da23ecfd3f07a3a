//! The interface `durable`: calls that a guest waits for. Each becomes a task of the execution at once, and a future
//! that is ready when the execution has the answer. Dropping the future cancels the task.

use std::pin::Pin;
use std::task::{Context, Poll};

use everturn_replay::{Execution, Failure, Resolution, Task};
use wasmtime::Result;
use wasmtime::component::{Accessor, HasSelf};

use crate::bindings::everturn::workflow::durable::{self, ActivityOptions, ChildOptions, HostWithStore, Moment};
use crate::bindings::everturn::workflow::types;
use crate::convert;
use crate::fault::GuestFault;
use crate::link::Link;
use crate::state::{State, too_many};

impl types::Host for State {}
impl durable::Host for State {}

impl<T: Send> HostWithStore<T> for HasSelf<State> {
    async fn create_timer(accessor: &Accessor<T, Self>, when: Moment, name: Option<String>) -> Result<()> {
        let call = accessor.with(|mut access| {
            let state = access.get();
            let bytes = state.names([("timer's name", &name)])?;
            let when = convert::moment(when)?;
            state.open("durable.create-timer", bytes, |execution| execution.create_timer(when, name))
        })?;
        match call.await {
            Resolution::TimerFired => Ok(()),
            answer => Err(unexpected(&answer).into()),
        }
    }

    async fn wait_for_event(
        accessor: &Accessor<T, Self>,
        name: String,
        timeout: Option<u64>,
    ) -> Result<Option<String>> {
        let call = accessor.with(|mut access| {
            let state = access.get();
            let bytes = state.name("event's name", &name)?;
            let timeout = convert::duration(timeout);
            state.open("durable.wait-for-event", bytes, |execution| execution.wait_for_event(&name, timeout))
        })?;
        match call.await {
            Resolution::Event(event) => {
                if event.is_some() {
                    accessor.with(|mut access| access.get().took_a_message());
                }
                Ok(event)
            }
            answer => Err(unexpected(&answer).into()),
        }
    }

    async fn call_activity(
        accessor: &Accessor<T, Self>,
        name: String,
        input: String,
        options: ActivityOptions,
    ) -> Result<Result<String, types::Failure>> {
        let call = accessor.with(|mut access| {
            let state = access.get();
            let bytes = state.name("activity's name", &name)?
                + state.payload("activity's input", &input)?
                + state.names([("target app id", &options.target_app_id), ("activity's version", &options.version)])?
                + state.retry(options.retry.as_ref())?;
            let options = convert::activity_options(options);
            state.open("durable.call-activity", bytes, |execution| execution.call_activity(name, input, options))
        })?;
        completed(call.await)
    }

    async fn call_child(
        accessor: &Accessor<T, Self>,
        workflow: String,
        input: String,
        options: ChildOptions,
    ) -> Result<Result<String, types::Failure>> {
        let call = accessor.with(|mut access| {
            let state = access.get();
            let bytes = state.name("child workflow's name", &workflow)?
                + state.payload("child workflow's input", &input)?
                + state.names([
                    ("child workflow's instance id", &options.instance_id),
                    ("target app id", &options.target_app_id),
                    ("child workflow's version", &options.version),
                ])?
                + state.retry(options.retry.as_ref())?;
            let options = convert::child_options(options);
            state.open("durable.call-child", bytes, |execution| execution.call_child(workflow, input, options))
        })?;
        completed(call.await)
    }
}

impl State {
    /// Opens a task that the guest waits for. Its bytes count until it is answered or dropped.
    pub(crate) fn open(
        &self,
        function: &'static str,
        bytes: usize,
        command: impl FnOnce(&mut Execution) -> Task,
    ) -> Result<OpenCall, GuestFault> {
        let (calls, most_bytes) = (self.limits.open_calls, self.limits.open_call_bytes);
        self.command(function, bytes, |linked| {
            if linked.waiting.len() >= calls {
                return Err(too_many("calls that it waits for at the same time", calls));
            }
            let open_bytes = linked.open_bytes.saturating_add(bytes);
            if open_bytes > most_bytes {
                return Err(too_many("bytes in calls that it waits for at the same time", most_bytes));
            }
            linked.open_bytes = open_bytes;
            let task = command(&mut linked.execution);
            Ok(OpenCall { link: self.link.clone(), task: Some(task), bytes })
        })?
    }

    /// The bytes of the names inside a retry policy, if they are neither too many nor too long.
    fn retry(&self, policy: Option<&types::RetryPolicy>) -> Result<usize, GuestFault> {
        let names = policy.map_or(&[][..], |policy| &policy.non_retriable);
        let limit = self.limits.non_retriable_names;
        if names.len() > limit {
            return Err(too_many("names of non-retriable errors in a retry policy", limit));
        }
        names.iter().try_fold(0, |bytes, name| Ok(bytes + self.name("name of a non-retriable error", name)?))
    }
}

fn completed(answer: Resolution) -> Result<Result<String, types::Failure>> {
    match answer {
        Resolution::Completed(outcome) => Ok(outcome.map_err(|failure: Failure| convert::failure_to_guest(failure))),
        answer => Err(unexpected(&answer).into()),
    }
}

/// The core answers each kind of call with its own kind of resolution.
pub(crate) fn unexpected(answer: &Resolution) -> GuestFault {
    GuestFault::Host { detail: format!("an answer of the wrong kind: {answer:?}") }
}

/// A task that the guest waits for.
pub(crate) struct OpenCall {
    link: Link,
    /// None once it is answered.
    task: Option<Task>,
    /// What it handed over.
    bytes: usize,
}

impl Future for OpenCall {
    type Output = Resolution;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Resolution> {
        let call = &mut *self;
        let Some(task) = call.task else { return Poll::Pending };
        let mut linked = call.link.lock();
        match linked.execution.take(task) {
            Some(answer) => {
                linked.release(task, call.bytes);
                call.task = None;
                Poll::Ready(answer)
            }
            None => {
                linked.waiting.insert(task, context.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        let Some(task) = self.task else { return };
        let mut linked = self.link.lock();
        linked.release(task, self.bytes);
        if !linked.closed {
            linked.execution.cancel(task);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::Arc;
    use std::time::Duration;

    use everturn_replay::Moment;

    use super::*;
    use crate::limits::Limits;
    use crate::run::Poller;
    use crate::state::Role;

    /// A guest that may hold 100 bytes in open calls.
    fn state() -> State {
        let limits = Limits { open_call_bytes: 100, ..Limits::default() };
        State::new(Link::new(), Arc::new(limits), Role::Run)
    }

    fn open(state: &State, bytes: usize) -> Result<OpenCall, GuestFault> {
        state.open("a call", bytes, |execution| execution.create_timer(Moment::After(Duration::ZERO), None))
    }

    #[test]
    fn open_calls_hold_only_so_many_bytes_together() {
        let state = state();
        let _held = open(&state, 60).unwrap();
        let expected = too_many("bytes in calls that it waits for at the same time", 100);
        assert_eq!(open(&state, 41).err(), Some(expected));
        assert!(open(&state, 40).is_ok());
    }

    #[test]
    fn a_call_that_is_dropped_or_answered_holds_no_bytes() {
        let state = state();
        drop(open(&state, 100).unwrap());
        assert_eq!(state.link.lock().open_bytes, 0);

        let not_waiting = Some(Duration::ZERO);
        let call = state.open("a call", 100, |execution| execution.wait_for_event("an event", not_waiting)).unwrap();
        let mut call = pin!(call);
        assert_eq!(Poller::new().poll(call.as_mut()), Some(Resolution::Event(None)));
        assert_eq!(state.link.lock().open_bytes, 0);
    }
}

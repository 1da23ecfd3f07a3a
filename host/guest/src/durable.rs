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
            state.names([("timer's name", &name)])?;
            let when = convert::moment(when)?;
            state.open("durable.create-timer", 0, |execution| execution.create_timer(when, name))
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
            state.name("event's name", &name)?;
            let timeout = convert::duration(timeout);
            state.open("durable.wait-for-event", 0, |execution| execution.wait_for_event(&name, timeout))
        })?;
        match call.await {
            Resolution::Event(event) => Ok(event),
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
            state.name("activity's name", &name)?;
            state.payload("activity's input", &input)?;
            state.names([("target app id", &options.target_app_id), ("activity's version", &options.version)])?;
            state.retry(options.retry.as_ref())?;
            let options = convert::activity_options(options);
            state.open("durable.call-activity", input.len(), |execution| execution.call_activity(name, input, options))
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
            state.name("child workflow's name", &workflow)?;
            state.payload("child workflow's input", &input)?;
            state.names([
                ("child workflow's instance id", &options.instance_id),
                ("target app id", &options.target_app_id),
                ("child workflow's version", &options.version),
            ])?;
            state.retry(options.retry.as_ref())?;
            let options = convert::child_options(options);
            state.open("durable.call-child", input.len(), |execution| execution.call_child(workflow, input, options))
        })?;
        completed(call.await)
    }
}

impl State {
    /// Opens a task that the guest waits for.
    fn open(
        &self,
        function: &'static str,
        bytes: usize,
        command: impl FnOnce(&mut Execution) -> Task,
    ) -> Result<OpenCall, GuestFault> {
        let limit = self.limits.open_calls;
        self.command(function, bytes, |linked| {
            if linked.waiting.len() >= limit {
                return Err(too_many("calls that it waits for at the same time", limit));
            }
            let task = command(&mut linked.execution);
            Ok(OpenCall { link: self.link.clone(), task: Some(task) })
        })?
    }

    /// The names inside a retry policy count against the limits as well.
    fn retry(&self, policy: Option<&types::RetryPolicy>) -> Result<(), GuestFault> {
        let names = policy.map_or(&[][..], |policy| &policy.non_retriable);
        names.iter().try_for_each(|name| self.name("name of a non-retriable error", name))
    }
}

fn completed(answer: Resolution) -> Result<Result<String, types::Failure>> {
    match answer {
        Resolution::Completed(outcome) => Ok(outcome.map_err(|failure: Failure| convert::failure_to_guest(failure))),
        answer => Err(unexpected(&answer).into()),
    }
}

/// The core answers each kind of call with its own kind of resolution.
fn unexpected(answer: &Resolution) -> GuestFault {
    GuestFault::Host { detail: format!("an answer of the wrong kind: {answer:?}") }
}

/// A task that the guest waits for.
struct OpenCall {
    link: Link,
    /// None once it is answered.
    task: Option<Task>,
}

impl Future for OpenCall {
    type Output = Resolution;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Resolution> {
        let call = &mut *self;
        let Some(task) = call.task else { return Poll::Pending };
        let mut linked = call.link.lock();
        match linked.execution.take(task) {
            Some(answer) => {
                linked.waiting.remove(&task);
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
        linked.waiting.remove(&task);
        if !linked.closed {
            linked.execution.cancel(task);
        }
    }
}

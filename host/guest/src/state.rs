//! What a guest's store holds: the way to its execution, its limits and its output. The doors through which host
//! functions reach the execution are here, so that every one of them counts.

use std::sync::Arc;

use everturn_replay::Execution;
use wasmtime::ResourceLimiter;

use crate::bindings::everturn::workflow::types;
use crate::fault::GuestFault;
use crate::limits::Limits;
use crate::link::{Link, Linked};
use crate::output::Output;
use crate::query;
use crate::usage::Usage;

/// The data of a guest's store.
pub(crate) struct State {
    pub(crate) link: Link,
    pub(crate) limits: Arc<Limits>,
    pub(crate) output: Output,
    role: Role,
    usage: Usage,
}

/// What the guest was made for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// To tell which workflows are inside: there is no instance.
    Describe,
    /// To run one instance.
    Run,
}

impl State {
    pub(crate) fn new(link: Link, limits: Arc<Limits>, role: Role) -> Self {
        let usage = Usage::new(Arc::clone(&limits));
        Self { link, limits, output: Output::default(), role, usage }
    }

    /// Asks the execution; None while there is no instance.
    pub(crate) fn ask<R>(&self, question: impl FnOnce(&mut Execution) -> R) -> Option<R> {
        match self.role {
            Role::Describe => None,
            Role::Run => Some(question(&mut self.link.lock().execution)),
        }
    }

    /// Asks the execution for a function of this package, which there is only for a run.
    pub(crate) fn context<R>(
        &self,
        function: &'static str,
        question: impl FnOnce(&mut Execution) -> R,
    ) -> Result<R, GuestFault> {
        self.ask(question).ok_or_else(|| outside_a_run(function))
    }

    /// Asks the execution for a function that changes something, which a query may not.
    pub(crate) fn change<R>(
        &self,
        function: &'static str,
        change: impl FnOnce(&mut Execution) -> R,
    ) -> Result<R, GuestFault> {
        if self.link.lock().questions.answering {
            return Err(query::only_looks(function));
        }
        self.context(function, change)
    }

    /// Lets a call that is recorded through, and counts it with the bytes it hands over.
    pub(crate) fn command<R>(
        &self,
        function: &'static str,
        bytes: usize,
        command: impl FnOnce(&mut Linked) -> R,
    ) -> Result<R, GuestFault> {
        if self.role == Role::Describe {
            return Err(outside_a_run(function));
        }
        let mut linked = self.link.lock();
        if linked.questions.answering {
            return Err(query::only_looks(function));
        }
        let stretch = &mut linked.stretch;
        stretch.calls += 1;
        stretch.call_bytes = stretch.call_bytes.saturating_add(bytes);
        if stretch.calls > self.limits.calls {
            return Err(too_many("calls without waiting in between", self.limits.calls));
        }
        if stretch.call_bytes > self.limits.call_bytes {
            return Err(too_many("bytes in calls without waiting in between", self.limits.call_bytes));
        }
        Ok(command(&mut linked))
    }

    /// Begins a stretch: the guest was handed an event. Those that were there already come without a wait in between, and
    /// there may be more of them than a stretch has calls or time for. There is an end to it: each of them is handed over
    /// once, and no new ones come while the guest runs.
    pub(crate) fn took_a_message(&self) {
        self.link.lock().stretch.begin(&self.limits);
    }

    /// The bytes of a payload that is not too large.
    pub(crate) fn payload(&self, what: &'static str, payload: &str) -> Result<usize, GuestFault> {
        self.size(what, payload.len())
    }

    /// The bytes of a failure that is not too large, with all that led to it.
    pub(crate) fn failure(&self, what: &'static str, failure: &types::Failure) -> Result<usize, GuestFault> {
        self.size(what, failure_size(failure))
    }

    fn size(&self, what: &'static str, size: usize) -> Result<usize, GuestFault> {
        let limit = self.limits.payload_size;
        if size > limit { Err(GuestFault::PayloadTooLarge { what, size, limit }) } else { Ok(size) }
    }

    /// The bytes of a name that is not too long.
    pub(crate) fn name(&self, what: &'static str, name: &str) -> Result<usize, GuestFault> {
        let (length, limit) = (name.len(), self.limits.name_length);
        if length > limit { Err(GuestFault::NameTooLong { what, length, limit }) } else { Ok(length) }
    }

    /// The bytes of names that may be absent.
    pub(crate) fn names<const N: usize>(
        &self,
        names: [(&'static str, &Option<String>); N],
    ) -> Result<usize, GuestFault> {
        names.into_iter().try_fold(0, |bytes, (what, name)| match name {
            Some(name) => Ok(bytes + self.name(what, name)?),
            None => Ok(bytes),
        })
    }

    /// Random bytes, if they are not too many. Outside a run they are zero.
    pub(crate) fn random(&self, length: u64) -> Result<Vec<u8>, GuestFault> {
        let limit = self.limits.random_bytes;
        let length = usize::try_from(length).ok().filter(|length| *length <= limit);
        let length = length.ok_or_else(|| too_many("random bytes in one call", limit))?;
        let mut bytes = vec![0; length];
        self.ask(|execution| execution.random_bytes(&mut bytes));
        Ok(bytes)
    }

    /// What the store asks before memories and tables grow.
    pub(crate) fn usage(&mut self) -> &mut dyn ResourceLimiter {
        &mut self.usage
    }
}

/// The bytes of a failure with all its causes.
pub(crate) fn failure_size(failure: &types::Failure) -> usize {
    let text = |details: &Option<String>| details.as_ref().map_or(0, String::len);
    let causes = failure.causes.iter();
    let causes = causes.map(|cause| cause.error_type.len() + cause.message.len() + text(&cause.details));
    failure.error_type.len() + failure.message.len() + text(&failure.details) + causes.sum::<usize>()
}

fn outside_a_run(function: &'static str) -> GuestFault {
    GuestFault::Forbidden {
        interface: format!("everturn:workflow/{function} while describing its workflows"),
        instead: "call it only inside a workflow function",
    }
}

pub(crate) fn too_many(what: &'static str, limit: usize) -> GuestFault {
    GuestFault::TooMany { what, limit, instead: "ask for less at once, or split the work into child workflows" }
}

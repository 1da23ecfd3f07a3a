//! The interface `messages`: signals and updates that a guest handles while it goes on.

use everturn_replay::Resolution;
use wasmtime::Result;
use wasmtime::component::{Accessor, HasSelf};

use crate::bindings::everturn::workflow::types;
use crate::bindings::interactive::everturn::workflow::messages::{Host, HostWithStore, Signal, Update};
use crate::convert;
use crate::durable::unexpected;
use crate::fault::GuestFault;
use crate::state::{State, too_many};

/// Names that one wait may list.
const NAMES: usize = 1_000;

impl<T: Send> HostWithStore<T> for HasSelf<State> {
    async fn next_signal(accessor: &Accessor<T, Self>, names: Vec<String>) -> Result<Signal> {
        let call = accessor.with(|mut access| {
            let state = access.get();
            let bytes = state.listed("signal's name", &names)?;
            state.open("messages.next-signal", bytes, |execution| execution.next_signal(&names))
        })?;
        match call.await {
            Resolution::Signal { name, input } => {
                accessor.with(|mut access| access.get().took_a_message());
                Ok(Signal { name, input })
            }
            answer => Err(unexpected(&answer).into()),
        }
    }

    async fn next_update(accessor: &Accessor<T, Self>, names: Vec<String>) -> Result<Update> {
        let call = accessor.with(|mut access| {
            let state = access.get();
            let bytes = state.listed("update's name", &names)?;
            state.open("messages.next-update", bytes, |execution| execution.next_update(&names))
        })?;
        match call.await {
            Resolution::Update { id, name, input } => Ok(Update { id, name, input }),
            answer => Err(unexpected(&answer).into()),
        }
    }
}

impl Host for State {
    fn accept_update(&mut self, id: String) -> Result<()> {
        let bytes = self.name("update's id", &id)?;
        Ok(self.command("messages.accept-update", bytes, |linked| linked.execution.accept_update(&id))?)
    }

    fn reject_update(&mut self, id: String, reason: types::Failure) -> Result<()> {
        let bytes = self.name("update's id", &id)? + self.failure("reason against an update", &reason)?;
        let reason = convert::failure_from_guest(reason);
        Ok(self.command("messages.reject-update", bytes, |linked| linked.execution.reject_update(&id, reason))?)
    }

    fn complete_update(&mut self, id: String, outcome: Result<String, types::Failure>) -> Result<()> {
        let payload = match &outcome {
            Ok(result) => self.payload("update's result", result)?,
            Err(failure) => self.failure("update's failure", failure)?,
        };
        let bytes = self.name("update's id", &id)? + payload;
        let outcome = outcome.map_err(convert::failure_from_guest);
        Ok(self.command("messages.complete-update", bytes, |linked| linked.execution.complete_update(&id, outcome))?)
    }
}

impl State {
    /// The bytes of names that are neither too many nor too long.
    fn listed(&self, what: &'static str, names: &[String]) -> Result<usize, GuestFault> {
        if names.len() > NAMES {
            return Err(too_many("names in one wait", NAMES));
        }
        names.iter().try_fold(0, |bytes, name| Ok(bytes + self.name(what, name)?))
    }
}

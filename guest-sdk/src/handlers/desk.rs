//! Takes in signals and updates one by one and hands each to its handler. What waits goes on here, beside the main function.

use std::task::{Context, Poll};

use futures::future::LocalBoxFuture;
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};

use super::message::{NextSignal, NextUpdate};
use super::registry::{Handlers, Registry, Work};
use crate::bindings::everturn::workflow::messages::{self, Signal, Update};
use crate::call::{Call, Request};
use crate::error::{Error, Result};
use crate::instance;

/// The handlers' side of a workflow.
pub(crate) struct Desk {
    signals: Inlet<NextSignal, Signal>,
    updates: Inlet<NextUpdate, Update>,
    /// Handlers that wait.
    open: FuturesUnordered<LocalBoxFuture<'static, Result<()>>>,
}

/// Where messages of one kind come in.
struct Inlet<R, A> {
    /// Which names were asked for, by the version of the registry.
    version: u64,
    call: Option<Call<R, A>>,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self { signals: Inlet::new(), updates: Inlet::new(), open: FuturesUnordered::new() }
    }

    /// Handles what there is. Ready: a handler failed, and so does the workflow.
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Error> {
        loop {
            // What waits goes first: it began before what comes in now.
            while let Poll::Ready(Some(outcome)) = self.open.poll_next_unpin(context) {
                self.count_open();
                if let Err(error) = outcome {
                    return Poll::Ready(error);
                }
            }
            let signal = known(|registry| self.signals.poll(&registry.signals, NextSignal, context));
            if let Poll::Ready(signal) = signal {
                if let Err(error) = self.handle(&signal) {
                    return Poll::Ready(error);
                }
                continue;
            }
            let update = known(|registry| self.updates.poll(&registry.updates, NextUpdate, context));
            if let Poll::Ready(update) = update {
                self.answer(update);
                continue;
            }
            return Poll::Pending;
        }
    }

    fn handle(&mut self, signal: &Signal) -> Result<()> {
        let Some(handler) = known(|registry| registry.signals.find(&signal.name)) else {
            return Ok(());
        };
        let begin = match handler(&signal.input) {
            Ok(begin) => begin,
            Err(error) => {
                // Its sender's mistake, and he cannot be told. It must not end the workflow.
                crate::warn!(signal = signal.name, %error, "dropped a signal that cannot be read");
                return Ok(());
            }
        };
        match begin() {
            Work::Done(outcome) => outcome,
            Work::Open(future) => {
                self.add(future);
                Ok(())
            }
        }
    }

    fn answer(&mut self, update: Update) {
        let Some(handler) = known(|registry| registry.updates.find(&update.name)) else {
            return;
        };
        let begin = match handler(&update.input) {
            Ok(begin) => begin,
            Err(error) => return messages::reject_update(&update.id, &error.into_parts().0.into()),
        };
        messages::accept_update(&update.id);
        match begin() {
            Work::Done(outcome) => complete(&update.id, outcome),
            Work::Open(future) => {
                let answered = async move {
                    complete(&update.id, future.await);
                    Ok(())
                };
                self.add(answered.boxed_local());
            }
        }
    }

    fn add(&mut self, future: LocalBoxFuture<'static, Result<()>>) {
        self.open.push(future);
        self.count_open();
    }

    fn count_open(&self) {
        instance::with(|instance| {
            instance.open_handlers.set(self.open.len());
            instance.stirred.set(true);
        });
    }
}

impl<R: Request<Answer = A>, A> Inlet<R, A> {
    fn new() -> Self {
        Self { version: 0, call: None }
    }

    /// The next message, asking anew when there are other names than last time.
    fn poll<H>(
        &mut self,
        handlers: &Handlers<H>,
        request: impl FnOnce(Vec<String>) -> R,
        context: &mut Context<'_>,
    ) -> Poll<A> {
        if handlers.is_empty() {
            return Poll::Pending;
        }
        if self.version != handlers.version() {
            self.version = handlers.version();
            self.call = None;
        }
        let call = self.call.get_or_insert_with(|| Call::new(request(handlers.names())));
        let message = call.poll_unpin(context);
        if message.is_ready() {
            self.call = None;
        }
        message
    }
}

fn known<T>(look: impl FnOnce(&Registry) -> T) -> T {
    instance::with(|instance| look(&instance.registry.borrow()))
}

fn complete(id: &str, outcome: Result<String>) {
    let outcome = outcome.map_err(|error| error.into_parts().0.into());
    match &outcome {
        Ok(answer) => messages::complete_update(id, Ok(answer)),
        Err(failure) => messages::complete_update(id, Err(failure)),
    }
}

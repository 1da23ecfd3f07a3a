//! The next signal or update, as a call that waits. It takes no sequence id: dropping it and asking anew leaves no trace.

use futures::FutureExt;
use futures::future::LocalBoxFuture;

use crate::bindings::everturn::workflow::messages::{self, Signal, Update};
use crate::call::Request;

/// Asks for the next signal of these names.
pub(super) struct NextSignal(pub(super) Vec<String>);

/// Asks for the next update of these names.
pub(super) struct NextUpdate(pub(super) Vec<String>);

impl Request for NextSignal {
    type Answer = Signal;

    fn send(self) -> LocalBoxFuture<'static, Signal> {
        messages::next_signal(self.0).boxed_local()
    }
}

impl Request for NextUpdate {
    type Answer = Update;

    fn send(self) -> LocalBoxFuture<'static, Update> {
        messages::next_update(self.0).boxed_local()
    }
}

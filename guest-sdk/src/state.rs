//! The state of a workflow that has one, through its context.

use crate::condition::Condition;
use crate::context::Ctx;
use crate::{instance, read_only};

impl<S: 'static> Ctx<S> {
    /// Reads the state.
    ///
    /// # Panics
    /// While it is being changed: within [`change`](Self::change), and in handlers with `&mut self`, which have it already.
    ///
    /// ```
    /// # use everturn_sdk::prelude::*;
    /// # #[derive(Default)] struct Poll { votes: u32 }
    /// # fn example(ctx: Ctx<Poll>) -> u32 {
    /// ctx.read(|poll| poll.votes)
    /// # }
    /// ```
    pub fn read<T>(&self, reader: impl FnOnce(&S) -> T) -> T {
        instance::read(reader)
    }

    /// Changes the state. Whoever waits for a condition looks at it again.
    ///
    /// # Panics
    /// While the state is in use, as with [`read`](Self::read), and in a query.
    ///
    /// ```
    /// # use everturn_sdk::prelude::*;
    /// # #[derive(Default)] struct Poll { votes: u32 }
    /// # fn example(ctx: Ctx<Poll>) {
    /// ctx.change(|poll| poll.votes += 1);
    /// # }
    /// ```
    pub fn change<T>(&self, change: impl FnOnce(&mut S) -> T) -> T {
        read_only::refuse("change the state");
        instance::change(change)
    }

    /// Waits until a condition holds, without limit; set one with [`Condition::timeout`].
    ///
    /// It is looked at whenever something happened: a handler ran, an answer came, the state was changed. One that holds
    /// already is over at once. It may look at anything; in a workflow without state it is given `()`.
    ///
    /// ```
    /// # use everturn_sdk::prelude::*;
    /// # #[derive(Default)] struct Poll { votes: u32 }
    /// # async fn example(ctx: Ctx<Poll>, quorum: u32) {
    /// ctx.wait_until(|poll| poll.votes >= quorum).await;
    /// # }
    /// ```
    pub fn wait_until<F: Fn(&S) -> bool>(&self, holds: F) -> Condition<S, F> {
        read_only::refuse("wait for a condition");
        Condition::new(*self, holds)
    }

    /// Waits until all handlers that wait have come to their end. Handlers that are still open when the main function
    /// returns are dropped, and callers of their updates are told that the workflow ended.
    ///
    /// Trap: a handler that awaits this waits for itself.
    ///
    /// ```
    /// # use everturn_sdk::prelude::*;
    /// # #[derive(Default)] struct Poll { votes: u32 }
    /// # async fn example(ctx: Ctx<Poll>) {
    /// ctx.wait_for_handlers().await;
    /// # }
    /// ```
    pub fn wait_for_handlers(&self) -> Condition<S, impl Fn(&S) -> bool + use<S>> {
        self.wait_until(|_| instance::with(|instance| instance.open_handlers.get() == 0))
    }
}

impl<S> Ctx<S> {
    /// The same without the state: for functions that any workflow may call.
    ///
    /// ```
    /// # use everturn_sdk::prelude::*;
    /// async fn remind(ctx: Ctx, address: &str) -> Result<()> {
    ///     ctx.activity("send_mail", address).await
    /// }
    ///
    /// # #[derive(Default)] struct Poll { votes: u32 }
    /// # async fn example(ctx: Ctx<Poll>) -> Result<()> {
    /// remind(ctx.plain(), "ada@example.com").await
    /// # }
    /// ```
    #[must_use]
    pub fn plain(&self) -> Ctx {
        Ctx::new()
    }
}

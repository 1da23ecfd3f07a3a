//! Handlers that a workflow registers on its context while it runs.

use std::cell::RefCell;
use std::rc::Rc;

use futures::FutureExt;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::registry::{Begin, Handler, Handlers, Query, Registry, Work};
use crate::context::Ctx;
use crate::error::Result;
use crate::payload;
use crate::read_only::{self, Reader};
use crate::{error_types, instance};

impl<S> Ctx<S> {
    /// Handles signals of a name from here on, in the order of their arrival. A second handler of the same name takes the
    /// place of the first.
    ///
    /// Signals are events: those that came before are handled now, and those whose names have no handler stay for
    /// [`wait_for_event`](Self::wait_for_event). One that cannot be read as a `T` is dropped with a warning. Names are
    /// compared without regard to case.
    ///
    /// # Panics
    /// In a workflow that declares signals (`#[signal]`) and none of this name: it tells its callers which signals it
    /// handles, and a host refuses all others. The same holds for queries and updates.
    ///
    /// ```
    /// # use everturn_sdk::prelude::*;
    /// use std::cell::Cell;
    /// use std::rc::Rc;
    ///
    /// #[workflow]
    /// async fn approval(ctx: Ctx) -> Result<()> {
    ///     let approved = Rc::new(Cell::new(false));
    ///     let approve = Rc::clone(&approved);
    ///     ctx.on_signal("approve", move |by: String| {
    ///         info!(by, "approved");
    ///         approve.set(true);
    ///     });
    ///     ctx.wait_until(|()| approved.get()).await;
    ///     Ok(())
    /// }
    /// ```
    pub fn on_signal<T>(&self, name: &str, handle: impl FnMut(T) + 'static)
    where
        T: DeserializeOwned + 'static,
    {
        let handle = RefCell::new(handle);
        let begin = move |input| {
            handle.borrow_mut()(input);
            Work::Done(Ok(()))
        };
        add_signal(name, handler(format!("signal `{name}`"), accept, begin));
    }

    /// As [`on_signal`](Self::on_signal), with a handler that may wait. It begins before the next signal is handled, and
    /// goes on beside the main function; when it fails, the workflow fails.
    ///
    /// ```
    /// # use everturn_sdk::prelude::*;
    /// # fn example(ctx: Ctx) {
    /// ctx.on_async_signal("remind", move |address: String| async move {
    ///     ctx.activity("send_mail", &address).await
    /// });
    /// # }
    /// ```
    pub fn on_async_signal<T, F>(&self, name: &str, handle: impl Fn(T) -> F + 'static)
    where
        T: DeserializeOwned + 'static,
        F: Future<Output = Result<()>> + 'static,
    {
        let begin = move |input| Work::Open(handle(input).boxed_local());
        add_signal(name, handler(format!("signal `{name}`"), accept, begin));
    }

    /// Answers queries of a name from here on, as long as the instance is known to the host: also when it has ended. A query
    /// that needs no input takes `()`.
    ///
    /// It must only look. What would leave a trace stops it with a message.
    ///
    /// ```
    /// # use everturn_sdk::prelude::*;
    /// # use {std::cell::Cell, std::rc::Rc};
    /// # fn example(ctx: Ctx, votes: Rc<Cell<u32>>) {
    /// ctx.on_query("votes", move |()| Ok(votes.get()));
    /// # }
    /// ```
    pub fn on_query<T, O>(&self, name: &str, answer: impl Fn(T) -> Result<O> + 'static)
    where
        T: DeserializeOwned + 'static,
        O: Serialize,
    {
        add_query(name, answer);
    }

    /// Handles updates of a name from here on: requests that are answered. An error is the answer too; what the handler did
    /// before stays done. Continue-as-new is none: a handler that returns it is stopped. To refuse a request before anything
    /// was done, see [`on_validated_update`](Self::on_validated_update).
    ///
    /// ```
    /// # use everturn_sdk::prelude::*;
    /// # use {std::cell::Cell, std::rc::Rc};
    /// # fn example(ctx: Ctx, votes: Rc<Cell<u32>>) {
    /// ctx.on_update("vote", move |count: u32| {
    ///     votes.set(votes.get() + count);
    ///     Ok(votes.get())
    /// });
    /// # }
    /// ```
    pub fn on_update<T, O>(&self, name: &str, handle: impl FnMut(T) -> Result<O> + 'static)
    where
        T: DeserializeOwned + 'static,
        O: Serialize + 'static,
    {
        self.on_validated_update(name, accept, handle);
    }

    /// As [`on_update`](Self::on_update), with a check before: a request that it refuses leaves no trace in history. The
    /// check must not change anything.
    ///
    /// ```
    /// # use everturn_sdk::prelude::*;
    /// # use {std::cell::Cell, std::rc::Rc};
    /// # fn example(ctx: Ctx, votes: Rc<Cell<u32>>) {
    /// let check = |count: &u32| match count {
    ///     0 => Err(Error::new("NoVotes", "a vote counts at least once")),
    ///     _ => Ok(()),
    /// };
    /// ctx.on_validated_update("vote", check, move |count: u32| {
    ///     votes.set(votes.get() + count);
    ///     Ok(votes.get())
    /// });
    /// # }
    /// ```
    pub fn on_validated_update<T, O>(
        &self,
        name: &str,
        validate: impl Fn(&T) -> Result<()> + 'static,
        handle: impl FnMut(T) -> Result<O> + 'static,
    ) where
        T: DeserializeOwned + 'static,
        O: Serialize + 'static,
    {
        let handle = RefCell::new(handle);
        add_update(name, validate, move |input| Work::Done(handle.borrow_mut()(input)));
    }

    /// As [`on_validated_update`](Self::on_validated_update), with a handler that may wait.
    ///
    /// ```
    /// # use everturn_sdk::prelude::*;
    /// # fn example(ctx: Ctx) {
    /// ctx.on_async_update("refund", |_| Ok(()), move |amount: u64| async move {
    ///     ctx.activity::<String>("refund", &amount).await
    /// });
    /// # }
    /// ```
    pub fn on_async_update<T, O, F>(
        &self,
        name: &str,
        validate: impl Fn(&T) -> Result<()> + 'static,
        handle: impl Fn(T) -> F + 'static,
    ) where
        T: DeserializeOwned + 'static,
        O: Serialize + 'static,
        F: Future<Output = Result<O>> + 'static,
    {
        add_update(name, validate, move |input| Work::Open(handle(input).boxed_local()));
    }
}

/// Finds nothing wrong.
pub(super) fn accept<T>(_input: &T) -> Result<()> {
    Ok(())
}

/// A handler that reads its input, lets it be checked, and begins.
pub(super) fn handler<I, T>(
    whose: String,
    validate: impl Fn(&I) -> Result<()> + 'static,
    begin: impl Fn(I) -> Work<T> + 'static,
) -> Handler<T>
where
    I: DeserializeOwned + 'static,
    T: 'static,
{
    let begin = Rc::new(begin);
    Rc::new(move |input| {
        let input: I = payload::decode_input(input, &whose)?;
        read_only::run(Reader::Validator, || validate(&input))?;
        let begin = Rc::clone(&begin);
        Ok(Box::new(move || begin(input)) as Begin<T>)
    })
}

pub(super) fn add_signal(name: &str, handler: Handler<()>) {
    add("signal", name, handler, |registry| &mut registry.signals);
}

pub(super) fn add_query<I, O>(name: &str, answer: impl Fn(I) -> Result<O> + 'static)
where
    I: DeserializeOwned + 'static,
    O: Serialize,
{
    let whose = format!("query `{name}`");
    let query: Query = Rc::new(move |input| {
        let answer = answer(payload::decode_input(input, &whose)?)?;
        payload::encode(&answer, error_types::INVALID_OUTPUT, format_args!("the answer of {whose}"))
    });
    add("query", name, query, |registry| &mut registry.queries);
}

/// Adds an update whose answer is written as JSON.
pub(super) fn add_update<I, O>(
    name: &str,
    validate: impl Fn(&I) -> Result<()> + 'static,
    begin: impl Fn(I) -> Work<O> + 'static,
) where
    I: DeserializeOwned + 'static,
    O: Serialize + 'static,
{
    let whose = format!("update `{name}`");
    let written = {
        let whose = whose.clone();
        move |outcome: Result<O>| payload::encode_output(&answered(outcome, &whose)?, &whose)
    };
    let begin = move |input| match begin(input) {
        Work::Done(outcome) => Work::Done(written(outcome)),
        Work::Open(future) => Work::Open(future.map(written.clone()).boxed_local()),
    };
    add("update", name, handler(whose, validate, begin), |registry| &mut registry.updates);
}

/// Stops an update that does not answer. A signal may end its generation; who waits for an update would never hear of it.
#[expect(clippy::panic, reason = "a mistake in the workflow's code: only its next version can mend it")]
fn answered<O>(outcome: Result<O>, whose: &str) -> Result<O> {
    match outcome {
        Err(error) if error.is_continue_as_new() => panic!(
            "{whose} cannot continue as new: its caller waits for an answer; answer, let the state say that it is time, and \
             return `ctx.continue_as_new` from the main function"
        ),
        outcome => outcome,
    }
}

#[expect(clippy::panic, reason = "a mistake in the workflow's code: only its next version can mend it")]
fn add<H>(what: &str, name: &str, handler: H, handlers: impl FnOnce(&mut Registry) -> &mut Handlers<H>) {
    read_only::refuse("register a handler");
    instance::with(|instance| {
        let mut registry = instance.registry.borrow_mut();
        let handlers = handlers(&mut registry);
        if !handlers.may_have(name) {
            let declared = handlers.names().join("`, `");
            panic!(
                "{what} `{name}` cannot be registered: the workflow declares which it handles (`{declared}`), and no other \
                 can reach it; declare it with `#[{what}]`"
            );
        }
        handlers.add(name, handler);
        instance.stirred.set(true);
    });
}

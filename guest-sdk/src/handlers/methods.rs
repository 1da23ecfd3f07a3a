//! What the handlers of a workflow with state expand to: methods, bound to their names.

use futures::FutureExt;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::register::{accept, add_query, add_signal, add_update, handler};
use super::registry::Work;
use crate::context::Ctx;
use crate::error::Result;
use crate::instance;

/// The handlers of a workflow whose state is an `S`. An async handler gets at the state through its context, since others
/// may change it while it waits.
pub struct Methods<S> {
    ctx: Ctx<S>,
}

impl<S: 'static> Methods<S> {
    pub(crate) fn new() -> Self {
        Self { ctx: Ctx::new() }
    }

    /// A signal that is handled at once.
    pub fn signal<I>(&self, name: &'static str, method: impl Fn(&mut S, &Ctx<S>, I) -> Result<()> + 'static)
    where
        I: DeserializeOwned + 'static,
    {
        let ctx = self.ctx;
        let begin = move |input| Work::Done(instance::change(|state| method(state, &ctx, input)));
        add_signal(name, handler(format!("signal `{name}`"), accept, begin));
    }

    /// A signal whose handler may wait.
    pub fn async_signal<I, F>(&self, name: &'static str, method: impl Fn(Ctx<S>, I) -> F + 'static)
    where
        I: DeserializeOwned + 'static,
        F: Future<Output = Result<()>> + 'static,
    {
        let ctx = self.ctx;
        let begin = move |input| Work::Open(method(ctx, input).boxed_local());
        add_signal(name, handler(format!("signal `{name}`"), accept, begin));
    }

    /// A query.
    pub fn query<I, O>(&self, name: &'static str, method: impl Fn(&S, &Ctx<S>, I) -> Result<O> + 'static)
    where
        I: DeserializeOwned + 'static,
        O: Serialize,
    {
        let ctx = self.ctx;
        add_query(name, move |input| instance::read(|state| method(state, &ctx, input)));
    }

    /// An update that is answered at once.
    pub fn update<I, O>(
        &self,
        name: &'static str,
        validate: impl Fn(&S, &Ctx<S>, &I) -> Result<()> + 'static,
        method: impl Fn(&mut S, &Ctx<S>, I) -> Result<O> + 'static,
    ) where
        I: DeserializeOwned + 'static,
        O: Serialize + 'static,
    {
        let ctx = self.ctx;
        let validate = move |input: &I| instance::read(|state| validate(state, &ctx, input));
        let begin = move |input| Work::Done(instance::change(|state| method(state, &ctx, input)));
        add_update(name, validate, begin);
    }

    /// An update whose handler may wait.
    pub fn async_update<I, O, F>(
        &self,
        name: &'static str,
        validate: impl Fn(&S, &Ctx<S>, &I) -> Result<()> + 'static,
        method: impl Fn(Ctx<S>, I) -> F + 'static,
    ) where
        I: DeserializeOwned + 'static,
        O: Serialize + 'static,
        F: Future<Output = Result<O>> + 'static,
    {
        let ctx = self.ctx;
        let validate = move |input: &I| instance::read(|state| validate(state, &ctx, input));
        add_update(name, validate, move |input| Work::Open(method(ctx, input).boxed_local()));
    }
}

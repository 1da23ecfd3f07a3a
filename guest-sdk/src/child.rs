//! Calling another workflow as a child.

use std::marker::PhantomData;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use serde::de::DeserializeOwned;

use crate::bindings::everturn::workflow::durable;
use crate::call::{Call, Request, durable_future};
use crate::error::{Error, Result};
use crate::payload;
use crate::retry::RetryPolicy;

/// What happens to a child that is still open when its parent ends.
///
/// ```no_run
/// use everturn_sdk::{Ctx, ParentClosePolicy, Result};
///
/// async fn invoice(ctx: Ctx, order: u64) -> Result<()> {
///     ctx.child("send_invoice", &order).on_parent_close(ParentClosePolicy::Terminate).await
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ParentClosePolicy {
    /// The child goes on by itself.
    #[default]
    Abandon,
    /// The child is terminated.
    Terminate,
}

/// A call of a child workflow: await it for the result. Made by [`Ctx::child`](crate::Ctx::child).
///
/// It begins when it is first polled, and dropping it cancels the wait: the child's answer is not delivered. Options
/// set after it began do nothing.
///
/// ```no_run
/// use everturn_sdk::{Ctx, Result};
///
/// async fn deliver(ctx: Ctx, order: u64) -> Result<String> {
///     ctx.child("deliver", &order).instance_id(format!("delivery-{order}")).await
/// }
/// ```
#[must_use = "a child is not started before it is awaited"]
pub struct ChildCall<T> {
    call: Call<ChildRequest<T>, Result<T>>,
}

struct ChildRequest<T> {
    workflow: String,
    input: Result<String>,
    options: durable::ChildOptions,
    answer: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned + 'static> ChildCall<T> {
    pub(crate) fn new(workflow: String, input: Result<String>) -> Self {
        let options = durable::ChildOptions {
            instance_id: None,
            retry: None,
            target_app_id: None,
            version: None,
            parent_close: ParentClosePolicy::default().into(),
        };
        Self { call: Call::new(ChildRequest { workflow, input, options, answer: PhantomData }) }
    }

    /// The child's instance id. Without it: derived from the parent's. An id that is in use fails the call with
    /// `InstanceAlreadyExists`.
    ///
    /// ```no_run
    /// # use everturn_sdk::{Ctx, Result};
    /// # async fn example(ctx: Ctx) -> Result<()> {
    /// ctx.child("deliver", &7).instance_id("delivery-7").await
    /// # }
    /// ```
    pub fn instance_id(self, id: impl Into<String>) -> Self {
        self.with(|options| options.instance_id = Some(id.into()))
    }

    /// Tries again after a failure; each further attempt is a new instance. Without it there is one attempt.
    ///
    /// ```no_run
    /// # use {everturn_sdk::{Ctx, Result, RetryPolicy}, std::time::Duration};
    /// # async fn example(ctx: Ctx) -> Result<()> {
    /// ctx.child("deliver", &7).retry(RetryPolicy::fixed(Duration::from_secs(60)).max_attempts(3)).await
    /// # }
    /// ```
    pub fn retry(self, policy: RetryPolicy) -> Self {
        self.with(|options| options.retry = Some(policy.into()))
    }

    /// The application that runs it. Without it: this one.
    ///
    /// ```no_run
    /// # use everturn_sdk::{Ctx, Result};
    /// # async fn example(ctx: Ctx) -> Result<()> {
    /// ctx.child("deliver", &7).target_app_id("warehouse").await
    /// # }
    /// ```
    pub fn target_app_id(self, app_id: impl Into<String>) -> Self {
        self.with(|options| options.target_app_id = Some(app_id.into()))
    }

    /// The version to start. Without it: the active one.
    ///
    /// ```no_run
    /// # use everturn_sdk::{Ctx, Result};
    /// # async fn example(ctx: Ctx) -> Result<()> {
    /// ctx.child("deliver", &7).version("2").await
    /// # }
    /// ```
    pub fn version(self, version: impl Into<String>) -> Self {
        self.with(|options| options.version = Some(version.into()))
    }

    /// What happens to the child when this workflow ends first. Without it: [`ParentClosePolicy::Abandon`].
    ///
    /// ```no_run
    /// # use everturn_sdk::{Ctx, ParentClosePolicy, Result};
    /// # async fn example(ctx: Ctx) -> Result<()> {
    /// ctx.child("deliver", &7).on_parent_close(ParentClosePolicy::Terminate).await
    /// # }
    /// ```
    pub fn on_parent_close(self, policy: ParentClosePolicy) -> Self {
        self.with(|options| options.parent_close = policy.into())
    }

    fn with(self, change: impl FnOnce(&mut durable::ChildOptions)) -> Self {
        Self { call: self.call.with(|request| change(&mut request.options)) }
    }
}

impl From<ParentClosePolicy> for durable::ParentClosePolicy {
    fn from(policy: ParentClosePolicy) -> Self {
        match policy {
            ParentClosePolicy::Abandon => Self::Abandon,
            ParentClosePolicy::Terminate => Self::Terminate,
        }
    }
}

impl<T: DeserializeOwned + 'static> Request for ChildRequest<T> {
    type Answer = Result<T>;

    fn send(self) -> LocalBoxFuture<'static, Result<T>> {
        async move {
            let answer = durable::call_child(self.workflow.clone(), self.input?, self.options).await;
            let output = answer.map_err(|failure| Error::from_failure(failure.into()))?;
            payload::decode_output(&output, format_args!("child `{}`", self.workflow))
        }
        .boxed_local()
    }
}

durable_future!(ChildCall<T>, Result<T>);

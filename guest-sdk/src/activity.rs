//! Calling an activity.

use std::marker::PhantomData;
use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use serde::de::DeserializeOwned;

use crate::bindings::everturn::workflow::durable;
use crate::call::{Call, Request, durable_future};
use crate::error::{Error, Result};
use crate::payload;
use crate::retry::RetryPolicy;
use crate::time::nanoseconds;

/// A call of an activity: await it for the result. Made by [`Ctx::activity`](crate::Ctx::activity).
///
/// It begins when it is first polled, and dropping it cancels it: its answer is not delivered, though an attempt that
/// is under way may still have its effect. Options set after it began do nothing.
///
/// ```no_run
/// use std::time::Duration;
/// use everturn_sdk::{Ctx, Result, RetryPolicy};
///
/// async fn charge(ctx: Ctx, order: u64) -> Result<String> {
///     ctx.activity("charge", &order)
///         .retry(RetryPolicy::exponential(Duration::from_secs(1)).max_attempts(3))
///         .start_to_close(Duration::from_secs(30))
///         .await
/// }
/// ```
#[must_use = "an activity is not called before it is awaited"]
pub struct ActivityCall<T> {
    call: Call<ActivityRequest<T>, Result<T>>,
}

struct ActivityRequest<T> {
    name: String,
    input: Result<String>,
    options: durable::ActivityOptions,
    answer: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned + 'static> ActivityCall<T> {
    pub(crate) fn new(name: String, input: Result<String>) -> Self {
        let options = durable::ActivityOptions {
            retry: None,
            start_to_close: None,
            schedule_to_close: None,
            heartbeat: None,
            target_app_id: None,
            version: None,
        };
        Self { call: Call::new(ActivityRequest { name, input, options, answer: PhantomData }) }
    }

    /// Tries again after a failure. Without it there is one attempt.
    ///
    /// ```no_run
    /// # use {everturn_sdk::{Ctx, Result, RetryPolicy}, std::time::Duration};
    /// # async fn example(ctx: Ctx) -> Result<()> {
    /// ctx.activity("ship", &7).retry(RetryPolicy::fixed(Duration::from_secs(5)).max_attempts(3)).await
    /// # }
    /// ```
    pub fn retry(self, policy: RetryPolicy) -> Self {
        self.with(|options| options.retry = Some(policy.into()))
    }

    /// Limits one attempt, from when a worker takes it to its answer.
    ///
    /// ```no_run
    /// # use {everturn_sdk::{Ctx, Result}, std::time::Duration};
    /// # async fn example(ctx: Ctx) -> Result<()> {
    /// ctx.activity("ship", &7).start_to_close(Duration::from_secs(30)).await
    /// # }
    /// ```
    pub fn start_to_close(self, limit: Duration) -> Self {
        self.with(|options| options.start_to_close = Some(nanoseconds(limit)))
    }

    /// Limits one attempt, from when it is scheduled to its answer: waiting for a worker counts.
    ///
    /// ```no_run
    /// # use {everturn_sdk::{Ctx, Result}, std::time::Duration};
    /// # async fn example(ctx: Ctx) -> Result<()> {
    /// ctx.activity("ship", &7).schedule_to_close(Duration::from_secs(300)).await
    /// # }
    /// ```
    pub fn schedule_to_close(self, limit: Duration) -> Self {
        self.with(|options| options.schedule_to_close = Some(nanoseconds(limit)))
    }

    /// Limits how long a worker may be silent between two heartbeats.
    ///
    /// ```no_run
    /// # use {everturn_sdk::{Ctx, Result}, std::time::Duration};
    /// # async fn example(ctx: Ctx) -> Result<()> {
    /// ctx.activity("render", &7).heartbeat(Duration::from_secs(10)).await
    /// # }
    /// ```
    pub fn heartbeat(self, limit: Duration) -> Self {
        self.with(|options| options.heartbeat = Some(nanoseconds(limit)))
    }

    /// The application whose workers run it. Without it: any worker of this host.
    ///
    /// ```no_run
    /// # use everturn_sdk::{Ctx, Result};
    /// # async fn example(ctx: Ctx) -> Result<()> {
    /// ctx.activity("ship", &7).target_app_id("warehouse").await
    /// # }
    /// ```
    pub fn target_app_id(self, app_id: impl Into<String>) -> Self {
        self.with(|options| options.target_app_id = Some(app_id.into()))
    }

    /// The version of the activity. Without it: whichever the worker has.
    ///
    /// ```no_run
    /// # use everturn_sdk::{Ctx, Result};
    /// # async fn example(ctx: Ctx) -> Result<()> {
    /// ctx.activity("ship", &7).version("2").await
    /// # }
    /// ```
    pub fn version(self, version: impl Into<String>) -> Self {
        self.with(|options| options.version = Some(version.into()))
    }

    fn with(self, change: impl FnOnce(&mut durable::ActivityOptions)) -> Self {
        Self { call: self.call.with(|request| change(&mut request.options)) }
    }
}

impl<T: DeserializeOwned + 'static> Request for ActivityRequest<T> {
    type Answer = Result<T>;

    fn send(self) -> LocalBoxFuture<'static, Result<T>> {
        async move {
            let answer = durable::call_activity(self.name.clone(), self.input?, self.options).await;
            let output = answer.map_err(|failure| Error::from_failure(failure.into()))?;
            payload::decode_output(&output, format_args!("activity `{}`", self.name))
        }
        .boxed_local()
    }
}

durable_future!(ActivityCall<T>, Result<T>);

//! Waiting for an event that somebody raises to this instance.

use std::marker::PhantomData;
use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use serde::de::DeserializeOwned;

use crate::bindings::everturn::workflow::durable;
use crate::call::{Call, Request, durable_future};
use crate::error::{Error, Result};
use crate::time::nanoseconds;
use crate::{error_types, payload};

/// A wait for an event, without limit: await it for what the event carries. Made by
/// [`Ctx::wait_for_event`](crate::Ctx::wait_for_event).
///
/// It begins when it is first polled, and dropping it cancels it. Event names are compared without regard to case. An
/// event that nobody waited for is kept, and given at once to the next wait for its name. With `()` as its type, what
/// it carries is not looked at.
///
/// ```no_run
/// use everturn_sdk::{Ctx, Result};
///
/// async fn approval(ctx: Ctx) -> Result<bool> {
///     ctx.wait_for_event("decision").await
/// }
/// ```
#[must_use = "a wait does not begin before it is awaited"]
pub struct EventWait<T> {
    name: String,
    call: Call<EventRequest<T>, Result<T>>,
}

/// A wait for an event with a limit: await it for what the event carries, or `None` when the time ran out. Made by
/// [`EventWait::timeout`] and [`Ctx::try_take_event`](crate::Ctx::try_take_event).
///
/// ```no_run
/// use std::time::Duration;
/// use everturn_sdk::{Ctx, Result};
///
/// async fn approval(ctx: Ctx) -> Result<bool> {
///     let decision = ctx.wait_for_event("decision").timeout(Duration::from_secs(3600)).await?;
///     Ok(decision.unwrap_or(false))
/// }
/// ```
#[must_use = "a wait does not begin before it is awaited"]
pub struct TimedEventWait<T> {
    call: Call<TimedEventRequest<T>, Result<Option<T>>>,
}

struct EventRequest<T> {
    name: String,
    data: PhantomData<fn() -> T>,
}

struct TimedEventRequest<T> {
    event: EventRequest<T>,
    timeout: Duration,
}

impl<T: DeserializeOwned + 'static> EventWait<T> {
    pub(crate) fn new(name: String) -> Self {
        Self { call: Call::new(EventRequest::new(name.clone())), name }
    }

    /// Limits the wait, from when it begins. An event that arrived before the time ran out wins, always.
    ///
    /// A wait that has begun is cancelled, and one with a limit takes its place: it counts from its own beginning.
    ///
    /// ```no_run
    /// # use {everturn_sdk::{Ctx, Result}, std::time::Duration};
    /// # async fn example(ctx: Ctx) -> Result<Option<bool>> {
    /// ctx.wait_for_event("decision").timeout(Duration::from_secs(60)).await
    /// # }
    /// ```
    pub fn timeout(self, timeout: Duration) -> TimedEventWait<T> {
        TimedEventWait { call: Call::new(TimedEventRequest { event: EventRequest::new(self.name), timeout }) }
    }
}

impl<T: DeserializeOwned + 'static> EventRequest<T> {
    fn new(name: String) -> Self {
        Self { name, data: PhantomData }
    }

    async fn wait(self, timeout: Option<Duration>) -> Result<Option<T>> {
        let data = durable::wait_for_event(self.name.clone(), timeout.map(nanoseconds)).await;
        data.map(|data| payload::decode_event(&data, &self.name)).transpose()
    }
}

impl<T: DeserializeOwned + 'static> Request for EventRequest<T> {
    type Answer = Result<T>;

    fn send(self) -> LocalBoxFuture<'static, Result<T>> {
        async move {
            let name = self.name.clone();
            let timed_out =
                || Error::new(error_types::TIMED_OUT, format!("event `{name}` did not come before year 10000"));
            self.wait(None).await?.ok_or_else(|| timed_out().not_retriable())
        }
        .boxed_local()
    }
}

impl<T: DeserializeOwned + 'static> Request for TimedEventRequest<T> {
    type Answer = Result<Option<T>>;

    fn send(self) -> LocalBoxFuture<'static, Result<Option<T>>> {
        self.event.wait(Some(self.timeout)).boxed_local()
    }
}

durable_future!(EventWait<T>, Result<T>);
durable_future!(TimedEventWait<T>, Result<Option<T>>);

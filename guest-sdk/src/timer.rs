//! Waiting for a time, fixed or not.

mod refusal;
mod updatable;

pub use refusal::MoveRefused;
pub use updatable::{Move, TimerWait, UpdatableTimer};

use futures::FutureExt;
use futures::future::LocalBoxFuture;

use crate::bindings::everturn::workflow::durable;
use crate::call::{Call, Request, durable_future};

/// A durable timer: await it. Made by [`Ctx::sleep`](crate::Ctx::sleep) and
/// [`Ctx::sleep_until`](crate::Ctx::sleep_until).
///
/// It begins when it is first polled: that is when the time of a sleep starts to count. Dropping it cancels it.
///
/// ```no_run
/// use std::time::Duration;
/// use everturn_sdk::{Ctx, Result};
///
/// async fn trial(ctx: Ctx) -> Result<()> {
///     ctx.sleep(Duration::from_secs(30 * 24 * 3600)).named("trial period").await;
///     Ok(())
/// }
/// ```
#[must_use = "a timer does not begin before it is awaited"]
pub struct Sleep {
    call: Call<TimerRequest, ()>,
}

struct TimerRequest {
    when: durable::Moment,
    name: Option<String>,
}

impl Sleep {
    pub(crate) fn new(when: durable::Moment) -> Self {
        Self { call: Call::new(TimerRequest { when, name: None }) }
    }

    /// A name that people see in history.
    ///
    /// ```no_run
    /// # use {everturn_sdk::Ctx, std::time::Duration};
    /// # async fn example(ctx: Ctx) {
    /// ctx.sleep(Duration::from_secs(60)).named("cooling off").await;
    /// # }
    /// ```
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { call: self.call.with(|request| request.name = Some(name.into())) }
    }
}

impl Request for TimerRequest {
    type Answer = ();

    fn send(self) -> LocalBoxFuture<'static, ()> {
        durable::create_timer(self.when, self.name).boxed_local()
    }
}

durable_future!(Sleep, ());

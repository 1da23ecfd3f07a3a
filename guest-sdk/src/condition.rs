//! Waiting for the workflow's own state. Nothing of it is in history but the timer of a limit.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime};

use futures::FutureExt;
use futures::future::FusedFuture;

use crate::context::Ctx;
use crate::instance;
use crate::timer::Sleep;
use crate::wakers::Place;

/// A wait for a condition, without limit. Made by [`Ctx::wait_until`].
///
/// ```
/// use everturn_sdk::prelude::*;
///
/// #[derive(Default)]
/// struct Poll {
///     votes: u32,
/// }
///
/// async fn quorum(ctx: Ctx<Poll>) {
///     ctx.wait_until(|poll| poll.votes >= 3).await;
/// }
/// ```
#[must_use = "a wait does not begin before it is awaited"]
pub struct Condition<S, F> {
    ctx: Ctx<S>,
    holds: F,
    /// Among those who wait for a condition. None: it is over.
    place: Option<Place>,
}

/// A wait for a condition with a limit: await it for whether the condition holds. `false`: the time is over, and it does
/// not hold. Made by [`Condition::timeout`] and [`Condition::deadline`].
///
/// Its timer begins when it is first polled and the condition does not hold yet, and leaves the inbox when the condition is
/// met.
///
/// ```
/// use std::time::Duration;
/// use everturn_sdk::prelude::*;
///
/// #[derive(Default)]
/// struct Poll {
///     votes: u32,
/// }
///
/// async fn quorum(ctx: Ctx<Poll>) -> bool {
///     ctx.wait_until(|poll| poll.votes >= 3).timeout(Duration::from_secs(3600)).await
/// }
/// ```
#[must_use = "a wait does not begin before it is awaited"]
pub struct TimedCondition<S, F> {
    condition: Condition<S, F>,
    timer: Option<Sleep>,
}

impl<S: 'static, F: Fn(&S) -> bool> Condition<S, F> {
    pub(crate) fn new(ctx: Ctx<S>, holds: F) -> Self {
        let place = instance::with(|instance| instance.conditions.place());
        Self { ctx, holds, place: Some(place) }
    }

    /// Limits the wait, from when it begins.
    ///
    /// ```
    /// # use {everturn_sdk::prelude::*, std::time::Duration};
    /// # async fn example(ctx: Ctx<u32>) {
    /// let came_in_time = ctx.wait_until(|votes| *votes >= 3).timeout(Duration::from_secs(60)).await;
    /// # let _ = came_in_time;
    /// # }
    /// ```
    pub fn timeout(self, timeout: Duration) -> TimedCondition<S, F> {
        let timer = self.ctx.sleep(timeout);
        TimedCondition { condition: self, timer: Some(timer) }
    }

    /// Limits the wait to a time. One in the past leaves the condition a single chance.
    ///
    /// ```
    /// # use {everturn_sdk::prelude::*, std::time::SystemTime};
    /// # async fn example(ctx: Ctx<u32>, closing: SystemTime) {
    /// let came_in_time = ctx.wait_until(|votes| *votes >= 3).deadline(closing).await;
    /// # let _ = came_in_time;
    /// # }
    /// ```
    pub fn deadline(self, time: SystemTime) -> TimedCondition<S, F> {
        let timer = self.ctx.sleep_until(time);
        TimedCondition { condition: self, timer: Some(timer) }
    }
}

// Nothing in them is ever pinned.
impl<S, F> Unpin for Condition<S, F> {}
impl<S, F> Unpin for TimedCondition<S, F> {}

impl<S: 'static, F: Fn(&S) -> bool> Future for Condition<S, F> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Some(place) = &self.place else {
            return Poll::Pending;
        };
        if self.ctx.read(&self.holds) {
            self.place = None;
            instance::with(|instance| instance.stirred.set(true));
            return Poll::Ready(());
        }
        place.wait(context.waker());
        Poll::Pending
    }
}

impl<S: 'static, F: Fn(&S) -> bool> FusedFuture for Condition<S, F> {
    fn is_terminated(&self) -> bool {
        self.place.is_none()
    }
}

impl<S: 'static, F: Fn(&S) -> bool> Future for TimedCondition<S, F> {
    type Output = bool;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<bool> {
        let Some(mut timer) = self.timer.take() else {
            return Poll::Pending;
        };
        // The condition first: what came before the time was over wins, always.
        if self.condition.poll_unpin(context).is_ready() {
            return Poll::Ready(true);
        }
        if timer.poll_unpin(context).is_ready() {
            return Poll::Ready(false);
        }
        self.timer = Some(timer);
        Poll::Pending
    }
}

impl<S: 'static, F: Fn(&S) -> bool> FusedFuture for TimedCondition<S, F> {
    fn is_terminated(&self) -> bool {
        self.timer.is_none()
    }
}

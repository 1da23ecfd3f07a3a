//! A limit around anything that waits.

use std::error::Error as StdError;
use std::fmt;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use futures::FutureExt;

use crate::context::Ctx;

/// The time ran out before something ended. With `?` it becomes an [`Error`](crate::Error) of type `TimedOut`.
///
/// ```
/// use std::time::Duration;
/// use everturn_sdk::{Error, TimedOut, error_types};
///
/// let error = Error::from(TimedOut { limit: Duration::from_secs(60) });
/// assert!(error.is(error_types::TIMED_OUT));
/// assert_eq!(error.message, "it did not end within 60s");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedOut {
    /// How long it had.
    pub limit: Duration,
}

/// Waits for something, but no longer than this. What is not ready then is dropped, which cancels it; when it is ready, the
/// timer leaves the inbox. When both happen at once, what was waited for counts.
///
/// Waits for events and conditions have a limit of their own: [`EventWait::timeout`](crate::EventWait::timeout),
/// [`Condition::timeout`](crate::Condition::timeout).
///
/// # Errors
/// When the time ran out.
///
/// ```no_run
/// use std::time::Duration;
/// use everturn_sdk::prelude::*;
///
/// async fn quote(ctx: Ctx) -> Result<u32> {
///     timeout(ctx, Duration::from_secs(60), ctx.activity("quote", &())).await?
/// }
/// ```
pub async fn timeout<S, T>(ctx: Ctx<S>, limit: Duration, inside: impl Future<Output = T>) -> Result<T, TimedOut> {
    let mut inside = pin!(inside);
    let mut timer = ctx.sleep(limit);
    std::future::poll_fn(|context| {
        if let Poll::Ready(answer) = inside.as_mut().poll(context) {
            return Poll::Ready(Ok(answer));
        }
        timer.poll_unpin(context).map(|()| Err(TimedOut { limit }))
    })
    .await
}

impl fmt::Display for TimedOut {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "it did not end within {:?}", self.limit)
    }
}

impl StdError for TimedOut {}

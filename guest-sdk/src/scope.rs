//! A part of a workflow that can be called off from outside.

use std::cell::Cell;
use std::error::Error as StdError;
use std::fmt;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;

use crate::read_only;
use crate::wakers::Wakers;

/// What is awaited inside of a scope is called off when the scope is cancelled: calls are dropped, and their timers leave the
/// inbox. It is a handle: clones are the same scope, so one can be kept in the workflow's state for a signal to cancel.
///
/// ```
/// use everturn_sdk::prelude::*;
///
/// #[derive(Default)]
/// struct Shipment {
///     packing: Scope,
/// }
///
/// #[workflow]
/// impl Shipment {
///     #[run]
///     async fn run(ctx: Ctx<Self>, order: u64) -> Result<String> {
///         let packing = ctx.read(|state| state.packing.clone());
///         match packing.run(ctx.activity("pack", &order)).await {
///             Ok(parcel) => parcel,
///             Err(Cancelled) => ctx.activity("unpack", &order).await,
///         }
///     }
///
///     #[signal]
///     fn cancel(&mut self) {
///         self.packing.cancel();
///     }
/// }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Scope {
    shared: Rc<Shared>,
}

/// What was awaited in a [`Scope`] was called off. With `?` it becomes an [`Error`](crate::Error) of type `Cancelled`.
///
/// ```
/// use everturn_sdk::{Cancelled, Error, error_types};
///
/// assert!(Error::from(Cancelled).is(error_types::CANCELLED));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

#[derive(Debug, Default)]
struct Shared {
    is_cancelled: Cell<bool>,
    waiting: Wakers,
}

impl Scope {
    /// A scope that is not cancelled.
    ///
    /// ```
    /// # use everturn_sdk::Scope;
    /// assert!(!Scope::new().is_cancelled());
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs something inside of the scope. Several may run in one scope, and scopes in each other.
    ///
    /// # Errors
    /// When the scope is cancelled before it has ended. In a scope that is cancelled already it does not begin.
    ///
    /// ```no_run
    /// # use everturn_sdk::prelude::*;
    /// # async fn example(ctx: Ctx, scope: Scope) -> Result<u32> {
    /// scope.run(ctx.activity("count", &())).await?
    /// # }
    /// ```
    pub async fn run<T>(&self, inside: impl Future<Output = T>) -> Result<T, Cancelled> {
        let mut inside = pin!(inside);
        let place = self.shared.waiting.place();
        std::future::poll_fn(|context| {
            // Looked at first: what was called off does not go on for one more step. That what is inside is dropped at once
            // is the end of this function.
            if self.is_cancelled() {
                return Poll::Ready(Err(Cancelled));
            }
            if let Poll::Ready(answer) = inside.as_mut().poll(context) {
                return Poll::Ready(Ok(answer));
            }
            // And again: what is inside may have cancelled the scope itself, when there was nobody to wake yet.
            if self.is_cancelled() {
                return Poll::Ready(Err(Cancelled));
            }
            place.wait(context.waker());
            Poll::Pending
        })
        .await
    }

    /// Calls off what is inside, for good. Nothing happens to what has ended.
    ///
    /// ```
    /// # use everturn_sdk::Scope;
    /// let scope = Scope::new();
    /// scope.cancel();
    /// assert!(scope.is_cancelled());
    /// ```
    pub fn cancel(&self) {
        read_only::refuse("cancel a scope");
        self.shared.is_cancelled.set(true);
        self.shared.waiting.wake_all();
    }

    /// Whether it was cancelled.
    ///
    /// ```
    /// # use everturn_sdk::Scope;
    /// assert!(!Scope::new().is_cancelled());
    /// ```
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.shared.is_cancelled.get()
    }
}

impl fmt::Display for Cancelled {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("it was cancelled before it ended")
    }
}

impl StdError for Cancelled {}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::task::{Context, Waker};

    use futures::FutureExt;
    use futures::stream::{FuturesUnordered, StreamExt};

    use super::*;

    #[test]
    fn what_is_inside_may_cancel_its_own_scope() {
        let scope = Scope::new();
        let inside = async {
            scope.cancel();
            pending::<()>().await;
        };
        assert_eq!(scope.run(inside).now_or_never(), Some(Err(Cancelled)));

        let outer = Scope::new();
        let inside = async {
            outer.cancel();
            pending::<()>().await;
        };
        assert_eq!(outer.run(Scope::new().run(inside)).now_or_never(), Some(Err(Cancelled)));
    }

    #[test]
    fn what_ended_or_was_dropped_leaves_nothing_in_its_scope() {
        let scope = Scope::new();
        let mut many: FuturesUnordered<_> = (0..100).map(|_| scope.run(pending::<()>())).collect();
        assert!(many.poll_next_unpin(&mut Context::from_waker(Waker::noop())).is_pending());
        assert_eq!(scope.shared.waiting.count(), 100);
        drop(many);
        assert_eq!(scope.shared.waiting.count(), 0);

        let mut polls = 0;
        let ends = std::future::poll_fn(|_| {
            polls += 1;
            if polls == 1 { Poll::Pending } else { Poll::Ready(()) }
        });
        let mut running = std::pin::pin!(scope.run(ends));
        let mut context = Context::from_waker(Waker::noop());
        assert!(running.as_mut().poll(&mut context).is_pending());
        assert_eq!(running.as_mut().poll(&mut context), Poll::Ready(Ok(())));
        assert_eq!(scope.shared.waiting.count(), 0);
    }
}

//! The future behind every durable call: it begins when it is first polled, and it is cancelled when it is dropped.
//! What is asked and how it is built is in the module of each kind of call.

use std::cell::Cell;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::future::{FusedFuture, LocalBoxFuture};

use crate::read_only;

/// What a call asks of the host.
pub(crate) trait Request: Unpin {
    /// What comes back.
    type Answer;

    /// Asks. The host hears of it when the future is first polled.
    fn send(self) -> LocalBoxFuture<'static, Self::Answer>;
}

/// A call that has perhaps not begun.
pub(crate) struct Call<R, A> {
    request: Option<R>,
    running: Option<Running<A>>,
}

/// A call that the host has been asked. As long as one exists, the workflow waits for something.
struct Running<A> {
    future: LocalBoxFuture<'static, A>,
}

thread_local! {
    static OPEN: Cell<usize> = const { Cell::new(0) };
}

/// How many calls the host has been asked and has not answered.
pub(crate) fn open_calls() -> usize {
    OPEN.get()
}

impl<A> Running<A> {
    fn new(future: LocalBoxFuture<'static, A>) -> Self {
        OPEN.set(OPEN.get() + 1);
        Self { future }
    }
}

impl<A> Drop for Running<A> {
    fn drop(&mut self) {
        OPEN.set(OPEN.get() - 1);
    }
}

impl<R: Request<Answer = A>, A> Call<R, A> {
    pub(crate) fn new(request: R) -> Self {
        Self { request: Some(request), running: None }
    }

    /// Changes the request, as long as the host has not heard of it.
    pub(crate) fn with(mut self, change: impl FnOnce(&mut R)) -> Self {
        if let Some(request) = &mut self.request {
            change(request);
        }
        self
    }
}

impl<R: Request<Answer = A>, A> Future for Call<R, A> {
    type Output = A;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<A> {
        if let Some(request) = self.request.take() {
            read_only::refuse("ask anything of the host");
            self.running = Some(Running::new(request.send()));
        }
        let Some(running) = &mut self.running else {
            // As every fused future: after its answer it stays silent.
            return Poll::Pending;
        };
        let answer = running.future.as_mut().poll(context);
        if answer.is_ready() {
            self.running = None;
        }
        answer
    }
}

impl<R: Request<Answer = A>, A> FusedFuture for Call<R, A> {
    fn is_terminated(&self) -> bool {
        self.request.is_none() && self.running.is_none()
    }
}

/// Makes a public type with a field `call` a future, so that it works in `join!`, `select!` and `FuturesUnordered` as
/// it is, while the call itself stays private.
macro_rules! durable_future {
    ($name:ident $(<$answer:ident>)?, $output:ty) => {
        impl $(<$answer: ::serde::de::DeserializeOwned + 'static>)? ::std::future::Future for $name $(<$answer>)? {
            type Output = $output;

            fn poll(
                mut self: ::std::pin::Pin<&mut Self>,
                context: &mut ::std::task::Context<'_>,
            ) -> ::std::task::Poll<$output> {
                ::std::pin::Pin::new(&mut self.call).poll(context)
            }
        }

        impl $(<$answer: ::serde::de::DeserializeOwned + 'static>)? ::futures::future::FusedFuture for $name $(<$answer>)? {
            fn is_terminated(&self) -> bool {
                ::futures::future::FusedFuture::is_terminated(&self.call)
            }
        }
    };
}
pub(crate) use durable_future;

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use futures::FutureExt;

    use super::*;

    struct Never;

    impl Request for Never {
        type Answer = ();

        fn send(self) -> LocalBoxFuture<'static, ()> {
            std::future::pending().boxed_local()
        }
    }

    struct AtOnce(u32);

    impl Request for AtOnce {
        type Answer = u32;

        fn send(self) -> LocalBoxFuture<'static, u32> {
            std::future::ready(self.0).boxed_local()
        }
    }

    fn poll<R: Request<Answer = A>, A>(call: &mut Call<R, A>) -> Poll<A> {
        call.poll_unpin(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn a_call_begins_when_it_is_polled_and_ends_when_it_is_dropped() {
        let mut call = Call::new(Never);
        assert_eq!(open_calls(), 0);

        assert!(poll(&mut call).is_pending());
        assert_eq!(open_calls(), 1);

        drop(call);
        assert_eq!(open_calls(), 0);
    }

    #[test]
    fn an_answered_call_is_terminated_and_stays_silent() {
        let mut call = Call::new(AtOnce(1)).with(|request| request.0 = 2);
        assert!(!call.is_terminated());

        assert_eq!(poll(&mut call), Poll::Ready(2));

        assert!(call.is_terminated());
        assert_eq!(open_calls(), 0);
        assert!(poll(&mut call).is_pending());
    }
}

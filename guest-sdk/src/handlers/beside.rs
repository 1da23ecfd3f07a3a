//! The main function and the handlers beside each other, in one task. Handlers go first: a signal has been handled before
//! the main function sees what came after it.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use super::desk::Desk;
use crate::bell::Bell;
use crate::error::Error;
use crate::instance;

/// Runs the main function with the handlers beside it, to its end. A handler that fails ends it too.
pub(crate) async fn beside_handlers<T>(main: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    let mut main = pin!(main);
    let mut desk = Desk::new();
    let mut bell: Option<Arc<Bell>> = None;
    std::future::poll_fn(move |context| {
        let bell = Bell::renew(&mut bell, context.waker());
        let waker = Waker::from(Arc::clone(bell));
        let context = &mut Context::from_waker(&waker);
        bell.hold(true);
        let poll = until_quiet(bell, || {
            if let Poll::Ready(error) = desk.poll(context) {
                return Poll::Ready(Err(error));
            }
            main.as_mut().poll(context)
        });
        bell.hold(false);
        poll
    })
    .await
}

/// Polls again as long as one side does something that the other may have to see. When all is quiet, conditions have been
/// looked at after the last thing that happened, however it changed what they look at.
fn until_quiet<T>(bell: &Bell, mut poll: impl FnMut() -> Poll<T>) -> Poll<T> {
    let mut has_looked = false;
    loop {
        bell.take();
        if let Poll::Ready(outcome) = poll() {
            return Poll::Ready(outcome);
        }
        // A wake-up alone is no reason to look again: a look wakes those who look, and some answer with one of their own.
        if bell.take() {
            continue;
        }
        let stirred = instance::with(|instance| instance.stirred.take());
        if has_looked && !stirred {
            return Poll::Pending;
        }
        has_looked = true;
        let is_watched = instance::with(|instance| instance.conditions.wake_all());
        if !is_watched && !stirred {
            return Poll::Pending;
        }
    }
}

//! Notices a workflow that waits for nothing the host could ever answer, and lets the host know. Without this the async
//! runtime underneath panics, in words that only its makers understand.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Waker};

use crate::bell::Bell;
use crate::call::open_calls;

/// Runs a workflow, and stops for good when it blocks although no durable call is open and nothing has asked to poll it
/// again.
pub(crate) async fn watched<T>(workflow: impl Future<Output = T>) -> T {
    let mut workflow = pin!(workflow);
    let mut bell: Option<Arc<Bell>> = None;
    std::future::poll_fn(move |context| {
        let bell = Bell::renew(&mut bell, context.waker());
        let waker = Waker::from(Arc::clone(bell));
        let poll = workflow.as_mut().poll(&mut Context::from_waker(&waker));
        if poll.is_pending() && open_calls() == 0 && !bell.has_rung() {
            stop();
        }
        poll
    })
    .await
}

/// Blocks in a way that the host recognises: on a set of things to wait for that is empty.
///
/// Not a failure of the workflow: a mistake in its code is for the next version to mend, not for history to keep.
#[cfg(target_family = "wasm")]
fn stop() -> ! {
    #[link(wasm_import_module = "$root")]
    unsafe extern "C" {
        #[link_name = "[waitable-set-new]"]
        safe fn new_waitable_set() -> u32;
        #[link_name = "[waitable-set-wait]"]
        safe fn wait_for_waitable_set(set: u32, event: &mut [u32; 2]) -> u32;
    }
    wait_for_waitable_set(new_waitable_set(), &mut [0; 2]);
    core::arch::wasm32::unreachable()
}

/// Where there is no host, nobody could notice a workflow that just blocks.
#[cfg(not(target_family = "wasm"))]
#[expect(clippy::panic, reason = "the workflow can never go on")]
fn stop() -> ! {
    panic!("the workflow waits for nothing: no timer, event, activity or child is open that could ever wake it")
}

#[cfg(test)]
mod tests {
    use std::task::Poll;

    use super::*;

    fn poll<T>(workflow: impl Future<Output = T>) -> Poll<T> {
        pin!(watched(workflow)).poll(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    #[should_panic(expected = "the workflow waits for nothing")]
    fn a_workflow_that_waits_for_nothing_is_stopped() {
        let _ = poll(std::future::pending::<()>());
    }

    #[test]
    fn a_workflow_that_yields_goes_on() {
        let mut yielded = false;
        let workflow = std::future::poll_fn(move |context| {
            if yielded {
                return Poll::Ready(7);
            }
            yielded = true;
            context.waker().wake_by_ref();
            Poll::Pending
        });
        let mut workflow = pin!(watched(workflow));
        let mut context = Context::from_waker(Waker::noop());

        assert_eq!(workflow.as_mut().poll(&mut context), Poll::Pending);
        assert_eq!(workflow.as_mut().poll(&mut context), Poll::Ready(7));
    }
}

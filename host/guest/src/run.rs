//! One guest from its making to its end, as a future that owns its store; and the poll loop that needs no runtime.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::AcqRel, Ordering::Release};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Instant;

use everturn_replay::Failure;
use futures::future::{Either, select};
use wasmtime::component::ComponentExportIndex;
use wasmtime::{Store, UpdateDeadline};

use crate::bindings::everturn::workflow::types;
use crate::bindings::{Workflow, WorkflowPre};
use crate::convert;
use crate::fault::GuestFault;
use crate::query::{self, Door};
use crate::state::State;

/// What a workflow function returned.
pub(crate) type Outcome = Result<String, Failure>;

/// A guest that runs: everything it has, in one future. What its workflow returns is left in the link, and the guest stays
/// to answer queries; so the future only ends when the guest was stopped.
pub(crate) type RunningGuest = Pin<Box<dyn Future<Output = GuestFault> + Send>>;

/// A store with all limits set.
pub(crate) fn new_store(engine: &wasmtime::Engine, state: State) -> Store<State> {
    let limits = Arc::clone(&state.limits);
    let mut store = Store::new(engine, state);
    store.limiter(State::usage);
    store.set_hostcall_fuel(limits.host_call_bytes);
    store.set_max_component_handles(limits.handles());
    // The next tick asks the clock. The deadline moves with every stretch, and the store is out of reach then.
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(|context| {
        let state = context.data();
        if Instant::now() < state.link.lock().stretch.deadline {
            return Ok(UpdateDeadline::Continue(1));
        }
        Err(GuestFault::TimedOut { limit: state.limits.run_time }.into())
    });
    store
}

/// Makes an instance in a store.
pub(crate) async fn instantiate(
    component: &WorkflowPre<State>,
    store: &mut Store<State>,
) -> Result<Workflow, GuestFault> {
    match component.instantiate_async(&mut *store).await {
        Ok(workflow) => Ok(workflow),
        Err(error) => Err(stopped(store, error)),
    }
}

/// What stopped the guest in this store.
pub(crate) fn stopped(store: &mut Store<State>, error: wasmtime::Error) -> GuestFault {
    let state = store.data_mut();
    tracing::debug!(target: crate::LOG_TARGET, ?error, "guest stopped");
    state.flush();
    GuestFault::of(error, state.last_words())
}

/// Runs one workflow of a component from its beginning to its result.
pub(crate) fn run(
    component: WorkflowPre<State>,
    queries: Option<ComponentExportIndex>,
    state: State,
    workflow: String,
    input: String,
) -> RunningGuest {
    Box::pin(async move {
        let mut store = new_store(component.engine(), state);
        let link = store.data().link.clone();
        let (guest, door) = match instantiate_with(&component, queries, &mut store).await {
            Ok(made) => made,
            Err(fault) => return fault,
        };
        let ended = store
            .run_concurrent(async |accessor| {
                let running = pin!(guest.everturn_workflow_workflows().call_run(accessor, workflow, input));
                let asked = pin!(query::serve(accessor, &link, door.as_ref()));
                let asked = match select(running, asked).await {
                    Either::Left((Ok(outcome), asked)) => {
                        accessor.with(|mut access| {
                            let state = access.get();
                            state.flush();
                            let outcome = accepted(outcome, state);
                            link.lock().outcome = Some(outcome);
                        });
                        asked
                    }
                    Either::Left((Err(error), _)) | Either::Right((error, _)) => return error,
                };
                asked.await
            })
            .await;
        let (Ok(error) | Err(error)) = ended;
        stopped(&mut store, error)
    })
}

/// Makes an instance, and finds where it answers queries.
async fn instantiate_with(
    component: &WorkflowPre<State>,
    queries: Option<ComponentExportIndex>,
    store: &mut Store<State>,
) -> Result<(Workflow, Option<Door>), GuestFault> {
    let Some(index) = queries else { return Ok((instantiate(component, store).await?, None)) };
    let made = async {
        let instance = component.instance_pre().instantiate_async(&mut *store).await?;
        let door = query::door(&mut *store, &instance, index)?;
        Ok((Workflow::new(&mut *store, &instance)?, Some(door)))
    };
    match made.await {
        Ok(made) => Ok(made),
        Err(error) => Err(stopped(store, error)),
    }
}

fn accepted(outcome: Result<String, types::Failure>, state: &State) -> Result<Outcome, GuestFault> {
    match &outcome {
        Ok(result) => state.payload("workflow's result", result)?,
        Err(failure) => state.failure("workflow's failure", failure)?,
    };
    Ok(outcome.map_err(convert::failure_from_guest))
}

/// Polls a guest until it is done or blocked: pending, and nobody woke it in the meantime.
pub(crate) struct Poller {
    woken: Arc<Woken>,
    waker: Waker,
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Release);
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.store(true, Release);
    }
}

impl Poller {
    pub(crate) fn new() -> Self {
        let woken = Arc::new(Woken(AtomicBool::new(false)));
        Self { waker: Waker::from(Arc::clone(&woken)), woken }
    }

    /// The future's output; None when it is blocked.
    pub(crate) fn poll<F: Future + ?Sized>(&self, mut future: Pin<&mut F>) -> Option<F::Output> {
        let mut context = Context::from_waker(&self.waker);
        loop {
            self.woken.0.store(false, Release);
            match future.as_mut().poll(&mut context) {
                Poll::Ready(output) => return Some(output),
                Poll::Pending if self.woken.0.swap(false, AcqRel) => {}
                Poll::Pending => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, poll_fn};
    use std::pin::pin;

    use super::*;

    #[test]
    fn polls_on_while_the_future_wakes_itself() {
        let mut left = 3;
        let future = poll_fn(|context| {
            if left == 0 {
                return Poll::Ready("done");
            }
            left -= 1;
            context.waker().wake_by_ref();
            Poll::Pending
        });
        assert_eq!(Poller::new().poll(pin!(future)), Some("done"));
    }

    #[test]
    fn a_future_that_nobody_woke_is_blocked() {
        assert_eq!(Poller::new().poll(pin!(pending::<()>())), None);
    }
}

//! Activities in this process: so many at the same time, in the order in which they were given out. Who waits for a place is
//! not a task of tokio's, which would be run in any order, but an entry in a line.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use everturn_activity::Outcome;
use everturn_store::{InstanceKey, Token};
use tokio::sync::Notify;

use super::guard::{Lapse, lapse};
use super::worker::give_up;
use super::{Assignment, answer, execute};
use crate::host::Host;
use crate::instance;

/// A dispatch that is to run in this process.
#[derive(Debug)]
pub(super) struct Dispatch {
    pub(super) token: Token,
    pub(super) assignment: Arc<Assignment>,
    /// Told when it is over for another reason than its answer.
    pub(super) stop: Arc<Notify>,
}

/// Places, and who waits for one.
#[derive(Debug)]
pub(super) struct Places<T>(Mutex<Line<T>>);

#[derive(Debug)]
struct Line<T> {
    free: usize,
    waiting: VecDeque<T>,
}

impl<T> Places<T> {
    pub(super) fn new(count: usize) -> Self {
        Self(Mutex::new(Line { free: count, waiting: VecDeque::new() }))
    }

    fn lock(&self) -> MutexGuard<'_, Line<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Somebody wants a place. Given back: he has one. Otherwise he waits.
    fn enter(&self, somebody: T) -> Option<T> {
        let mut line = self.lock();
        if line.free == 0 {
            line.waiting.push_back(somebody);
            return None;
        }
        line.free -= 1;
        Some(somebody)
    }

    /// Somebody leaves his place: to the next in line, if there is one.
    fn leave(&self) -> Option<T> {
        let mut line = self.lock();
        let next = line.waiting.pop_front();
        line.free += usize::from(next.is_none());
        next
    }

    /// Sends everybody away who waits.
    pub(super) fn clear(&self) -> VecDeque<T> {
        std::mem::take(&mut self.lock().waiting)
    }
}

/// A place that somebody has. Whatever happens to him, it is not lost.
struct Place(Option<Arc<Host>>);

impl Place {
    fn pass_on(mut self) -> Option<Dispatch> {
        self.0.take().and_then(|host| host.dispatcher.places.leave())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(host) = self.0.take()
            && let Some(next) = host.dispatcher.places.leave()
        {
            tokio::spawn(run(host, next));
        }
    }
}

/// Runs it as soon as there is a place.
pub(super) fn begin(host: &Arc<Host>, dispatch: Dispatch) {
    if host.stopping.has_begun() {
        // It begins after the next start.
        host.dispatcher.desk.lock().remove(dispatch.token);
        return;
    }
    if let Some(dispatch) = host.dispatcher.places.enter(dispatch) {
        tokio::spawn(run(Arc::clone(host), dispatch));
    }
}

/// Runs one after the other in one place while others wait for it. Who ran the last one drives the instance that it was for, if
/// nobody does: another task would have to be woken for it.
async fn run(host: Arc<Host>, mut dispatch: Dispatch) {
    loop {
        let place = Place(Some(Arc::clone(&host)));
        let outcome = outcome(&host, &dispatch).await;
        let needs_driver = outcome.and_then(|outcome| answered(&host, &dispatch, outcome));
        match (place.pass_on(), needs_driver) {
            (Some(next), needs_driver) => {
                needs_driver.into_iter().for_each(|instance| instance::start(&host, instance));
                dispatch = next;
            }
            (None, Some(instance)) => return Box::pin(instance::drive(host, instance, None)).await,
            (None, None) => return,
        }
    }
}

/// What becomes of it. None: it has no answer, since it was stopped or not begun.
async fn outcome(host: &Arc<Host>, dispatch: &Dispatch) -> Option<Outcome> {
    let Dispatch { token, assignment, stop } = dispatch;
    // Its time begins now, unless nobody wants it any more.
    if !host.dispatcher.heartbeat(*token) {
        return None;
    }
    tokio::select! {
        outcome = execute::execute(host, *token, assignment) => {
            if outcome.is_none() {
                // It waits for whoever has it.
                give_up(host, *token);
            }
            outcome
        }
        lapse = lapse(host, *token, assignment, None) => match lapse {
            Lapse::Failed(failure) => {
                host.counters.timeouts.one();
                Some(Err(failure))
            }
            Lapse::Lost => None,
        },
        () = stop.notified() => None,
    }
}

/// Puts its answer into a turn. Gives the instance, if that needs a driver.
fn answered(host: &Arc<Host>, dispatch: &Dispatch, outcome: Outcome) -> Option<InstanceKey> {
    answer::hand_over(host, dispatch.token, outcome).unwrap_or_else(|error| {
        let activity = &dispatch.assignment.scheduled.name;
        tracing::debug!(activity, %error, "the answer of an activity was not taken");
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_go_to_who_waits_in_their_order() {
        let places = Places::new(1);
        assert_eq!([1, 2, 3].map(|somebody| places.enter(somebody)), [Some(1), None, None]);
        assert_eq!([places.leave(), places.leave(), places.leave()], [Some(2), Some(3), None]);
        assert_eq!([4, 5].map(|somebody| places.enter(somebody)), [Some(4), None], "it was free again");
        assert_eq!(places.clear(), [5]);
        assert_eq!(places.leave(), None, "he was sent away");
        assert_eq!(places.enter(6), Some(6));
    }
}

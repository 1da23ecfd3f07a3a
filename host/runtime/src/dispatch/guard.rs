//! Watches over one dispatch: its time limits, the signs of life of its worker, and its end.

use std::sync::Arc;
use std::time::Duration;

use everturn_history::{HistoryPropagationScope, PropagatedHistory};
use everturn_replay::Failure;
use everturn_store::Token;
use tokio::sync::Notify;
use tokio::sync::mpsc::error::TrySendError;
use tokio::time::{Instant, sleep_until};

use super::answer::answer_here;
use super::desk::{Begun, WhereBegun};
use super::worker::{give_up, take_back};
use super::{Assignment, answer, execute};
use crate::failures;
use crate::host::Host;
use crate::persist::read;
use crate::remote::propagation;

/// How a dispatch ends without an answer of its worker.
enum Lapse {
    /// The attempt failed.
    Failed(Failure),
    /// The worker is lost: somebody else does it.
    Lost,
}

/// Lets the worker begin, and watches over it.
pub(super) fn watch(host: &Arc<Host>, begun: Begun, token: Token, assignment: Arc<Assignment>) {
    let host = Arc::clone(host);
    // Sent here and now, so that a worker gets its tasks in their order. There is room for it, unless tasks whose time ran
    // out still lie there: then it is sent as soon as there is.
    let wants_past = assignment.scheduled.history_propagation_scope() != HistoryPropagationScope::None;
    let unsent = match &begun.place {
        WhereBegun::Outside(_) if wants_past => Some(assignment.task(token)),
        WhereBegun::Outside(tasks) => match tasks.try_send(assignment.task(token)) {
            Err(TrySendError::Full(task)) => Some(task),
            // A worker that hangs up is taken off the desk with all it had.
            Ok(()) | Err(TrySendError::Closed(_)) => None,
        },
        WhereBegun::Here | WhereBegun::Nowhere => None,
    };
    tokio::spawn(async move {
        match begun.place {
            WhereBegun::Here => run_here(host, begun.stop, token, assignment).await,
            WhereBegun::Outside(tasks) => {
                let (asking, asked) = (Arc::clone(&host), Arc::clone(&assignment));
                let sent = async {
                    if let Some(mut task) = unsent {
                        if wants_past {
                            task.propagated = past_for(&asking, &asked).await;
                        }
                        let _ = tasks.send(task).await;
                    }
                    std::future::pending::<()>().await;
                };
                tokio::select! {
                    () = watch_outside(host, begun.stop, token, assignment) => {}
                    () = sent => {}
                }
            }
            WhereBegun::Nowhere => give_back(&host, token, assignment).await,
        }
    });
}

/// What the activity is told of the past. What cannot be read is left out: the instance may be gone.
async fn past_for(host: &Host, assignment: &Assignment) -> Option<PropagatedHistory> {
    let loaded = read(host, || host.store.load(assignment.instance)).await.ok().flatten()?;
    let id = assignment.instance_id.as_str();
    propagation::for_activity(id, &assignment.workflow, &loaded.history, assignment.task)
}

async fn run_here(host: Arc<Host>, stop: Arc<Notify>, token: Token, assignment: Arc<Assignment>) {
    let pressing = host.pressure.add();
    let place = tokio::select! {
        place = host.dispatcher.places.acquire() => place,
        () = stop.notified() => return,
    };
    drop(pressing);
    let Ok(place) = place else {
        // The host stops. It begins after the next start.
        host.dispatcher.desk.lock().remove(token);
        return;
    };
    // Its time begins now.
    host.dispatcher.heartbeat(token);
    let outcome = tokio::select! {
        outcome = execute::execute(&host, token, &assignment) => match outcome {
            Some(outcome) => outcome,
            None => {
                // It waits for whoever has it.
                give_up(&host, token);
                return;
            }
        },
        lapse = lapse(&host, token, &assignment, None) => match lapse {
            Lapse::Failed(failure) => {
                host.counters.timeouts.one();
                Err(failure)
            }
            Lapse::Lost => return,
        },
        () = stop.notified() => return,
    };
    // It does not run any more.
    drop(place);
    if let Err(error) = answer_here(&host, token, outcome).await {
        tracing::debug!(activity = assignment.scheduled.name, %error, "the answer of an activity was not taken");
    }
}

async fn watch_outside(host: Arc<Host>, stop: Arc<Notify>, token: Token, assignment: Arc<Assignment>) {
    let lease = host.dispatcher.desk.lock().is_leased_task(token).then_some(host.dispatcher.lease);
    let lapse = tokio::select! {
        lapse = lapse(&host, token, &assignment, lease) => lapse,
        () = stop.notified() => return,
    };
    match lapse {
        Lapse::Failed(failure) => {
            host.counters.timeouts.one();
            // An answer that came in this very moment wins: then this one is late.
            let _ = answer(&host, token, Err(failure)).await;
        }
        Lapse::Lost => give_back(&host, token, assignment).await,
    }
}

/// The worker is lost: others may have the task, unless it was answered in this very moment.
async fn give_back(host: &Arc<Host>, token: Token, assignment: Arc<Assignment>) {
    let lost = host.dispatcher.desk.lock().remove(token);
    if lost.is_some() {
        take_back(host, vec![(token, assignment)]).await;
    }
}

/// Resolves when a limit of the dispatch is exceeded. Without limits it never does.
async fn lapse(host: &Host, token: Token, assignment: &Assignment, lease: Option<Duration>) -> Lapse {
    let begun = Instant::now();
    let activity = &assignment.scheduled.name;
    let limits = assignment.scheduled.timeouts.as_ref();
    let start_to_close = limits.and_then(|limits| limits.start_to_close.as_ref()).map(failures::duration);
    let heartbeat = limits.and_then(|limits| limits.heartbeat.as_ref()).map(failures::duration);
    loop {
        let alive = host.dispatcher.desk.lock().alive(token).unwrap_or(begun);
        let ends = [
            start_to_close.map(|limit| (begun + limit, Lapse::Failed(failures::start_to_close(activity, limit)))),
            heartbeat.map(|limit| (alive + limit, Lapse::Failed(failures::heartbeat(activity, limit)))),
            lease.map(|limit| (alive + limit, Lapse::Lost)),
        ];
        let Some((end, lapse)) = ends.into_iter().flatten().min_by_key(|(end, _)| *end) else {
            return std::future::pending().await;
        };
        sleep_until(end).await;
        // A sign of life moves the end.
        let moved = host.dispatcher.desk.lock().alive(token).is_some_and(|now| now > alive);
        if !moved || start_to_close.is_some_and(|limit| begun + limit <= end) {
            return lapse;
        }
    }
}

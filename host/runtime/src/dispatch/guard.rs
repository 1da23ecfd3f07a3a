//! Watches over one dispatch: its time limits, the signs of life of its worker, and its end.

use std::sync::Arc;
use std::time::Duration;

use everturn_history::{HistoryPropagationScope, PropagatedHistory};
use everturn_replay::Failure;
use everturn_store::Token;
use tokio::sync::Notify;
use tokio::sync::mpsc::Sender;
use tokio::sync::mpsc::error::TrySendError;
use tokio::time::{Instant, sleep_until};

use super::desk::{Begun, WhereBegun};
use super::here::{self, Dispatch};
use super::worker::{ActivityTask, take_back};
use super::{Assignment, answer};
use crate::failures;
use crate::host::Host;
use crate::persist::read;
use crate::remote::propagation;

/// How a dispatch ends without an answer of its worker.
pub(super) enum Lapse {
    /// The attempt failed.
    Failed(Failure),
    /// The worker is lost: somebody else does it.
    Lost,
}

/// Lets the worker begin, and watches over it.
pub(super) fn watch(host: &Arc<Host>, begun: Begun, token: Token, assignment: Arc<Assignment>) {
    let (host, stop) = (Arc::clone(host), begun.stop);
    match begun.place {
        WhereBegun::Here => here::begin(&host, Dispatch { token, assignment, stop }),
        WhereBegun::Outside(tasks) => {
            // Sent here and now, so that a worker gets its tasks in their order. There is room for it, unless tasks whose time
            // ran out still lie there: then it is sent as soon as there is.
            let task = assignment.task(token);
            let unsent = if wants_past(&assignment) { Some(task) } else { send(&tasks, task) };
            tokio::spawn(run_outside(host, stop, token, assignment, tasks, unsent));
        }
        WhereBegun::Nowhere => {
            tokio::spawn(async move { give_back(&host, token, assignment).await });
        }
    }
}

/// Sends a task, or gives it back if there is no room for it.
fn send(tasks: &Sender<ActivityTask>, task: ActivityTask) -> Option<ActivityTask> {
    match tasks.try_send(task) {
        Err(TrySendError::Full(task)) => Some(task),
        // A worker that hangs up is taken off the desk with all it had.
        Ok(()) | Err(TrySendError::Closed(_)) => None,
    }
}

fn wants_past(assignment: &Assignment) -> bool {
    assignment.scheduled.history_propagation_scope() != HistoryPropagationScope::None
}

async fn run_outside(
    host: Arc<Host>,
    stop: Arc<Notify>,
    token: Token,
    assignment: Arc<Assignment>,
    tasks: Sender<ActivityTask>,
    unsent: Option<ActivityTask>,
) {
    let (asking, asked) = (Arc::clone(&host), Arc::clone(&assignment));
    let sent = async {
        if let Some(mut task) = unsent {
            if wants_past(&asked) {
                task.propagated = past_for(&asking, &asked).await;
            }
            let _ = tasks.send(task).await;
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = watch_outside(host, stop, token, assignment) => {}
        () = sent => {}
    }
}

/// What the activity is told of the past. What cannot be read is left out: the instance may be gone.
async fn past_for(host: &Host, assignment: &Assignment) -> Option<PropagatedHistory> {
    let loaded = read(host, || host.store.load(assignment.instance)).await.ok().flatten()?;
    let id = assignment.instance_id.as_str();
    propagation::for_activity(id, &assignment.workflow, &loaded.history, assignment.task)
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
pub(super) async fn lapse(host: &Host, token: Token, assignment: &Assignment, lease: Option<Duration>) -> Lapse {
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

//! The gate: before a component becomes the active one, the history of every open instance of its workflows is replayed on
//! it, in guests of their own. Nothing is written and nothing is sent; turns go on beside it.
//!
//! Replay checks the past, not the future: an instance that fits does in its next turns what the new code says.
//!
//! - `report`: what was found, grouped by cause

mod report;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use everturn_guest::{Component, Misfit, fits};
use everturn_store::{Filter, InstanceKey, Status};
use tokio::task::JoinSet;

pub use report::{Cause, CauseKind, Differing, GateReport};
use report::{Found, Verdict};

use crate::RequestError;
use crate::host::Host;
use crate::persist::read;

/// Which open instances a gate checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gate {
    /// All of them.
    #[default]
    All,
    /// So many, spread evenly from the oldest to the newest.
    Sample(usize),
    /// None.
    Off,
}

/// How far a gate is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// How many instances were checked.
    pub checked: usize,
    /// How many are to be.
    pub total: usize,
}

/// Who is told how far a gate is.
pub type OnProgress = Arc<dyn Fn(Progress) + Send + Sync>;

/// How many instances are read from the store at a time.
const PAGE: usize = 500;
/// A component that runs out of time so often is not checked further: each time takes a second.
const MOST_TIMEOUTS: usize = 4;

/// An open instance that is to be checked.
#[derive(Clone, Copy, Debug)]
struct Open {
    key: InstanceKey,
    is_stalled: bool,
}

/// What a gate found.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) report: GateReport,
    /// Those that do not fit.
    pub(crate) unfit: Vec<InstanceKey>,
    /// Those that fit and are held: they can go on.
    pub(crate) helped: Vec<InstanceKey>,
}

/// What the workers of a gate share.
struct Shared {
    host: Arc<Host>,
    component: Component,
    queue: Mutex<VecDeque<Open>>,
    found: Mutex<Vec<(Open, Found)>>,
    checked: AtomicUsize,
    timeouts: AtomicUsize,
    total: usize,
    on_progress: Option<OnProgress>,
}

/// Checks open instances against a candidate.
pub(crate) async fn run(
    host: &Arc<Host>,
    component: &Component,
    gate: Gate,
    on_progress: Option<OnProgress>,
) -> Result<Findings, RequestError> {
    let open = open_instances(host, component).await?;
    let all = open.len();
    let chosen = choose(open, gate);
    let total = chosen.len();
    let shared = Arc::new(Shared {
        host: Arc::clone(host),
        component: component.clone(),
        queue: Mutex::new(chosen.into()),
        found: Mutex::default(),
        checked: AtomicUsize::new(0),
        timeouts: AtomicUsize::new(0),
        total,
        on_progress,
    });
    let mut workers = JoinSet::new();
    for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
        workers.spawn(work(Arc::clone(&shared)));
    }
    while let Some(ended) = workers.join_next().await {
        // One that panicked has left its instance unchecked, which is counted as such.
        if let Ok(Err(error)) = ended {
            return Err(error);
        }
    }
    let found = std::mem::take(&mut *shared.found.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(summary(found, all))
}

fn summary(mut found: Vec<(Open, Found)>, all: usize) -> Findings {
    // Workers take turns by chance; what is reported is the same each time.
    found.sort_by_key(|(open, _)| open.key);
    let mut findings = Findings::default();
    for (open, found) in found {
        match &found.verdict {
            Verdict::Fits if open.is_stalled => findings.helped.push(open.key),
            Verdict::Fits => {}
            Verdict::Differs { .. } => findings.unfit.push(open.key),
        }
        findings.report.add(found);
    }
    let report = &mut findings.report;
    report.not_checked = all as u64 - report.compatible - report.diverged;
    findings
}

async fn open_instances(host: &Host, component: &Component) -> Result<Vec<Open>, RequestError> {
    let statuses: Vec<_> = Status::ALL.into_iter().filter(|status| !status.is_ended()).collect();
    let mut found = Vec::new();
    for workflow in component.workflows() {
        let filter = Filter {
            statuses: statuses.clone(),
            workflow: Some(workflow.name.clone()),
            remote: Some(false),
            ..Filter::default()
        };
        let mut from = None;
        loop {
            let page = read(host, || host.store.list(filter.clone(), from, PAGE)).await?;
            let open = page.instances.iter();
            found.extend(open.map(|one| Open { key: one.key, is_stalled: one.status == Status::Stalled }));
            from = page.next;
            if from.is_none() {
                break;
            }
        }
    }
    found.sort_by_key(|open| open.key);
    Ok(found)
}

/// Those that are to be checked, oldest first.
fn choose(open: Vec<Open>, gate: Gate) -> Vec<Open> {
    match gate {
        Gate::All => open,
        Gate::Off | Gate::Sample(0) => Vec::new(),
        Gate::Sample(count) if count >= open.len() => open,
        Gate::Sample(count) => (0..count).map(|number| open[number * open.len() / count]).collect(),
    }
}

async fn work(shared: Arc<Shared>) -> Result<(), RequestError> {
    loop {
        if shared.host.stopping.has_begun() {
            return Err(RequestError::Stopping);
        }
        let next = shared.queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let Some(open) = next.filter(|_| shared.timeouts.load(Ordering::Relaxed) < MOST_TIMEOUTS) else {
            return Ok(());
        };
        let loaded = read(&shared.host, || shared.host.store.load(open.key)).await?;
        // One that has ended or is gone needs nothing any more.
        let Some(loaded) = loaded.filter(|loaded| !loaded.instance.status.is_ended()) else { continue };
        let (id, workflow) = (loaded.instance.id, loaded.instance.workflow);
        let component = shared.component.clone();
        let checking = tokio::task::spawn_blocking(move || fits(&component, loaded.history));
        let Ok(checked) = checking.await else { continue };
        if matches!(&checked, Err(Misfit::Run(everturn_guest::RunError::Guest(fault))) if !fault.is_deterministic()) {
            shared.timeouts.fetch_add(1, Ordering::Relaxed);
        }
        let found = Found { id, workflow, verdict: Verdict::of(checked) };
        shared.found.lock().unwrap_or_else(PoisonError::into_inner).push((open, found));
        let checked = shared.checked.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(on_progress) = &shared.on_progress {
            on_progress(Progress { checked, total: shared.total });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_spread_from_the_oldest_to_the_newest() {
        let open = |count| (0..count).map(|key| Open { key: InstanceKey(key), is_stalled: false }).collect::<Vec<_>>();
        let keys = |gate| choose(open(10), gate).iter().map(|open| open.key.0).collect::<Vec<_>>();
        assert_eq!(keys(Gate::Sample(3)), [0, 3, 6]);
        assert_eq!(keys(Gate::Sample(99)).len(), 10);
        assert_eq!(keys(Gate::All).len(), 10);
        assert_eq!((keys(Gate::Off), keys(Gate::Sample(0))), (vec![], vec![]));
    }
}

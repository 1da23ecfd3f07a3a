//! The gate: before a component becomes the active one, the history of every open instance of its workflows is replayed on
//! it, in guests of their own. Nothing is written and nothing is sent; turns go on beside it.
//!
//! Replay checks the past, not the future: an instance that fits does in its next turns what the new code says.
//!
//! - `report`: what was found, grouped by cause

mod report;

use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use everturn_guest::{Component, Misfit, fits};
use everturn_store::{Instance, InstanceKey, Loaded, Status};
use tokio::task::JoinSet;

pub use report::{Cause, CauseKind, Differing, GateReport};
use report::{Found, Verdict};

use crate::RequestError;
use crate::deployments::each_open;
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

/// Who is told how far a gate is: once when it begins, and after each instance. Several may tell at the same time, so a
/// smaller number may come after a larger one.
pub type OnProgress = Arc<dyn Fn(Progress) + Send + Sync>;

/// A component that runs out of time so often is not checked further: each time takes a second.
const MOST_TIMEOUTS: usize = 4;

/// What was found of one instance, and the instance.
struct Checked {
    instance: Instance,
    /// Whether there was anything to replay.
    is_begun: bool,
    found: Found,
}

/// What a gate found.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) report: GateReport,
    /// Those that do not fit, and never will.
    pub(crate) unfit: Vec<Instance>,
    /// Those that fit and are held.
    pub(crate) helped: Vec<InstanceKey>,
    /// Workflows for which the candidate is stopped.
    stopped: BTreeSet<String>,
    /// Workflows of which it replayed something to its end.
    works: BTreeSet<String>,
}

impl Findings {
    /// Whether the candidate cannot run one of its workflows: it is stopped wherever it does not differ. A single instance
    /// that no version can run must not keep others from the next one.
    pub(crate) fn is_broken(&self) -> bool {
        !self.stopped.is_subset(&self.works)
    }
}

/// What the workers of a gate share.
struct Shared {
    host: Arc<Host>,
    component: Component,
    queue: Mutex<VecDeque<InstanceKey>>,
    found: Mutex<Vec<Checked>>,
    /// Those that ended before they were looked at.
    over: AtomicUsize,
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
    if let Some(on_progress) = &on_progress {
        on_progress(Progress { checked: 0, total });
    }
    let shared = Arc::new(Shared {
        host: Arc::clone(host),
        component: component.clone(),
        queue: Mutex::new(chosen.into()),
        found: Mutex::default(),
        over: AtomicUsize::new(0),
        checked: AtomicUsize::new(0),
        timeouts: AtomicUsize::new(0),
        total,
        on_progress,
    });
    let mut workers = JoinSet::new();
    for _ in 0..host.options.parallel_turns.max(1) {
        workers.spawn(work(Arc::clone(&shared)));
    }
    while let Some(ended) = workers.join_next().await {
        // One that panicked has left its instance unchecked, which is counted as such.
        if let Ok(Err(error)) = ended {
            return Err(error);
        }
    }
    let found = std::mem::take(&mut *shared.found.lock().unwrap_or_else(PoisonError::into_inner));
    let over = shared.over.load(Ordering::Relaxed);
    Ok(summary(found, (all - over) as u64, |instance| host.deployments.goes_along(instance)))
}

fn summary(mut found: Vec<Checked>, open: u64, goes_along: impl Fn(&Instance) -> bool) -> Findings {
    // Workers take turns by chance; what is reported is the same each time.
    found.sort_by_key(|checked| checked.instance.key);
    let mut findings = Findings::default();
    for Checked { instance, is_begun, found } in found {
        match &found.verdict {
            Verdict::Fits => {
                if is_begun {
                    findings.works.insert(found.workflow.clone());
                }
                if instance.status == Status::Stalled {
                    findings.helped.push(instance.key);
                }
            }
            Verdict::Differs { kind: CauseKind::Mismatch, .. } => findings.unfit.push(instance),
            Verdict::Differs { kind, .. } => {
                // Who stays where it is need not be run.
                if goes_along(&instance) {
                    findings.stopped.insert(found.workflow.clone());
                }
                // What ran out of time may have had too little of it.
                if *kind == CauseKind::Fault {
                    findings.unfit.push(instance);
                }
            }
        }
        findings.report.add(found);
    }
    let report = &mut findings.report;
    report.sort();
    report.not_checked = open.saturating_sub(report.compatible + report.diverged);
    findings
}

async fn open_instances(host: &Host, component: &Component) -> Result<Vec<InstanceKey>, RequestError> {
    let mut found = Vec::new();
    for workflow in component.workflows() {
        each_open(host, &workflow.name, |instance| found.push(instance.key)).await?;
    }
    found.sort_unstable();
    Ok(found)
}

/// Those that are to be checked, oldest first.
fn choose(open: Vec<InstanceKey>, gate: Gate) -> Vec<InstanceKey> {
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
        let Some(key) = next.filter(|_| shared.timeouts.load(Ordering::Relaxed) < MOST_TIMEOUTS) else {
            return Ok(());
        };
        let loaded = read(&shared.host, || shared.host.store.load(key)).await?;
        let Some(loaded) = loaded.filter(|loaded| !loaded.instance.status.is_ended()) else {
            // It needs nothing any more.
            shared.over.fetch_add(1, Ordering::Relaxed);
            continue;
        };
        let Loaded { instance, history } = loaded;
        let is_begun = !history.is_empty();
        let component = shared.component.clone();
        // A turn more or less that runs: it must not take all the time there is. It is never closed.
        let permit = shared.host.turns.acquire().await;
        let checking = tokio::task::spawn_blocking(move || fits(&component, history)).await;
        drop(permit);
        let Ok(checked) = checking else { continue };
        if matches!(&checked, Err(Misfit::Run(everturn_guest::RunError::Guest(fault))) if !fault.is_deterministic()) {
            shared.timeouts.fetch_add(1, Ordering::Relaxed);
        }
        let (id, workflow) = (instance.id.clone(), instance.workflow.clone());
        let found = Found { id, workflow, verdict: Verdict::of(checked) };
        let checked = Checked { instance, is_begun, found };
        shared.found.lock().unwrap_or_else(PoisonError::into_inner).push(checked);
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
        let open = || (0..10).map(InstanceKey).collect::<Vec<_>>();
        let keys = |gate| choose(open(), gate).iter().map(|key| key.0).collect::<Vec<_>>();
        assert_eq!(keys(Gate::Sample(3)), [0, 3, 6]);
        assert_eq!(keys(Gate::Sample(99)).len(), 10);
        assert_eq!(keys(Gate::All).len(), 10);
        assert_eq!((keys(Gate::Off), keys(Gate::Sample(0))), (vec![], vec![]));
    }

    #[test]
    fn a_version_is_broken_if_it_stops_and_nothing_of_the_workflow_works() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        let is_broken = |stopped: &[&str], works: &[&str]| {
            Findings { stopped: names(stopped), works: names(works), ..Findings::default() }.is_broken()
        };
        assert!(!is_broken(&[], &[]));
        assert!(is_broken(&["order"], &[]));
        assert!(is_broken(&["order"], &["refund"]), "another workflow is no comfort");
        assert!(!is_broken(&["order"], &["order"]), "one instance must not hold up all others");
    }
}

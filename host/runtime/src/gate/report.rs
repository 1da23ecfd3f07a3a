//! What a gate found: how many fit, and why the others do not, grouped by cause.

use everturn_guest::{Misfit, RunError};
use everturn_history::InstanceId;
use everturn_replay::{ReplayError, status_name};
use serde::{Deserialize, Serialize};

/// How many instances that do not fit are named; more are counted.
const NAMED: usize = 10_000;
/// How many causes are told apart; what is beyond is one more.
const CAUSES: usize = 100;

/// What a gate found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GateReport {
    /// Open instances whose history the candidate replays as it is.
    pub compatible: u64,
    /// Those for which it does something else, or stops.
    pub diverged: u64,
    /// Those that were not looked at.
    pub not_checked: u64,
    /// Why they diverged, the cause of most of them first.
    pub causes: Vec<Cause>,
}

/// Why instances diverged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cause {
    /// What kind of cause.
    pub kind: CauseKind,
    /// Of this workflow.
    pub workflow: String,
    /// What was recorded.
    pub recorded: String,
    /// What the candidate does.
    pub candidate: String,
    /// How many instances.
    pub count: u64,
    /// Which, as far as they are named.
    pub instances: Vec<Differing>,
}

/// An instance that diverged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Differing {
    /// Which.
    pub id: InstanceId,
    /// The first event that differs, counted from 1. None: it is not about one event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<u64>,
}

/// What kind of cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CauseKind {
    /// The candidate does something else.
    Mismatch,
    /// The candidate is stopped: it panics, traps, or exceeds a limit.
    Fault,
    /// The candidate does not come to rest in time.
    Timeout,
}

impl GateReport {
    pub(super) fn add(&mut self, found: Found) {
        let Verdict::Differs { kind, recorded, candidate, event } = found.verdict else {
            self.compatible += 1;
            return;
        };
        self.diverged += 1;
        let named: usize = self.causes.iter().map(|cause| cause.instances.len()).sum();
        let new = Cause { kind, workflow: found.workflow, recorded, candidate, count: 0, instances: Vec::new() };
        let cause = self.cause(new);
        cause.count += 1;
        if named < NAMED {
            cause.instances.push(Differing { id: found.id, event });
        }
    }

    /// The cause that is the same as this one; when there are too many, one for all others of its kind and workflow.
    fn cause(&mut self, mut new: Cause) -> &mut Cause {
        let is_same = |one: &Cause, other: &Cause| {
            (one.kind, &one.workflow, &one.recorded, &one.candidate)
                == (other.kind, &other.workflow, &other.recorded, &other.candidate)
        };
        let mut place = self.causes.iter().position(|cause| is_same(cause, &new));
        if place.is_none() && self.causes.len() >= CAUSES {
            "various".clone_into(&mut new.recorded);
            "something else".clone_into(&mut new.candidate);
            place = self.causes.iter().position(|cause| is_same(cause, &new));
        }
        let place = place.unwrap_or_else(|| {
            self.causes.push(new);
            self.causes.len() - 1
        });
        &mut self.causes[place]
    }

    /// The cause of most of them first.
    pub(super) fn sort(&mut self) {
        self.causes.sort_by_key(|cause| std::cmp::Reverse(cause.count));
    }
}

/// What was found of one instance.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) id: InstanceId,
    pub(super) workflow: String,
    pub(super) verdict: Verdict,
}

#[derive(Debug)]
pub(super) enum Verdict {
    Fits,
    Differs { kind: CauseKind, recorded: String, candidate: String, event: Option<u64> },
}

impl Verdict {
    pub(super) fn of(checked: Result<(), Misfit>) -> Self {
        let (kind, recorded, candidate, event) = match checked {
            Ok(()) => return Self::Fits,
            Err(Misfit::Run(RunError::Replay(ReplayError::Mismatch(mismatch)))) => {
                let (recorded, attempted) = (mismatch.recorded.to_string(), mismatch.attempted.to_string());
                (CauseKind::Mismatch, recorded, attempted, Some(mismatch.event))
            }
            Err(Misfit::EndedEarly(ending)) => {
                let waits = "nothing: the workflow waits".to_owned();
                (CauseKind::Mismatch, waits, format!("the workflow ended: {}", status_name(ending.status)), None)
            }
            Err(Misfit::Run(RunError::Guest(fault))) => {
                let kind = if fault.is_deterministic() { CauseKind::Fault } else { CauseKind::Timeout };
                (kind, "the workflow waits".to_owned(), fault.to_string(), None)
            }
            Err(other) => (CauseKind::Fault, "the workflow waits".to_owned(), other.to_string(), None),
        };
        Self::Differs { kind, recorded, candidate, event }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(id: &str, candidate: &str) -> Found {
        let (recorded, candidate) = ("activity \"a\"".to_owned(), candidate.to_owned());
        let verdict = Verdict::Differs { kind: CauseKind::Mismatch, recorded, candidate, event: Some(3) };
        Found { id: id.into(), workflow: "order".to_owned(), verdict }
    }

    #[test]
    fn what_has_one_cause_is_told_once_and_most_first() {
        let mut report = GateReport::default();
        for (id, candidate) in [("a", "activity \"b\""), ("b", "activity \"c\""), ("c", "activity \"c\"")] {
            report.add(found(id, candidate));
        }
        report.add(Found { id: "d".into(), workflow: "order".to_owned(), verdict: Verdict::Fits });
        report.sort();
        assert_eq!((report.compatible, report.diverged), (1, 3));
        let causes: Vec<_> = report.causes.iter().map(|cause| (cause.candidate.as_str(), cause.count)).collect();
        assert_eq!(causes, [("activity \"c\"", 2), ("activity \"b\"", 1)]);
        assert_eq!(report.causes[1].instances, [Differing { id: "a".into(), event: Some(3) }]);
    }

    #[test]
    fn a_report_has_a_limit() {
        let mut report = GateReport::default();
        for number in 0..NAMED + 200 {
            report.add(found(&number.to_string(), &format!("activity \"{}\"", number % 300)));
        }
        assert_eq!(report.causes.len(), CAUSES + 1, "one for all others");
        assert_eq!(report.causes[CAUSES].recorded, "various");
        assert_eq!(report.diverged as usize, NAMED + 200);
        assert_eq!(report.causes.iter().map(|cause| cause.instances.len()).sum::<usize>(), NAMED);
        assert_eq!(report.causes.iter().map(|cause| cause.count).sum::<u64>(), report.diverged);
    }
}

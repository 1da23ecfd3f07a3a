//! What the host acknowledged, and whether it kept its word.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Deserialize;
use serde_json::Value;

use crate::client::Client;
use crate::world::Effects;

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// The host said yes.
    Acknowledged,
    /// The host was killed before it said anything.
    Unanswered,
}

#[derive(Debug, Default)]
struct Entry {
    restarts: u64,
    events: BTreeMap<u64, Asked>,
}

/// What the host acknowledged, by instance.
#[derive(Debug, Default)]
pub(crate) struct Ledger(BTreeMap<String, Entry>);

/// What an instance says that it saw.
#[derive(Debug, Deserialize)]
struct Report {
    seen: Vec<u64>,
    timers: Vec<Timer>,
    calls: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Timer {
    due: u64,
    fired: u64,
}

/// What was found in the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Findings {
    starts: usize,
    events: usize,
    timers: usize,
    calls: usize,
    /// Times that an activity ran once more because the host was killed before its answer was on disk.
    repeated: usize,
    lost: usize,
    doubled: usize,
    early: usize,
    pub(crate) problems: BTreeSet<String>,
}

impl Ledger {
    pub(crate) fn started(&mut self, id: &str, restarts: u64) {
        self.0.entry(id.to_owned()).or_default().restarts = restarts;
    }

    pub(crate) fn raised(&mut self, id: &str, number: u64, asked: Asked) {
        self.0.entry(id.to_owned()).or_default().events.insert(number, asked);
    }

    pub(crate) fn starts(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Waits for all instances, and compares it with what they say, and with what has happened in the world by then.
    pub(crate) fn check(&self, client: &Client, effects: impl FnOnce() -> Effects) -> Findings {
        let mut findings = Findings::default();
        let mut calls = BTreeSet::new();
        for (id, entry) in &self.0 {
            let instance = client.get(&format!("/v1/workflows/{id}/wait"));
            findings.starts += 1;
            if instance["status"] != "completed" {
                findings.lost += 1;
                findings.problems.insert(format!("{id}: {instance}"));
                continue;
            }
            let report: Report = serde_json::from_value(instance["output"].clone()).unwrap();
            findings.check_events(id, entry, &report.seen);
            findings.check_timers(id, entry, &report.timers);
            findings.check_history(id, &client.get(&format!("/v1/workflows/{id}/history")));
            findings.calls += report.calls.len();
            for call in report.calls {
                findings.require(calls.insert(call.clone()), || format!("{id}: {call} answers two calls"));
            }
        }
        findings.check_effects(&calls, &effects());
        findings
    }
}

impl Findings {
    fn require(&mut self, holds: bool, problem: impl FnOnce() -> String) {
        if !holds {
            self.problems.insert(problem());
        }
    }

    fn check_events(&mut self, id: &str, entry: &Entry, seen: &[u64]) {
        self.events += seen.len();
        for (number, asked) in &entry.events {
            let times = seen.iter().filter(|seen| *seen == number).count();
            if times == 0 && *asked == Asked::Acknowledged {
                self.lost += 1;
                self.problems.insert(format!("{id}: event {number} was acknowledged and lost"));
            }
            if times > 1 {
                self.doubled += 1;
                self.problems.insert(format!("{id}: event {number} was delivered {times} times"));
            }
        }
        self.require(seen.is_sorted(), || format!("{id}: events out of order: {seen:?}"));
        let strangers = seen.iter().filter(|number| !entry.events.contains_key(number)).count();
        self.require(strangers == 0, || format!("{id}: events that nobody raised: {seen:?}"));
    }

    fn check_timers(&mut self, id: &str, entry: &Entry, timers: &[Timer]) {
        self.timers += timers.len();
        let expected = (entry.restarts.min(1) + 1) * 2;
        let restarted = timers.len() as u64 == expected || timers.len() == 2;
        self.require(restarted, || format!("{id}: {} timers fired", timers.len()));
        for timer in timers {
            if timer.fired < timer.due {
                self.early += 1;
                self.problems.insert(format!("{id}: {timer:?} fired early"));
            }
        }
    }

    /// Every answer is in history once.
    fn check_history(&mut self, id: &str, history: &Value) {
        let mut answers = BTreeSet::new();
        for event in history.as_array().unwrap() {
            for (kind, field) in [
                ("timerFired", "timerId"),
                ("taskCompleted", "taskScheduledId"),
                ("taskFailed", "taskScheduledId"),
                ("childWorkflowInstanceCompleted", "taskScheduledId"),
            ] {
                if let Some(answer) = event.get(kind) {
                    let number = answer.get(field).and_then(Value::as_i64).unwrap_or(0);
                    if !answers.insert(number) {
                        self.doubled += 1;
                        self.problems.insert(format!("{id}: {number} was answered twice"));
                    }
                }
            }
        }
    }

    /// What happened in the world is what the workflows asked for, each under its own key.
    fn check_effects(&mut self, calls: &BTreeSet<String>, effects: &Effects) {
        self.repeated = effects.values().map(|times| times - 1).sum();
        let happened: BTreeSet<_> = effects.keys().cloned().collect();
        for missing in calls.difference(&happened) {
            self.lost += 1;
            self.problems.insert(format!("{missing} was answered and never done"));
        }
        for stranger in happened.difference(calls) {
            self.doubled += 1;
            self.problems.insert(format!("{stranger} was done and nobody knows of it"));
        }
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "starts: {}", self.starts)?;
        writeln!(formatter, "events: {}, timers: {}, activities: {}", self.events, self.timers, self.calls)?;
        writeln!(formatter, "activities run again: {} (their effects have one key)", self.repeated)?;
        write!(formatter, "lost: {}, doubled: {}, early: {}", self.lost, self.doubled, self.early)
    }
}

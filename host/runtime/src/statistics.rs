//! What a runtime has done since it was opened.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use serde::Serialize;

/// A number that only grows.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, number: u64) {
        self.0.fetch_add(number, Relaxed);
    }

    pub(crate) fn one(&self) {
        self.add(1);
    }

    fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// The counters of a runtime.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) starts: Counter,
    pub(crate) turns: Counter,
    pub(crate) replays: Counter,
    pub(crate) conflicts: Counter,
    pub(crate) storage_retries: Counter,
    pub(crate) held: Counter,
    pub(crate) wakeups: Counter,
    pub(crate) foreseen: Counter,
    pub(crate) dispatches: Counter,
    pub(crate) answers: Counter,
    pub(crate) stale_answers: Counter,
    pub(crate) lost_leases: Counter,
    pub(crate) timeouts: Counter,
    pub(crate) purged: Counter,
}

/// What a runtime has done since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Statistics {
    /// Instances that clients started.
    pub starts: u64,
    /// Turns that were committed.
    pub turns: u64,
    /// Guests that were rebuilt by replay.
    pub replays: u64,
    /// Turns that had to be made again, since the instance had changed.
    pub conflicts: u64,
    /// Times that the store had to be asked again.
    pub storage_retries: u64,
    /// Instances that were held because their code could not go on.
    pub held: u64,
    /// Times that the sleeper woke up.
    pub wakeups: u64,
    /// Turns of instances that were ready when their timer was due.
    pub foreseen: u64,
    /// Activity tasks given to workers.
    pub dispatches: u64,
    /// Answers of workers that reached their instance.
    pub answers: u64,
    /// Answers that came too late and were dropped.
    pub stale_answers: u64,
    /// Tasks that were taken back from lost workers.
    pub lost_leases: u64,
    /// Activity attempts that ran out of time.
    pub timeouts: u64,
    /// Instances deleted by retention.
    pub purged: u64,
    /// Guests in memory.
    pub live_guests: u64,
    /// Activity tasks that workers have.
    pub running_activities: u64,
    /// Turns that remote workers have.
    pub remote_turns: u64,
}

impl Counters {
    pub(crate) fn snapshot(&self, live_guests: usize, running_activities: usize, remote_turns: usize) -> Statistics {
        Statistics {
            starts: self.starts.get(),
            turns: self.turns.get(),
            replays: self.replays.get(),
            conflicts: self.conflicts.get(),
            storage_retries: self.storage_retries.get(),
            held: self.held.get(),
            wakeups: self.wakeups.get(),
            foreseen: self.foreseen.get(),
            dispatches: self.dispatches.get(),
            answers: self.answers.get(),
            stale_answers: self.stale_answers.get(),
            lost_leases: self.lost_leases.get(),
            timeouts: self.timeouts.get(),
            purged: self.purged.get(),
            live_guests: live_guests as u64,
            running_activities: running_activities as u64,
            remote_turns: remote_turns as u64,
        }
    }
}

//! What happens later: timers, answers that take time, and what the test wants to do at a chosen time.

use std::collections::BTreeMap;

use everturn_history::{HistoryEvent, InstanceId, SequenceId};

use crate::run::Run;
use crate::time::Time;

/// What a test does at a chosen time.
pub(crate) type Plan = Box<dyn FnOnce(&mut Run)>;

/// Messages on their way to an instance, that it sees in one turn.
#[derive(Debug)]
pub(crate) struct Delivery {
    pub(crate) to: InstanceId,
    /// The run that it is for. None: whichever there is.
    pub(crate) execution_id: Option<String>,
    /// What it answers: it is dropped when nobody waits for that any more.
    pub(crate) task: Option<SequenceId>,
    pub(crate) events: Vec<HistoryEvent>,
}

/// Something that happens at its time.
pub(crate) enum Entry {
    Deliver(Delivery),
    Do(Plan),
}

/// What happens later, in order; at the same moment in the order in which it was written down.
#[derive(Default)]
pub(crate) struct Agenda {
    entries: BTreeMap<(Time, u64), Entry>,
    written: u64,
}

impl Agenda {
    pub(crate) fn write(&mut self, at: Time, entry: Entry) {
        self.written += 1;
        self.entries.insert((at, self.written), entry);
    }

    /// When the next thing happens.
    pub(crate) fn next(&self) -> Option<Time> {
        self.entries.first_key_value().map(|((at, _), _)| *at)
    }

    /// The next thing, if its time has come.
    pub(crate) fn take(&mut self, now: Time) -> Option<Entry> {
        if self.next()? > now {
            return None;
        }
        self.entries.pop_first().map(|(_, entry)| entry)
    }

    /// Keeps only those messages that somebody waits for, so that time does not pass for the others.
    pub(crate) fn retain(&mut self, is_wanted: impl Fn(&Delivery) -> bool) {
        self.entries.retain(|_, entry| match entry {
            Entry::Deliver(delivery) => is_wanted(delivery),
            Entry::Do(_) => true,
        });
    }
}

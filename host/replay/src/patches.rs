//! Changes of code under running instances: which of them an instance has taken, decided once each.

use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Default)]
pub(crate) struct Patches {
    /// Read from the turns of history so far.
    recorded: BTreeSet<String>,
    /// What the code was told. Once told, always told.
    decided: BTreeMap<String, bool>,
    /// Taken in the current turn for the first time, in that order.
    taken_now: Vec<String>,
}

impl Patches {
    /// A turn begins that history recorded with these patches.
    pub(crate) fn begin_turn(&mut self, recorded: Vec<String>) {
        self.taken_now.clear();
        self.recorded.extend(recorded);
    }

    pub(crate) fn decide(&mut self, id: &str, replaying: bool) -> bool {
        if let Some(&decision) = self.decided.get(id) {
            return decision;
        }
        let recorded = self.recorded.contains(id);
        let decision = recorded || !replaying;
        self.decided.insert(id.to_owned(), decision);
        if decision && !recorded {
            self.taken_now.push(id.to_owned());
        }
        decision
    }

    /// What this turn has to record.
    pub(crate) fn taken_now(&self) -> Vec<String> {
        self.taken_now.clone()
    }
}

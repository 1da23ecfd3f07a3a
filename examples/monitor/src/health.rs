//! Tells an outage from a hiccup: one check that says otherwise changes nothing, a few in a row do.

use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

/// How many checks in a row have to fail before it counts as an outage.
const FAILURES_TO_BE_DOWN: u32 = 3;
/// How many checks in a row have to succeed before an outage counts as over.
const SUCCESSES_TO_BE_UP: u32 = 2;

/// What is believed, and how many checks in a row have said otherwise.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Health {
    down_since: Option<SystemTime>,
    contradictions: u32,
}

/// A change of what is believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Down,
    Up { down_for: Duration },
}

impl Health {
    pub(crate) fn is_down(&self) -> bool {
        self.down_since.is_some()
    }

    /// Takes in what a check said. Gives the change, if it makes one.
    pub(crate) fn observe(&mut self, is_up: bool, now: SystemTime) -> Option<Change> {
        if is_up != self.is_down() {
            self.contradictions = 0;
            return None;
        }
        self.contradictions += 1;
        if self.contradictions < if is_up { SUCCESSES_TO_BE_UP } else { FAILURES_TO_BE_DOWN } {
            return None;
        }
        self.contradictions = 0;
        match self.down_since.take() {
            Some(since) => Some(Change::Up { down_for: now.duration_since(since).unwrap_or_default() }),
            None => {
                self.down_since = Some(now);
                Some(Change::Down)
            }
        }
    }
}

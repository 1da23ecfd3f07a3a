//! Guests that are kept to be asked. They take no turns: a query may leave traces in its guest that no history has, and what
//! takes turns must be a function of history alone.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use everturn_guest::LiveGuest;
use everturn_store::InstanceKey;

use crate::options::KEPT_TO_BE_ASKED;

/// Guests that are kept to be asked; those that were asked longest ago go first.
#[derive(Debug, Default)]
pub(crate) struct Asked(Mutex<VecDeque<(State, LiveGuest)>>);

/// Of which state of which instance a guest is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) instance: InstanceKey,
    pub(crate) turns: u64,
}

impl Asked {
    /// The guest of this state, if there is one. One of another state of the instance goes.
    pub(super) fn take(&self, state: State) -> Option<LiveGuest> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.iter().position(|(other, _)| other.instance == state.instance)?;
        let (found, guest) = kept.remove(place)?;
        // A guest unmaps its memory when it goes: not under the lock.
        drop(kept);
        (found == state).then_some(guest)
    }

    pub(super) fn put(&self, state: State, guest: LiveGuest) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_back((state, guest));
        let oldest = if kept.len() > KEPT_TO_BE_ASKED { kept.pop_front() } else { None };
        drop(kept);
        drop(oldest);
    }
}

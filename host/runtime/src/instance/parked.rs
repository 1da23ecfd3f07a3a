//! An instance between turns: its guest, or what a remote worker leaves, and what the host has to know of it. A cache, never the truth: dropping all of
//! it changes nothing but time.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use everturn_guest::LiveGuest;
use everturn_history::history_event::EventType;
use everturn_history::{ExecutionStartedEvent, HistoryEvent};
use everturn_store::{Instance, InstanceKey, Loaded};

use crate::remote::RemotePast;

/// Who runs the code of an instance.
#[derive(Debug)]
pub(crate) enum Code {
    /// A guest in this process.
    Guest(Box<LiveGuest>),
    /// Remote workers; this is what is kept for them.
    Remote(Box<RemotePast>),
}

/// An instance, as the host knows it between turns.
#[derive(Debug)]
pub(crate) struct Parked {
    /// What the store keeps of it, as of its last turn.
    pub(crate) instance: Instance,
    /// What its generation was started with, without the input. None before its first turn.
    pub(crate) start: Option<ExecutionStartedEvent>,
}

impl Parked {
    /// From the store, with its history.
    pub(crate) fn new(loaded: Loaded) -> (Self, Vec<HistoryEvent>) {
        let start = loaded.history.iter().find_map(start_of);
        (Self { instance: loaded.instance, start }, loaded.history)
    }
}

/// The start of a generation, without its input: that may be large, and history has it.
pub(crate) fn start_of(event: &HistoryEvent) -> Option<ExecutionStartedEvent> {
    match &event.event_type {
        Some(EventType::ExecutionStarted(start)) => Some(ExecutionStartedEvent {
            name: start.name.clone(),
            version: start.version.clone(),
            input: None,
            workflow_instance: start.workflow_instance.clone(),
            parent_instance: start.parent_instance.clone(),
            scheduled_start_timestamp: None,
            parent_trace_context: start.parent_trace_context.clone(),
            workflow_span_id: start.workflow_span_id.clone(),
            tags: start.tags.clone(),
            generation: start.generation,
            randomness: start.randomness.clone(),
            propagated_history: None,
        }),
        _ => None,
    }
}

/// Instances that are kept between turns, at most so many; those that were used longest ago go first.
#[derive(Debug)]
pub(crate) struct Guests {
    limit: usize,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    guests: HashMap<InstanceKey, (u64, Parked, Code)>,
    /// By when they were put here.
    order: BTreeMap<u64, InstanceKey>,
    puts: u64,
}

impl Guests {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, kept: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn count(&self) -> usize {
        self.lock().guests.len()
    }

    pub(crate) fn take(&self, instance: InstanceKey) -> Option<(Parked, Code)> {
        let mut kept = self.lock();
        let (put, parked, code) = kept.guests.remove(&instance)?;
        kept.order.remove(&put);
        Some((parked, code))
    }

    pub(crate) fn put(&self, parked: Parked, code: Code) {
        if self.limit == 0 {
            return;
        }
        let key = parked.instance.key;
        let mut kept = self.lock();
        kept.puts += 1;
        let put = kept.puts;
        kept.order.insert(put, key);
        kept.guests.insert(key, (put, parked, code));
        let oldest = if kept.guests.len() > self.limit { kept.order.pop_first() } else { None };
        let evicted = oldest.and_then(|(_, key)| kept.guests.remove(&key));
        drop(kept);
        // A guest unmaps its memory when it goes: not under the lock.
        drop(evicted);
    }

    pub(crate) fn clear(&self) {
        let kept = std::mem::take(&mut *self.lock());
        drop(kept);
    }
}

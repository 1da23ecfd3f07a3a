//! What a guest's store and its driver share: the execution, who waits for what, and what the current stretch has
//! used up. One lock, never contended: the driver and the guest run in turns.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Instant;

use everturn_replay::{Execution, Task};

use crate::fault::GuestFault;
use crate::limits::Limits;
use crate::query::Questions;
use crate::run::Outcome;

/// The shared part of one guest.
#[derive(Clone)]
pub(crate) struct Link(Arc<Mutex<Linked>>);

pub(crate) struct Linked {
    pub(crate) execution: Execution,
    /// Of each open call, what wakes it in the guest.
    pub(crate) waiting: BTreeMap<Task, Waker>,
    /// Bytes that the open calls handed over.
    pub(crate) open_bytes: usize,
    pub(crate) stretch: Stretch,
    pub(crate) questions: Questions,
    /// What the workflow function returned, once it has.
    pub(crate) outcome: Option<Result<Outcome, GuestFault>>,
    /// The guest is being dropped: its calls end, but nobody decided to cancel them.
    pub(crate) closed: bool,
}

/// What a guest has used up since it last waited.
pub(crate) struct Stretch {
    pub(crate) number: u64,
    pub(crate) deadline: Instant,
    pub(crate) calls: usize,
    pub(crate) call_bytes: usize,
    pub(crate) log_bytes: usize,
}

impl Link {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(Linked {
            execution: Execution::new(),
            waiting: BTreeMap::new(),
            open_bytes: 0,
            stretch: Stretch { number: 0, deadline: Instant::now(), calls: 0, call_bytes: 0, log_bytes: 0 },
            questions: Questions::default(),
            outcome: None,
            closed: false,
        })))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Linked> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Linked {
    /// Forgets a call that is not open any more.
    pub(crate) fn release(&mut self, task: Task, bytes: usize) {
        self.waiting.remove(&task);
        self.open_bytes = self.open_bytes.saturating_sub(bytes);
    }
}

impl Stretch {
    /// Begins the next one.
    pub(crate) fn begin(&mut self, limits: &Limits) {
        *self = Self {
            number: self.number + 1,
            deadline: Instant::now() + limits.run_time,
            calls: 0,
            call_bytes: 0,
            log_bytes: 0,
        };
    }
}

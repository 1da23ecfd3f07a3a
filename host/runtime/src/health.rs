//! Whether the host can do its work, as far as it knows.

use std::sync::{Mutex, MutexGuard, PoisonError};

use everturn_store::StoreError;

/// Whether the host can do its work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Health {
    /// It can.
    #[default]
    Ready,
    /// The store cannot take what is to be written. What runs is kept and tried again.
    StorageFailing {
        /// What the store says.
        problem: String,
    },
    /// It is stopping.
    Stopping,
}

/// What the store is asked to do. A disk that is full can still be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// To give something.
    Read,
    /// To keep something.
    Write,
}

/// The current health.
#[derive(Debug, Default)]
pub(crate) struct Monitor(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    stopping: bool,
    /// What the store said when it last failed at this, and has not done it since.
    reading: Option<String>,
    writing: Option<String>,
}

impl Monitor {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn get(&self) -> Health {
        let state = self.lock();
        match state.writing.as_ref().or(state.reading.as_ref()) {
            _ if state.stopping => Health::Stopping,
            Some(problem) => Health::StorageFailing { problem: problem.clone() },
            None => Health::Ready,
        }
    }

    /// The store did it.
    pub(crate) fn works(&self, access: Access) {
        if self.lock().problem(access).take().is_some() {
            tracing::info!(?access, "the store works again");
        }
    }

    /// The store did not do it, and may do it later.
    pub(crate) fn fails(&self, access: Access, error: &StoreError) {
        let news = self.lock().problem(access).replace(error.to_string()).is_none();
        if news {
            tracing::error!(%error, ?access, "the store fails; what runs is kept and tried again");
        }
    }

    pub(crate) fn stopping(&self) {
        self.lock().stopping = true;
    }
}

impl State {
    fn problem(&mut self, access: Access) -> &mut Option<String> {
        match access {
            Access::Read => &mut self.reading,
            Access::Write => &mut self.writing,
        }
    }
}

//! Workflows of remote workers: the host is their event log. It keeps history, timers and messages as for any other
//! instance; a turn is given to a worker that runs the code, and what it answers becomes one commit.
//!
//! - [`Orchestrator`]: a connected worker; `desk`: which of them takes which turn, as plain state
//! - `turn`: one turn, from the messages to the commit; `answer`: from what the worker says to what is written
//! - `past`: what is kept of an instance between turns; `propagation`: what callees are told of it
//! - `release`: instances that were held for want of the right code, when a worker arrives

mod answer;
mod desk;
mod orchestrator;
mod past;
pub(crate) mod propagation;
mod release;
mod turn;

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use everturn_history::StalledReason;
use everturn_store::{InstanceKey, StoreError, TaskKey, Token};
use tokio::sync::{Notify, oneshot};

use desk::{Desk, OrchestratorId, Reply, Wanted};
pub use orchestrator::{Orchestrator, OrchestratorOptions, TurnAnswer, TurnTask};
pub(crate) use past::RemotePast;
pub(crate) use release::releaser;
pub(crate) use turn::take;

use crate::host::Host;
use crate::instance;

/// The remote workers, and what is known of their workflows.
#[derive(Debug)]
pub(crate) struct Remotes {
    desk: Mutex<Desk>,
    /// A worker has come.
    arrived: Notify,
    /// Workflows that remote workers have had. Who calls one waits until a worker is there.
    names: RwLock<HashSet<String>>,
}

/// A worker's place, set aside for a turn. Dropped, it is free again.
struct Place {
    host: Arc<Host>,
    worker: OrchestratorId,
    /// How many workers had come by then.
    arrivals: u64,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.host.remote.lock().free(self.worker);
        wake_waiting(&self.host);
    }
}

impl Remotes {
    pub(crate) fn new(names: Vec<String>) -> Self {
        let names = RwLock::new(names.into_iter().collect());
        Self { desk: Mutex::default(), arrived: Notify::new(), names }
    }

    fn lock(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a worker that is connected may have this workflow.
    pub(crate) fn accepts(&self, workflow: &str, version: Option<&str>) -> bool {
        self.lock().accepts(&Wanted::new(workflow, version))
    }

    /// Whether a remote worker has, or has had, this workflow.
    pub(crate) fn knows(&self, workflow: &str, version: Option<&str>) -> bool {
        self.names.read().unwrap_or_else(PoisonError::into_inner).contains(workflow) || self.accepts(workflow, version)
    }

    /// The store has an instance of this workflow that remote workers are to run.
    pub(crate) fn learn(&self, workflow: &str) {
        let known = self.names.read().unwrap_or_else(PoisonError::into_inner).contains(workflow);
        if !known {
            self.names.write().unwrap_or_else(PoisonError::into_inner).insert(workflow.to_owned());
        }
    }

    /// How many turns workers have.
    pub(crate) fn running(&self) -> usize {
        self.lock().out()
    }

    /// Gives out nothing more: the host is stopping.
    pub(crate) fn close(&self) {
        self.lock().close();
    }
}

/// Wakes those who wait for a worker and for whom there is a place.
fn wake_waiting(host: &Arc<Host>) {
    let ready = host.remote.lock().ready();
    for instance in ready {
        instance::wake(host, instance);
    }
}

/// The instance has no driver any more: a place that it was called for is there for others.
pub(crate) fn excuse(host: &Arc<Host>, instance: InstanceKey) {
    let was_called = host.remote.lock().excuse(instance);
    if was_called {
        wake_waiting(host);
    }
}

/// Takes the answer of the worker that shows this token. Resolves once it is on disk.
pub(crate) async fn complete(host: &Host, token: Token, answer: TurnAnswer) -> Result<(), StoreError> {
    let (heard, hears) = oneshot::channel();
    if !reply(host, token, Reply::Answer(answer, heard)) {
        host.counters.stale_answers.one();
        return Err(StoreError::StaleToken { task: TaskKey(0) });
    }
    // Nobody answers when the host stops: then the turn is taken again.
    hears.await.unwrap_or(Err(StoreError::Closed))
}

/// The worker gives a turn back. Whether it had it.
pub(crate) fn abandon(host: &Host, token: Token) -> bool {
    reply(host, token, Reply::Abandoned)
}

/// A turn cannot be given to anybody: its instance is held. Whether the turn was out.
pub(crate) fn hold(host: &Host, token: Token, reason: Option<StalledReason>, description: String) -> bool {
    reply(host, token, Reply::Hold(reason, description))
}

fn reply(host: &Host, token: Token, reply: Reply) -> bool {
    let waiting = host.remote.lock().remove(token);
    waiting.is_some_and(|waiting| waiting.send(reply).is_ok())
}

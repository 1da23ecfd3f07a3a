//! A worker outside of this process, as those who speak with it see it.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use everturn_activity::Call;
use everturn_store::{FinishedTask, Token};
use tokio::sync::mpsc;

use super::desk::{Accepts, WorkerId};
use crate::host::Host;
use crate::persist::persist;

/// What a worker says of itself.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// The activities that it has. None: any.
    pub activities: Option<HashSet<String>>,
    /// How many tasks it takes at the same time.
    pub capacity: usize,
}

/// A task for a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActivityTask {
    /// What to do.
    pub call: Call,
    /// To be shown with the answer and with every heartbeat.
    pub token: Token,
}

/// A connected worker. When it is dropped, the worker is lost: what it has not answered is given to others.
pub struct Worker {
    host: Arc<Host>,
    id: WorkerId,
    tasks: mpsc::Receiver<ActivityTask>,
}

impl Worker {
    pub(crate) fn connect(host: &Arc<Host>, options: WorkerOptions) -> Self {
        let capacity = options.capacity.clamp(1, CAPACITY_LIMIT);
        // As many as it can have at the same time: sending never waits.
        let (sender, tasks) = mpsc::channel(capacity);
        let accepts = options.activities.map_or(Accepts::Any, Accepts::Names);
        let id = host.dispatcher.desk.lock().connect(accepts, capacity, sender);
        host.dispatcher.desk.chance.notify_one();
        Self { host: Arc::clone(host), id, tasks }
    }

    /// The next task. None: the host is stopping.
    pub async fn next(&mut self) -> Option<ActivityTask> {
        tokio::select! {
            task = self.tasks.recv() => task,
            () = self.host.stopping.begun() => None,
        }
    }
}

/// The most tasks that one worker takes at the same time.
const CAPACITY_LIMIT: usize = 10_000;

impl Drop for Worker {
    fn drop(&mut self) {
        let lost = self.host.dispatcher.desk.lock().disconnect(self.id);
        if lost.is_empty() || self.host.stopping.has_begun() {
            return;
        }
        for (_, running) in &lost {
            running.stop.notify_one();
        }
        let host = Arc::clone(&self.host);
        let lost: Vec<_> = lost.into_iter().map(|(token, running)| (token, running.assignment)).collect();
        self.host.dispatcher.runtime.spawn(async move { take_back(&host, lost).await });
    }
}

/// Takes tasks back from who is lost, and lets others have them.
pub(super) async fn take_back(host: &Arc<Host>, lost: Vec<(Token, Arc<super::Assignment>)>) {
    let leases: Vec<_> = lost.iter().map(|(token, task)| FinishedTask { key: task.key, token: *token }).collect();
    if persist(host, || host.store.release_leases(leases.clone())).await.is_ok() {
        host.counters.lost_leases.add(leases.len() as u64);
        for (_, task) in lost {
            host.dispatcher.expect(&task.scheduled.name);
        }
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Worker").field("id", &self.id).finish_non_exhaustive()
    }
}

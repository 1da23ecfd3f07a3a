//! A worker outside of this process, as those who speak with it see it.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use everturn_activity::Call;
use everturn_history::{PropagatedHistory, TaskScheduledEvent};
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
    /// How it shows that it is alive.
    pub life: SignOfLife,
}

/// How a worker shows that it is alive, and may keep its tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SignOfLife {
    /// By heartbeats, each before the lease of a task runs out.
    #[default]
    Heartbeats,
    /// By being connected: its protocol has no heartbeats, and who holds the connection notices when it is dead.
    Connection,
}

/// A task for a worker.
#[derive(Clone, Debug, PartialEq)]
pub struct ActivityTask {
    /// What to do.
    pub call: Call,
    /// To be shown with the answer and with every heartbeat.
    pub token: Token,
    /// Which of the runs of its instance.
    pub execution_id: String,
    /// The same call as history has it.
    pub scheduled: TaskScheduledEvent,
    /// What the activity is told of the past of those that called it.
    pub propagated: Option<PropagatedHistory>,
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
        let id = host.dispatcher.desk.lock().connect(accepts, capacity, options.life, sender);
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

/// How long a task that was given back waits for the next worker.
const GIVEN_BACK_PAUSE: Duration = Duration::from_millis(250);

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

/// The worker gives a task back. Whether it had it.
pub(crate) fn give_up(host: &Arc<Host>, token: Token) -> bool {
    let Some(running) = host.dispatcher.desk.lock().remove(token) else { return false };
    running.stop.notify_one();
    let host = Arc::clone(host);
    tokio::spawn(async move {
        // It would only come back to be given back again.
        host.stopping.pause(GIVEN_BACK_PAUSE).await;
        take_back(&host, vec![(token, running.assignment)]).await;
    });
    true
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

//! Activity tasks on their way to workers and back. A task is given out once it is on disk, to one worker at a time;
//! who shows the token of that dispatch may answer it, once. When the worker is lost, the task is given out again with
//! another token, and the answer of the lost one, should it ever come, is dropped.
//!
//! - `desk`: who works on what, as plain state
//! - `assignment`: a task as a worker gets it; `worker`: one outside of this process
//! - `matcher`: finds work for free workers; `guard`: watches over one dispatch
//! - `here`: those in this process, one after the other in so many places; `execute`: runs one
//! - `answer`: the way back

mod answer;
mod assignment;
mod desk;
mod execute;
mod guard;
mod here;
mod matcher;
mod worker;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use everturn_store::{Lease, TaskKey, Time, Token};
use tokio::runtime::Handle;
use tokio::sync::Notify;

pub use answer::TaskAnswer;
pub(crate) use answer::{answer, answer_task};
pub(crate) use assignment::Assignment;
use desk::{Accepts, Desk, WorkerId};
use here::{Dispatch, Places};
pub(crate) use matcher::matcher;
pub(crate) use worker::give_up;
pub use worker::{ActivityTask, SignOfLife, Worker, WorkerOptions};

use crate::host::Host;
use crate::text::listed;

/// Tasks that this process takes at the same time, though it may not run them all: who asked for them need not be written
/// once more when they begin.
const TASKS_HERE: usize = 1_024;

/// Gives activity tasks to workers.
#[derive(Debug)]
pub(crate) struct Dispatcher {
    desk: Arc<Shared>,
    /// One for each activity that may run in this process at the same time.
    places: Places<Dispatch>,
    lease: Duration,
    /// Where its tasks run: workers may be lost on any thread.
    runtime: Handle,
}

#[derive(Debug)]
struct Shared {
    desk: Mutex<Desk>,
    /// Something changed that lets a waiting task meet a free worker.
    chance: Notify,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A worker's free place, set aside for a task that is about to be on disk. Dropped unused, it is free again.
#[derive(Debug)]
pub(crate) struct Reservation {
    desk: Arc<Shared>,
    worker: WorkerId,
    lease: Lease,
    used: bool,
}

impl Reservation {
    /// What to write with the task.
    pub(crate) fn lease(&self) -> Lease {
        self.lease
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if !self.used {
            self.desk.lock().free(self.worker);
            self.desk.chance.notify_one();
        }
    }
}

impl Dispatcher {
    /// With so many places in this process, and this lease for workers outside of it. To be called on tokio.
    pub(crate) fn new(places: usize, lease: Duration) -> Self {
        Self {
            desk: Arc::new(Shared { desk: Mutex::new(Desk::new(places.max(TASKS_HERE))), chance: Notify::new() }),
            places: Places::new(places),
            lease,
            runtime: Handle::current(),
        }
    }

    /// The activities that this process runs itself, from now on.
    pub(crate) fn offer(&self, activities: impl Iterator<Item = String>) {
        self.desk.lock().accept(WorkerId::IN_PROCESS, Accepts::Names(activities.collect()));
        self.desk.chance.notify_one();
    }

    /// That no worker has this activity, in words that show a misspelt name. None: some worker has it.
    pub(crate) fn complaint(&self, activity: &str) -> Option<String> {
        let desk = self.desk.lock();
        if desk.offers(activity) {
            return None;
        }
        let offered = match desk.offered().as_slice() {
            [] => "workers offer none at all".to_owned(),
            offered => format!("they offer {}", listed(offered)),
        };
        Some(format!("it waits for activity `{activity}`, which no worker offers; {offered}"))
    }

    /// How many tasks workers have.
    pub(crate) fn running(&self) -> usize {
        self.desk.lock().running()
    }

    /// A place for a task of this activity, if there is one and nobody waits for it.
    pub(crate) fn reserve(&self, activity: &str, now: Time) -> Option<Reservation> {
        let worker = self.desk.lock().reserve(activity)?;
        Some(self.reservation(worker, now))
    }

    fn reservation(&self, worker: WorkerId, now: Time) -> Reservation {
        let until = self.desk.lock().is_leased(worker).then(|| now.after(self.lease));
        let lease = Lease { token: crate::identity::token(), until };
        Reservation { desk: Arc::clone(&self.desk), worker, lease, used: false }
    }

    /// Tasks of this activity wait on disk.
    pub(crate) fn expect(&self, activity: &str) {
        let mut desk = self.desk.lock();
        desk.expect(activity);
        let is_news = !desk.offers(activity) && desk.complain(activity);
        let offered = if is_news { listed(&desk.offered()) } else { String::new() };
        drop(desk);
        if is_news {
            tracing::warn!(activity, offered, "no worker offers an activity that was called; its calls wait for one");
        }
        self.desk.chance.notify_one();
    }

    /// The task is on disk with its lease: the worker begins.
    pub(crate) fn begin(&self, host: &Arc<Host>, mut reservation: Reservation, assignment: Assignment) {
        reservation.used = true;
        host.counters.dispatches.one();
        let token = reservation.lease.token;
        let assignment = Arc::new(assignment);
        let begun = self.desk.lock().begin(reservation.worker, token, Arc::clone(&assignment));
        guard::watch(host, begun, token, assignment);
    }

    /// Nobody waits for the task any more: who works on it may stop.
    pub(crate) fn abandon(&self, task: TaskKey) {
        if let Some(running) = self.desk.lock().remove_task(task) {
            running.stop.notify_one();
            self.desk.chance.notify_one();
        }
    }

    /// The worker is alive. Whether its answer is still wanted.
    pub(crate) fn heartbeat(&self, token: Token) -> bool {
        self.desk.lock().beat(token, tokio::time::Instant::now())
    }

    /// Gives out nothing more: the host is stopping.
    pub(crate) fn close(&self) {
        let mut desk = self.desk.lock();
        desk.close();
        // Who waits for a place begins after the next start.
        for dispatch in self.places.clear() {
            desk.remove(dispatch.token);
        }
    }

    /// How many tasks run in this process.
    pub(crate) fn running_here(&self) -> usize {
        self.desk.lock().running_by(WorkerId::IN_PROCESS)
    }

    /// Stops whatever runs in this process. It is done again after the next start.
    pub(crate) fn stop_all(&self) {
        for running in self.desk.lock().remove_all() {
            running.stop.notify_one();
        }
    }
}

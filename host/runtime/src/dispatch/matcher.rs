//! Finds work for free workers among the tasks that wait on disk. It sleeps until something changes.

use std::sync::Arc;
use std::time::Duration;

use super::{Assignment, Reservation};
use crate::host::Host;
use crate::persist::{persist, read};

/// Tasks that are given out with one commit.
const BATCH: usize = 256;

/// How long to wait after tasks could not be given out.
const AFTER_TROUBLE: Duration = Duration::from_secs(5);

/// Runs as long as the host.
pub(crate) async fn matcher(host: Arc<Host>) {
    loop {
        tokio::select! {
            () = host.stopping.begun() => return,
            () = host.dispatcher.desk.chance.notified() => {}
        }
        while !host.stopping.has_begun() && give_out(&host).await {}
    }
}

/// Gives out what waits, as far as one search goes. Whether there may be more to give out.
async fn give_out(host: &Arc<Host>) -> bool {
    let Some(mut search) = host.dispatcher.desk.lock().search() else { return false };
    search.limit = search.limit.min(BATCH);
    let activities: Vec<_> = search.activities.iter().map(|(name, _)| name.clone()).collect();
    let Ok(tasks) = read(host, || host.store.waiting_tasks(activities.clone(), search.limit)).await else {
        return false;
    };
    if tasks.len() < search.limit {
        host.dispatcher.desk.lock().exhausted(&search);
    }
    let now = host.clock.now();
    let mut reserved: Vec<(everturn_store::TaskKey, Reservation)> = Vec::new();
    for task in &tasks {
        let worker = host.dispatcher.desk.lock().reserve_any(&task.scheduled.name);
        reserved.extend(worker.map(|worker| (task.key, host.dispatcher.reservation(worker, now))));
    }
    if reserved.len() < tasks.len() {
        // The places went to others meanwhile: who could not be served is still there.
        activities.iter().for_each(|name| host.dispatcher.desk.lock().expect(name));
    }
    if reserved.is_empty() {
        return false;
    }
    let leases: Vec<_> = reserved.iter().map(|(key, reservation)| (*key, reservation.lease())).collect();
    let leased = match persist(host, || host.store.lease(leases.clone())).await {
        Ok(leased) => leased,
        Err(error) => {
            tracing::error!(%error, "activity tasks cannot be given out; it is tried again");
            host.stopping.pause(AFTER_TROUBLE).await;
            activities.iter().for_each(|name| host.dispatcher.desk.lock().expect(name));
            return true;
        }
    };
    for task in leased {
        let Some(place) = reserved.iter().position(|(key, _)| *key == task.key) else { continue };
        let (_, reservation) = reserved.swap_remove(place);
        host.dispatcher.begin(host, reservation, Assignment::from(task));
    }
    true
}

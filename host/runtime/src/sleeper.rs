//! The single sleeper: waits for the next delayed message to become visible, and has its instance woken then. It looks a moment
//! before, so that nothing is left to be done at the time itself but that. There is no other timer for timers, and while nothing
//! is due it does nothing.

use std::sync::Arc;
use std::time::Duration;

use everturn_store::{Time, Wakeups};

use crate::alarm::MOMENT;
use crate::host::Host;
use crate::instance;
use crate::persist::read;

/// Instances that are woken at a time.
const WAKEUPS: usize = 1_000;
/// How long to wait after the store could not say who is due.
const AFTER_TROUBLE: Duration = Duration::from_secs(5);

/// Wakes who is due, and sleeps until the next one is. Runs as long as the host.
pub(crate) async fn sleeper(host: Arc<Host>, recovered: Wakeups) {
    for instance in recovered.instances {
        instance::wake(&host, instance);
    }
    if let Some(next) = recovered.next {
        host.alarm.set(next);
    }
    loop {
        let moment = tokio::select! {
            () = host.stopping.begun() => return,
            moment = host.alarm.due.rings(&host.clock, MOMENT) => moment,
        };
        host.counters.wakeups.one();
        // What is written from now on and is due by then rings again.
        let at = moment.max(host.clock.now());
        let since = host.alarm.due.look_up_to(at);
        let due = match read(&host, || host.store.due(since, at, WAKEUPS)).await {
            Ok(due) => due,
            Err(_) if host.stopping.has_begun() => return,
            Err(error) => {
                tracing::error!(%error, "timers cannot be read; it is tried again");
                host.alarm.set(Time::from_micros(since.as_micros().saturating_add(1)));
                host.stopping.pause(AFTER_TROUBLE).await;
                continue;
            }
        };
        if let Some(next) = due.next {
            host.alarm.set(next);
        }
        if !due.instances.is_empty() {
            instance::wake_all(&host, due.instances, at);
        }
    }
}

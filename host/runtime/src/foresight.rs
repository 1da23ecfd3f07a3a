//! Gets instances ready that will be woken soon: many timers may be set for one moment, and whatever is done before it need
//! not be done then. It only fills a cache: without it, all would be the same, but later.

use std::sync::Arc;
use std::time::Duration;

use crate::host::Host;
use crate::instance;

/// How long before their time instances are made ready at the latest: enough for as many as are kept, on a machine that is
/// slow or busy.
const AHEAD: Duration = Duration::from_millis(300);
/// How far ahead is looked then, so that there are few looks. What is kept so long is not driven out by others.
pub(crate) const HORIZON: Duration = Duration::from_millis(450);
/// Those that are read together. Each of them cannot have a turn meanwhile, so it must not take long.
const READ_WITH_ONE_LOOK: usize = 16;
/// How long to wait after the store could not say who will be due.
const AFTER_TROUBLE: Duration = Duration::from_secs(5);

/// Looks ahead. Runs as long as the host, and sleeps while nothing is near.
pub(crate) async fn foresight(host: Arc<Host>) {
    let places = host.options.live_guests;
    if places == 0 {
        return;
    }
    loop {
        tokio::select! {
            () = host.stopping.begun() => return,
            _ = host.alarm.near.rings(&host.clock, AHEAD) => {}
        }
        let now = host.clock.now();
        let horizon = now.after(HORIZON);
        let since = host.alarm.near.look_up_to(horizon).max(now);
        let Ok(near) = host.store.due(since, horizon, places).await else {
            // Whoever wakes them says what is wrong.
            host.stopping.pause(AFTER_TROUBLE).await;
            continue;
        };
        if let Some(next) = near.next {
            host.alarm.near.set(next);
        }
        for instances in near.instances.chunks(READ_WITH_ONE_LOOK) {
            if !host.guests.has_room() || host.stopping.has_begun() {
                break;
            }
            instance::get_ready(&host, instances, horizon).await;
        }
    }
}

//! Instances that were held for want of the right code go on when a worker arrives: it may have that.

use std::sync::Arc;

use everturn_history::StalledReason;
use everturn_store::{Filter, Instance, Status, StoreError};

use crate::host::Host;
use crate::instance;
use crate::persist::{persist, read};

/// Instances that are looked at with one read.
const PAGE: usize = 500;

/// Runs as long as the host. Several workers that arrive together cause one look.
pub(crate) async fn releaser(host: Arc<Host>) {
    loop {
        tokio::select! {
            () = host.stopping.begun() => return,
            () = host.remote.arrived.notified() => {}
        }
        if let Err(error) = release(&host).await {
            tracing::warn!(%error, "instances that wait for other code could not be looked at");
        }
    }
}

async fn release(host: &Arc<Host>) -> Result<(), StoreError> {
    let filter = Filter { statuses: vec![Status::Stalled], remote: Some(true), ..Filter::default() };
    let mut from = None;
    loop {
        let page = read(host, || host.store.list(filter.clone(), from, PAGE)).await?;
        for held in page.instances.into_iter().filter(|held| waits_for_code(host, held)) {
            let now = host.clock.now();
            persist(host, || host.store.release(held.key, now)).await?;
            instance::wake(host, held.key);
            // While it was held, nobody slept for its timers.
            host.alarm.set(now);
        }
        from = page.next;
        if from.is_none() {
            return Ok(());
        }
    }
}

fn waits_for_code(host: &Host, held: &Instance) -> bool {
    let code = matches!(held.stalled_reason, Some(StalledReason::VersionNotAvailable | StalledReason::PatchMismatch));
    code && host.remote.accepts(&held.workflow, held.version.as_deref())
}

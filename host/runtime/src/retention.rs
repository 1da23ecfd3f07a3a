//! The end of what has ended: deletes instances when their time is over. It sleeps until the next one's is.

use std::sync::Arc;
use std::time::Duration;

use everturn_store::{Status, StoreError};

use crate::host::Host;
use crate::persist::{persist, read};

/// Instances that are deleted with one commit.
const BATCH: usize = 100;

/// The shortest sleep, however short the time that instances are kept.
const SHORTEST_SLEEP: Duration = Duration::from_secs(1);

/// How long to wait after something could not be deleted.
const AFTER_TROUBLE: Duration = Duration::from_secs(60);

/// Runs as long as the host.
pub(crate) async fn keeper(host: Arc<Host>) {
    let limits = limits(&host);
    let Some(shortest) = limits.iter().map(|(_, age)| (*age).max(SHORTEST_SLEEP)).min() else { return };
    loop {
        let next = match purge(&host, &limits).await {
            Ok(next) => next,
            Err(_) if host.stopping.has_begun() => return,
            Err(error) => {
                tracing::error!(%error, "instances whose time is over cannot be deleted; it is tried again");
                Some(AFTER_TROUBLE)
            }
        };
        let due = async {
            match next {
                Some(wait) => tokio::time::sleep(wait).await,
                None => std::future::pending().await,
            }
        };
        // What ends from now on, with another status perhaps, may be due sooner; but not sooner than this.
        let sooner = async {
            host.ended.notified().await;
            tokio::time::sleep(shortest).await;
        };
        tokio::select! {
            () = host.stopping.begun() => return,
            () = due => {}
            () = sooner => {}
        }
    }
}

fn limits(host: &Host) -> Vec<(Status, Duration)> {
    let retention = host.options.retention;
    let by_status = [
        (Status::Completed, retention.completed),
        (Status::Failed, retention.failed),
        (Status::Terminated, retention.terminated),
    ];
    by_status.into_iter().filter_map(|(status, age)| Some((status, age?))).collect()
}

/// Deletes what is over, and says how long until the next one is. None: there is none.
async fn purge(host: &Host, limits: &[(Status, Duration)]) -> Result<Option<Duration>, StoreError> {
    let mut next: Option<Duration> = None;
    for (status, age) in limits {
        loop {
            let now = host.clock.now();
            let Some(oldest) = read(host, || host.store.oldest_ended(*status)).await? else { break };
            let wait = oldest.after(*age).since(now);
            if wait > Duration::ZERO {
                next = Some(next.map_or(wait, |next| next.min(wait)));
                break;
            }
            // Up to and with the oldest, which is over.
            let before = everturn_store::Time::from_micros(now.as_micros() - age_micros(*age) + 1);
            let purged = persist(host, || host.store.purge_ended(*status, before, BATCH)).await?;
            host.counters.purged.add(purged);
            if purged == 0 {
                break;
            }
        }
    }
    Ok(next)
}

fn age_micros(age: Duration) -> i64 {
    i64::try_from(age.as_micros()).unwrap_or(i64::MAX / 2)
}

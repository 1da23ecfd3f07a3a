//! Asks the store until it answers: a storage error is never a workflow's.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use everturn_store::{Committed, StoreError, Turn};

use crate::health::Access;
use crate::host::Host;

/// The first pause before the store is asked again. Doubles.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Has something written, again and again as long as the failure may pass by itself, with growing pauses. Gives up when
/// the host stops.
pub(crate) async fn persist<T, F>(host: &Host, ask: impl FnMut() -> F) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    insist(host, Access::Write, ask).await
}

/// Has a turn written, in the same way. When that is done, the turn is the caller's alone again.
pub(crate) async fn commit(host: &Host, turn: &Arc<Turn>) -> Result<Committed, StoreError> {
    persist(host, || host.store.commit(Arc::clone(turn))).await
}

/// The same, for a turn that was taken before its time.
pub(crate) async fn commit_ahead(host: &Host, turn: &Arc<Turn>, moment: Instant) -> Result<Committed, StoreError> {
    persist(host, || host.store.commit_ahead(Arc::clone(turn), moment)).await
}

/// Has something read, in the same way.
pub(crate) async fn read<T, F>(host: &Host, ask: impl FnMut() -> F) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    insist(host, Access::Read, ask).await
}

/// Does something to its end, also if nobody waits for the answer any more: what is on disk has to be followed up.
pub(crate) async fn to_the_end<T, E>(work: impl Future<Output = Result<T, E>> + Send + 'static) -> Result<T, E>
where
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    // A task that does not end went down with the process, or by a mistake of ours.
    tokio::spawn(work).await.unwrap_or_else(|_| Err(StoreError::Closed.into()))
}

async fn insist<T, F>(host: &Host, access: Access, mut ask: impl FnMut() -> F) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    let mut pause = FIRST_PAUSE;
    loop {
        match ask().await {
            Err(error) if error.is_temporary() => {
                host.health.fails(access, &error);
                host.counters.storage_retries.one();
                if host.stopping.pause(pause).await {
                    return Err(error);
                }
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
            answer => {
                if answer.is_ok() {
                    host.health.works(access);
                }
                return answer;
            }
        }
    }
}

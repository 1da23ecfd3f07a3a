//! The place of a component in memory: it is loaded once, for all who need it. When that fails, all who waited for it are
//! told, and the next one to come tries again.

use std::sync::{Mutex, PoisonError};

use everturn_guest::ComponentError;
use tokio::sync::OnceCell;

use super::Loaded;
use crate::RequestError;

/// A component that is loaded, or not yet.
#[derive(Debug, Default)]
pub(super) struct Slot {
    loaded: OnceCell<Loaded>,
    failures: Mutex<Failures>,
}

#[derive(Debug, Default)]
struct Failures {
    count: u64,
    last: Option<ComponentError>,
}

impl Slot {
    pub(super) fn filled(loaded: Loaded) -> Self {
        Self { loaded: OnceCell::new_with(Some(loaded)), ..Self::default() }
    }

    /// The component. Of all who ask at the same time, one loads it: each try may take a minute, and thousands may ask.
    pub(super) async fn get(
        &self,
        load: impl AsyncFnOnce() -> Result<Loaded, RequestError>,
    ) -> Result<Loaded, RequestError> {
        let before = self.failures(|failures| failures.count);
        let loaded = self.loaded.get_or_try_init(|| async {
            if let Some(error) = self.failures(|failures| failures.since(before)) {
                return Err(error.into());
            }
            let loaded = load().await;
            if let Err(RequestError::Component(error)) = &loaded {
                self.failures(|failures| failures.add(error.clone()));
            }
            loaded
        });
        loaded.await.cloned()
    }

    fn failures<T>(&self, use_them: impl FnOnce(&mut Failures) -> T) -> T {
        use_them(&mut self.failures.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Failures {
    fn since(&self, before: u64) -> Option<ComponentError> {
        self.last.clone().filter(|_| self.count > before)
    }

    fn add(&mut self, error: ComponentError) {
        self.count += 1;
        self.last = Some(error);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use tokio::sync::oneshot;

    use super::*;

    fn failure() -> Result<Loaded, RequestError> {
        Err(ComponentError::NotWebAssembly.into())
    }

    #[tokio::test]
    async fn who_waits_while_it_fails_is_told_and_who_comes_later_tries_again() {
        let slot = Slot::default();
        let tries = Cell::new(0);
        let (fail, failed) = oneshot::channel::<()>();
        let first = slot.get(async || {
            failed.await.unwrap();
            failure()
        });
        let wait = || {
            slot.get(async || {
                tries.set(tries.get() + 1);
                failure()
            })
        };
        let (first, second, third, ()) = futures::join!(first, wait(), wait(), async { fail.send(()).unwrap() });
        assert!(first.is_err() && second.is_err() && third.is_err());
        assert_eq!(tries.get(), 0, "those who waited did not try themselves");
        assert!(wait().await.is_err());
        assert_eq!(tries.get(), 1);
    }
}

//! The end of a host, as something to wait for.

use std::time::Duration;

use tokio::sync::watch;

/// Whether the host is stopping.
#[derive(Debug)]
pub(crate) struct Stopping(watch::Sender<bool>);

impl Default for Stopping {
    fn default() -> Self {
        Self(watch::Sender::new(false))
    }
}

impl Stopping {
    pub(crate) fn begin(&self) {
        self.0.send_replace(true);
    }

    pub(crate) fn has_begun(&self) -> bool {
        *self.0.borrow()
    }

    /// Resolves when it begins.
    pub(crate) async fn begun(&self) {
        let mut receiver = self.0.subscribe();
        // An error means that the host is gone, which is the same.
        let _ = receiver.wait_for(|stopping| *stopping).await;
    }

    /// Waits so long; says whether the host stops meanwhile, and then at once.
    pub(crate) async fn pause(&self, pause: Duration) -> bool {
        tokio::select! {
            () = tokio::time::sleep(pause) => self.has_begun(),
            () = self.begun() => true,
        }
    }
}

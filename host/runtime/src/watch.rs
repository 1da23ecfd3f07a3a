//! Tells those who look on what has changed: all changes to some, the end of one instance to others.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use everturn_history::InstanceId;
use everturn_store::Status;
use tokio::sync::{broadcast, oneshot};

/// Changes that a slow onlooker may be behind before it misses some.
const CHANGES_KEPT: usize = 1_024;

/// An instance has changed, and this is on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Which.
    pub id: InstanceId,
    /// How it stands now.
    pub status: Status,
    /// How many events its history has.
    pub events: u64,
    /// How often it has continued as new.
    pub generation: u32,
}

/// Somebody who waits for an end. Dropped, nobody does.
#[derive(Debug)]
pub(crate) struct End<'a> {
    watchers: &'a Watchers,
    id: InstanceId,
    receiver: oneshot::Receiver<()>,
}

impl End<'_> {
    /// Resolves when it comes.
    pub(crate) async fn come(&mut self) {
        // Who tells nothing any more has nothing to tell.
        let _ = (&mut self.receiver).await;
    }
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.receiver.close();
        let mut ends = self.watchers.ends.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(waiting) = ends.get_mut(&self.id) {
            waiting.retain(|sender| !sender.is_closed());
            if waiting.is_empty() {
                ends.remove(&self.id);
            }
        }
    }
}

/// Those who look on.
#[derive(Debug)]
pub(crate) struct Watchers {
    changes: broadcast::Sender<Change>,
    ends: Mutex<HashMap<InstanceId, Vec<oneshot::Sender<()>>>>,
}

impl Default for Watchers {
    fn default() -> Self {
        Self { changes: broadcast::Sender::new(CHANGES_KEPT), ends: Mutex::default() }
    }
}

impl Watchers {
    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Change> {
        self.changes.subscribe()
    }

    /// Waits for the instance to end or go away. Look at it after this was called: it may have ended before.
    pub(crate) fn end_of(&self, id: &InstanceId) -> End<'_> {
        let (sender, receiver) = oneshot::channel();
        let mut ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        ends.entry(id.clone()).or_default().push(sender);
        End { watchers: self, id: id.clone(), receiver }
    }

    pub(crate) fn changed(&self, change: Change) {
        if change.status.is_ended() {
            self.gone(&change.id);
        }
        if self.changes.receiver_count() > 0 {
            // Nobody listening is no error.
            let _ = self.changes.send(change);
        }
    }

    /// There is nothing to wait for any more.
    pub(crate) fn gone(&self, id: &InstanceId) {
        let waiting = self.ends.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        for sender in waiting.into_iter().flatten() {
            let _ = sender.send(());
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[test]
    fn who_waits_is_told_and_who_gave_up_leaves_nothing_behind() {
        let watchers = Watchers::default();
        let (mut stays, gives_up) = (watchers.end_of(&"a".into()), watchers.end_of(&"a".into()));
        drop(gives_up);
        drop(watchers.end_of(&"nobody".into()));
        assert_eq!(watchers.ends.lock().unwrap().len(), 1);
        assert_eq!(stays.come().now_or_never(), None);
        watchers.gone(&"a".into());
        assert_eq!(stays.come().now_or_never(), Some(()));
        drop(stays);
        assert!(watchers.ends.lock().unwrap().is_empty());
    }
}

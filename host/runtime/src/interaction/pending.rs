//! Who waits for the answer to an update.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use everturn_replay::Failure;
use everturn_store::InstanceKey;
use tokio::sync::oneshot;

/// What the caller of an update hears.
#[derive(Clone, Debug)]
pub(crate) enum UpdateReply {
    /// It was accepted, and this is its answer, which is on disk.
    Completed(Result<String, Failure>),
    /// It was refused, and nothing is left of it.
    Rejected(Failure),
    /// The workflow does not take updates at the moment, and nothing is left of it.
    NotTaken,
    /// It was accepted, and the instance ended, began anew or was reset without an answer.
    Unanswered,
    /// The instance has ended. Whoever was not accepted by then never will be.
    Over,
}

/// Which update of which instance.
type Key = (InstanceKey, String);

/// Who waits for the answers to updates.
#[derive(Debug, Default)]
pub(crate) struct PendingUpdates(Mutex<HashMap<Key, Vec<oneshot::Sender<UpdateReply>>>>);

impl PendingUpdates {
    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Vec<oneshot::Sender<UpdateReply>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for an answer. Ask before the update is handed over: the answer may be quick.
    pub(super) fn wait(&self, instance: InstanceKey, id: &str) -> oneshot::Receiver<UpdateReply> {
        let (sender, receiver) = oneshot::channel();
        let mut pending = self.lock();
        let waiting = pending.entry((instance, id.to_owned())).or_default();
        // Who gave up leaves nothing behind.
        waiting.retain(|sender| !sender.is_closed());
        waiting.push(sender);
        receiver
    }

    /// Nobody waits any more, unless somebody else does.
    pub(super) fn forget(&self, instance: InstanceKey, id: &str) {
        let mut pending = self.lock();
        let key = (instance, id.to_owned());
        if let Some(waiting) = pending.get_mut(&key) {
            waiting.retain(|sender| !sender.is_closed());
            if waiting.is_empty() {
                pending.remove(&key);
            }
        }
    }

    /// Whether somebody waits.
    pub(crate) fn is_awaited(&self, instance: InstanceKey, id: &str) -> bool {
        self.lock().get(&(instance, id.to_owned())).is_some_and(|waiting| waiting.iter().any(|one| !one.is_closed()))
    }

    pub(crate) fn reply(&self, instance: InstanceKey, id: &str, reply: &UpdateReply) {
        let waiting = self.lock().remove(&(instance, id.to_owned()));
        for sender in waiting.into_iter().flatten() {
            let _ = sender.send(reply.clone());
        }
    }

    /// The instance answers no update any more.
    pub(crate) fn over(&self, instance: InstanceKey) {
        let mut pending = self.lock();
        let keys: Vec<Key> = pending.keys().filter(|(key, _)| *key == instance).cloned().collect();
        let waiting: Vec<_> = keys.iter().filter_map(|key| pending.remove(key)).flatten().collect();
        drop(pending);
        for sender in waiting {
            let _ = sender.send(UpdateReply::Over);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_left_waits_no_more() {
        let (pending, key) = (PendingUpdates::default(), InstanceKey(1));
        let (stays, leaves) = (pending.wait(key, "u"), pending.wait(key, "u"));
        drop(leaves);
        assert!(pending.is_awaited(key, "u"));
        drop(stays);
        assert!(!pending.is_awaited(key, "u"));
        assert!(!pending.is_awaited(key, "other"));
    }
}

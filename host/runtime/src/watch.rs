//! Tells those who look on what has changed: all changes to some, the end of one instance to others.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use everturn_history::InstanceId;
use everturn_store::{Instance, Status};
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

/// What somebody waits for an instance to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// It has had its first turn.
    Started,
    /// It has ended.
    Ended,
    /// It is suspended; or it has ended or is held, and will not be.
    Suspended,
    /// It is not suspended.
    Resumed,
}

impl Until {
    /// Whether it is.
    pub const fn holds(self, status: Status) -> bool {
        match self {
            Self::Started => !matches!(status, Status::Pending),
            Self::Ended => status.is_ended(),
            Self::Suspended => matches!(status, Status::Suspended | Status::Stalled) || status.is_ended(),
            Self::Resumed => !matches!(status, Status::Suspended),
        }
    }
}

/// What somebody is told who waits for something.
#[derive(Clone, Debug)]
pub(crate) enum Told {
    /// It has come, and this is on disk.
    Is(Box<Instance>),
    /// It may have come: the store knows.
    Look,
}

/// Somebody who waits for something. Dropped, nobody does.
#[derive(Debug)]
pub(crate) struct Watch<'a> {
    watchers: &'a Watchers,
    id: InstanceId,
    receiver: oneshot::Receiver<Told>,
}

impl Watch<'_> {
    /// Resolves when it comes.
    pub(crate) async fn come(&mut self) -> Told {
        // Who tells nothing any more has nothing to tell.
        (&mut self.receiver).await.unwrap_or(Told::Look)
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        self.receiver.close();
        let mut waiting = self.watchers.waiting();
        if let Some(of_this) = waiting.get_mut(&self.id) {
            of_this.retain(|(_, sender)| !sender.is_closed());
            if of_this.is_empty() {
                waiting.remove(&self.id);
            }
        }
    }
}

/// Those who look on.
#[derive(Debug)]
pub(crate) struct Watchers {
    changes: broadcast::Sender<Change>,
    waiting: Mutex<Waiting>,
}

/// Who waits for what.
type Waiting = HashMap<InstanceId, Vec<(Until, oneshot::Sender<Told>)>>;

impl Default for Watchers {
    fn default() -> Self {
        Self { changes: broadcast::Sender::new(CHANGES_KEPT), waiting: Mutex::default() }
    }
}

impl Watchers {
    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Change> {
        self.changes.subscribe()
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until this holds of the instance, or it goes away. Look at it after this was called: it may hold already.
    pub(crate) fn watch(&self, id: &InstanceId, until: Until) -> Watch<'_> {
        let (sender, receiver) = oneshot::channel();
        self.waiting().entry(id.clone()).or_default().push((until, sender));
        Watch { watchers: self, id: id.clone(), receiver }
    }

    /// An instance has changed. Those who wait are told all that is on disk of it, if that is given; they look otherwise.
    pub(crate) fn changed(&self, change: Change, instance: Option<&Instance>) {
        let told = || instance.map_or(Told::Look, |instance| Told::Is(Box::new(instance.clone())));
        self.tell(&change.id, |until| until.holds(change.status), told);
        if self.changes.receiver_count() > 0 {
            // Nobody listening is no error.
            let _ = self.changes.send(change);
        }
    }

    /// There is nothing to wait for any more.
    pub(crate) fn gone(&self, id: &InstanceId) {
        self.tell(id, |_| true, || Told::Look);
    }

    fn tell(&self, id: &InstanceId, holds: impl Fn(Until) -> bool, told: impl Fn() -> Told) {
        let mut waiting = self.waiting();
        let Some(of_this) = waiting.get_mut(id) else { return };
        for (_, sender) in of_this.extract_if(.., |(until, _)| holds(*until)) {
            let _ = sender.send(told());
        }
        if of_this.is_empty() {
            waiting.remove(id);
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
        let ended = |id: &str| watchers.watch(&id.into(), Until::Ended);
        let (mut stays, gives_up) = (ended("a"), ended("a"));
        drop(gives_up);
        drop(ended("nobody"));
        assert_eq!(watchers.waiting().len(), 1);
        assert!(stays.come().now_or_never().is_none());
        watchers.gone(&"a".into());
        assert!(stays.come().now_or_never().is_some());
        drop(stays);
        assert!(watchers.waiting().is_empty());
    }

    #[test]
    fn who_waits_is_told_when_it_holds_and_not_before() {
        let watchers = Watchers::default();
        let mut started = watchers.watch(&"a".into(), Until::Started);
        let mut suspended = watchers.watch(&"a".into(), Until::Suspended);
        let change = |status| Change { id: "a".into(), status, events: 1, generation: 0 };
        watchers.changed(change(Status::Running), None);
        assert!(started.come().now_or_never().is_some());
        assert!(suspended.come().now_or_never().is_none());
        watchers.changed(change(Status::Completed), None);
        assert!(suspended.come().now_or_never().is_some(), "it will not be any more");
        assert!(watchers.waiting().is_empty());
    }
}

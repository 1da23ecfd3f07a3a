//! Updates: requests to change an instance that are answered. One that is refused leaves nothing behind, so each comes in a
//! turn of its own, and that turn is only kept when the guest has accepted it.

use std::collections::{BTreeMap, BTreeSet};

use everturn_history::UpdateAcceptedEvent;

use crate::{Failure, Task, mailbox};

/// What became of the update that a turn brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UpdateVerdict {
    /// The guest took it: the turn is to be written, with the event that says so.
    Accepted,
    /// The guest refused it: nothing is to be written, and the guest is to be dropped.
    Rejected(Failure),
    /// Nobody waits for an update of its name, or the guest is suspended or over. The same is to be done.
    Unread,
}

/// An accepted update that has its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletedUpdate {
    /// Which.
    pub id: String,
    /// What the caller is told.
    pub outcome: Result<String, Failure>,
}

#[derive(Debug, Default)]
pub(crate) struct Updates {
    waiting: BTreeMap<Task, BTreeSet<String>>,
    /// The update of the current turn.
    current: Option<Current>,
    /// Accepted, and without an answer.
    open: BTreeSet<String>,
    completed_now: Vec<CompletedUpdate>,
}

#[derive(Debug)]
struct Current {
    id: String,
    verdict: Option<UpdateVerdict>,
}

impl Updates {
    pub(crate) fn begin_turn(&mut self) {
        self.current = None;
        self.completed_now.clear();
    }

    pub(crate) fn wait(&mut self, keys: BTreeSet<String>, task: Task) {
        self.waiting.insert(task, keys);
    }

    pub(crate) fn forget(&mut self, task: Task) {
        self.waiting.remove(&task);
    }

    /// Gives an update to the first in line. None: there is nobody.
    pub(crate) fn deliver(&mut self, update: &UpdateAcceptedEvent) -> Option<Task> {
        let key = mailbox::key(&update.name);
        let first = self.waiting.iter().find(|(_, keys)| keys.contains(&key)).map(|(task, _)| *task);
        let verdict = first.is_none().then_some(UpdateVerdict::Unread);
        self.current = Some(Current { id: update.id.clone(), verdict });
        self.waiting.remove(&first?);
        first
    }

    /// An update that the guest does not get to see.
    pub(crate) fn leave(&mut self, id: &str) {
        self.current = Some(Current { id: id.to_owned(), verdict: Some(UpdateVerdict::Unread) });
    }

    fn undecided(&mut self, id: &str) -> Option<&mut Current> {
        self.current.as_mut().filter(|current| current.id == id && current.verdict.is_none())
    }

    pub(crate) fn accept(&mut self, id: &str) {
        if let Some(current) = self.undecided(id) {
            current.verdict = Some(UpdateVerdict::Accepted);
            self.open.insert(id.to_owned());
        }
    }

    pub(crate) fn reject(&mut self, id: &str, reason: Failure) {
        if let Some(current) = self.undecided(id) {
            current.verdict = Some(UpdateVerdict::Rejected(reason));
        }
    }

    /// Only what was accepted is answered, and once.
    pub(crate) fn complete(&mut self, id: &str, outcome: Result<String, Failure>, replaying: bool) {
        if self.open.remove(id) && !replaying {
            self.completed_now.push(CompletedUpdate { id: id.to_owned(), outcome });
        }
    }

    /// Whether the update of the current turn was accepted. None: there is none, or nothing was decided.
    pub(crate) fn is_accepted(&self) -> Option<bool> {
        let verdict = self.current.as_ref()?.verdict.as_ref()?;
        Some(*verdict == UpdateVerdict::Accepted)
    }

    /// What became of the update of this turn.
    pub(crate) fn verdict(&self) -> Option<UpdateVerdict> {
        let current = self.current.as_ref()?;
        Some(current.verdict.clone().unwrap_or_else(|| UpdateVerdict::Rejected(undecided())))
    }

    pub(crate) fn completed_now(&mut self) -> Vec<CompletedUpdate> {
        std::mem::take(&mut self.completed_now)
    }
}

/// A guest that takes an update and lets it lie.
fn undecided() -> Failure {
    Failure {
        error_type: "UpdateNotDecided".to_owned(),
        message: "the workflow took the update and neither accepted nor rejected it before it waited".to_owned(),
        details: None,
        causes: Vec::new(),
        retriable: false,
    }
}

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
    /// Nobody waits for an update of its name, the guest is suspended or over, or it was accepted before. The same is to be
    /// done; [`Execution::takes_update`](crate::Execution::takes_update) says so beforehand.
    Unread,
}

/// An accepted update that has its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletedUpdate {
    /// Which.
    pub id: String,
    /// What the caller is told.
    pub outcome: UpdateAnswer,
}

/// What the caller of an update is told.
pub type UpdateAnswer = Result<String, Failure>;

#[derive(Debug, Default)]
pub(crate) struct Updates {
    waiting: BTreeMap<Task, BTreeSet<String>>,
    /// The update of the current turn.
    current: Option<Current>,
    /// All that were accepted, with their answers.
    accepted: BTreeMap<String, Option<UpdateAnswer>>,
    /// Answers that history does not have yet.
    unrecorded: Vec<CompletedUpdate>,
}

#[derive(Debug)]
struct Current {
    id: String,
    verdict: Option<UpdateVerdict>,
}

impl Updates {
    pub(crate) fn begin_turn(&mut self) {
        self.current = None;
    }

    pub(crate) fn wait(&mut self, keys: BTreeSet<String>, task: Task) {
        self.waiting.insert(task, keys);
    }

    pub(crate) fn forget(&mut self, task: Task) {
        self.waiting.remove(&task);
    }

    /// Whether somebody waits for an update of this name.
    pub(crate) fn takes(&self, name: &str) -> bool {
        self.first_in_line(name).is_some()
    }

    fn first_in_line(&self, name: &str) -> Option<Task> {
        let key = mailbox::key(name);
        self.waiting.iter().find(|(_, keys)| keys.contains(&key)).map(|(task, _)| *task)
    }

    /// An update that was accepted, with its answer if it has one.
    pub(crate) fn known(&self, id: &str) -> Option<Option<&UpdateAnswer>> {
        self.accepted.get(id).map(Option::as_ref)
    }

    /// Gives an update to the first in line. None: there is nobody.
    pub(crate) fn deliver(&mut self, update: &UpdateAcceptedEvent) -> Option<Task> {
        let first = self.first_in_line(&update.name);
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
            self.accepted.insert(id.to_owned(), None);
        }
    }

    pub(crate) fn reject(&mut self, id: &str, reason: Failure) {
        if let Some(current) = self.undecided(id) {
            current.verdict = Some(UpdateVerdict::Rejected(reason));
        }
    }

    /// Only what was accepted is answered, and once. History may have had no answer by then: code of today may be quicker.
    pub(crate) fn complete(&mut self, id: &str, outcome: UpdateAnswer) {
        if let Some(answer @ None) = self.accepted.get_mut(id) {
            *answer = Some(outcome.clone());
            self.unrecorded.push(CompletedUpdate { id: id.to_owned(), outcome });
        }
    }

    /// History has the answer, and that stands: it was told.
    pub(crate) fn recorded(&mut self, id: &str, outcome: UpdateAnswer) {
        self.unrecorded.retain(|completed| completed.id != id);
        self.accepted.insert(id.to_owned(), Some(outcome));
    }

    /// Whether the update of the current turn was accepted. None: there is none.
    pub(crate) fn is_accepted(&self) -> Option<bool> {
        let current = self.current.as_ref()?;
        Some(current.verdict == Some(UpdateVerdict::Accepted))
    }

    /// What became of the update of this turn.
    pub(crate) fn verdict(&self) -> Option<UpdateVerdict> {
        let current = self.current.as_ref()?;
        Some(current.verdict.clone().unwrap_or_else(|| UpdateVerdict::Rejected(undecided())))
    }

    /// The answers that history does not have yet.
    pub(crate) fn unrecorded(&self) -> Vec<CompletedUpdate> {
        self.unrecorded.clone()
    }

    /// Those that were accepted and have no answer.
    pub(crate) fn unanswered(&self) -> Vec<String> {
        let unanswered = self.accepted.iter().filter(|(_, answer)| answer.is_none());
        unanswered.map(|(id, _)| id.clone()).collect()
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

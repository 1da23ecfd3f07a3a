//! How a run stands, and what happened in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use everturn_history::{HistoryEvent, json};
use serde::de::DeserializeOwned;

use super::Run;
use crate::Status;
use crate::complaint::{Complaint, or_fail};
use crate::payload;
use crate::story::story;
use crate::world::{Call, Instance, Pending, PendingTimer};

/// One instance of the world of a run: the one that was started, its children, and what was started apart.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InstanceSummary {
    /// Its id.
    pub id: String,
    /// The name of its workflow.
    pub workflow: String,
    /// The instance that called it as a child.
    pub parent: Option<String>,
    /// How it stands.
    pub status: Status,
}

impl Run {
    /// The time on the virtual clock.
    #[must_use]
    pub fn now(&self) -> SystemTime {
        self.world.now.system_time()
    }

    #[track_caller]
    fn at_rest(&mut self) -> &Instance {
        or_fail(self.settled())
    }

    /// How the workflow stands.
    #[track_caller]
    pub fn status(&mut self) -> Status {
        self.at_rest().status
    }

    /// The status text that the workflow set last, if it set one.
    ///
    /// # Panics
    /// When it cannot be read as a `T`.
    #[track_caller]
    pub fn custom_status<T: DeserializeOwned>(&mut self) -> Option<T> {
        let status = self.at_rest().custom_status.clone();
        status.map(|status| or_fail(payload::read("the custom status", &status)))
    }

    /// How often the workflow has begun anew by continue-as-new.
    #[track_caller]
    pub fn generation(&mut self) -> usize {
        self.at_rest().earlier.len()
    }

    /// What happened, as events: those of the current generation.
    #[track_caller]
    pub fn history(&mut self) -> &[HistoryEvent] {
        &self.at_rest().history
    }

    /// The histories of the generations before the current one, the oldest first. A host does not keep them.
    #[track_caller]
    pub fn earlier_histories(&mut self) -> &[Vec<HistoryEvent>] {
        &self.at_rest().earlier
    }

    /// What happened to another instance of this world, as events.
    ///
    /// # Panics
    /// When there is no such instance.
    #[track_caller]
    pub fn history_of(&mut self, instance: &str) -> &[HistoryEvent] {
        or_fail(self.world.settle());
        &or_fail(self.instance_of(&instance.into())).history
    }

    /// What happened, in words: `activity charge called`, `waits for event decision for 3days`, `timer fired`. That a turn
    /// began is not told.
    #[track_caller]
    pub fn story(&mut self) -> Vec<String> {
        story(self.history())
    }

    /// All instances of this world, by id.
    #[track_caller]
    pub fn instances(&mut self) -> Vec<InstanceSummary> {
        or_fail(self.world.settle());
        let summary = |instance: &Instance| InstanceSummary {
            id: instance.id.to_string(),
            workflow: instance.workflow.clone(),
            parent: instance.parent.as_ref().map(|parent| parent.id.to_string()),
            status: instance.status,
        };
        self.world.instances.values().map(summary).collect()
    }

    /// The timers that have not fired and that the workflow still waits for, in the order in which they were made: sleeps,
    /// limits of waits for events, and delays before another attempt. A wait without limit is none of them.
    #[track_caller]
    pub fn pending_timers(&mut self) -> Vec<PendingTimer> {
        let timer = |pending: &Pending| match pending {
            Pending::Timer(timer) => Some(timer.clone()),
            _ => None,
        };
        self.at_rest().pending.iter().filter_map(timer).collect()
    }

    /// Every call of an activity, a child or a detached workflow of this name so far, in order; each attempt counts. Those
    /// of children are among them.
    #[track_caller]
    pub fn calls(&mut self, name: &str) -> Vec<Call> {
        or_fail(self.world.settle());
        self.world.calls.iter().filter(|call| call.name == name).cloned().collect()
    }

    /// All calls so far, in order.
    #[track_caller]
    pub fn all_calls(&mut self) -> &[Call] {
        or_fail(self.world.settle());
        &self.world.calls
    }

    /// Writes the history to a file, as `everturn workflow history ID -o json` does, for
    /// [`assert_replays`](crate::assert_replays). Folders that are missing are made.
    ///
    /// # Panics
    /// When it cannot be written.
    #[track_caller]
    pub fn save_history(&mut self, path: impl AsRef<Path>) {
        let path = path.as_ref();
        let failed = |source| Complaint::File { path: PathBuf::from(path), source };
        let json = json::to_string(self.history()).map_err(|error| failed(std::io::Error::other(error)));
        let folder = path.parent().map_or(Ok(()), fs::create_dir_all).map_err(failed);
        or_fail(folder.and(json).and_then(|json| fs::write(path, json + "\n").map_err(failed)));
    }
}

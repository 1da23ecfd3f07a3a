//! What the host keeps of a remote instance between turns, so that it need not read the whole history for each.

use std::sync::Arc;

use everturn_history::history_event::EventType;
use everturn_history::{HistoryEvent, PropagatedHistory};

use super::desk::OrchestratorId;

/// What is kept of a history.
#[derive(Clone, Debug, Default)]
pub(crate) struct RemotePast {
    /// The patches that its turns have recorded, in their order.
    pub(super) patches: Vec<String>,
    /// Whether somebody suspended it.
    pub(super) suspended: bool,
    /// The worker that took the last turn.
    pub(super) worker: Option<OrchestratorId>,
    /// How many events that worker had been sent as the past.
    pub(super) before: u64,
    /// The events since then.
    pub(super) tail: Vec<HistoryEvent>,
    /// What the instance was told of the past of those that called it.
    pub(super) propagated: Option<Arc<PropagatedHistory>>,
}

impl RemotePast {
    /// Of a history that no worker has.
    pub(crate) fn of(history: &[HistoryEvent]) -> Self {
        let mut past = Self { before: history.len() as u64, ..Self::default() };
        history.iter().for_each(|event| past.note(event));
        past
    }

    /// Remembers what matters of an event.
    pub(super) fn note(&mut self, event: &HistoryEvent) {
        match &event.event_type {
            Some(EventType::ExecutionSuspended(_)) => self.suspended = true,
            Some(EventType::ExecutionResumed(_)) => self.suspended = false,
            Some(EventType::WorkflowStarted(started)) => {
                for patch in started.version.iter().flat_map(|version| &version.patches) {
                    if !self.patches.contains(patch) {
                        self.patches.push(patch.clone());
                    }
                }
            }
            Some(EventType::ExecutionStarted(start)) => {
                self.propagated = start.propagated_history.clone().map(Arc::new);
            }
            _ => {}
        }
    }
}

//! A remote worker that takes turns of workflows, as those who speak with it see it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use everturn_history::{HistoryEvent, InstanceId, PropagatedHistory, WorkflowAction, WorkflowVersion};
use everturn_store::Token;
use tokio::sync::mpsc;

use super::desk::OrchestratorId;
use crate::host::Host;

/// The most turns that one worker takes at the same time.
const CAPACITY_LIMIT: usize = 10_000;

/// What a worker says of itself.
#[derive(Clone, Debug)]
pub struct OrchestratorOptions {
    /// The workflows that it has, each with its versions; without versions: any. None: any workflow.
    pub workflows: Option<BTreeMap<String, Vec<String>>>,
    /// How many turns it takes at the same time.
    pub capacity: usize,
    /// Whether it keeps the past that it was sent, so that the next turn of an instance needs only what came since.
    pub keeps_history: bool,
}

/// A turn for a worker: it runs the workflow through its past and on with what is new, and answers what that asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnTask {
    /// To be shown with the answer.
    pub token: Token,
    /// Whose turn.
    pub instance_id: InstanceId,
    /// Which of its runs.
    pub execution_id: String,
    /// The name of its workflow.
    pub workflow: String,
    /// How many events of its past this worker has already: they are left out.
    pub known: u64,
    /// The rest of its past.
    pub past: Vec<HistoryEvent>,
    /// What is new. The first of it begins the turn and tells the time.
    pub new: Vec<HistoryEvent>,
    /// What the instance was told of the past of those that called it.
    pub propagated: Option<PropagatedHistory>,
}

/// What a turn asks for, as the worker says it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnAnswer {
    /// What to schedule, create, send and complete, under ids that the worker chose.
    pub actions: Vec<WorkflowAction>,
    /// The status text to show from now on. None: unchanged.
    pub custom_status: Option<String>,
    /// The patches that the workflow has passed so far, and the version of its code.
    pub version: Option<WorkflowVersion>,
}

/// A connected worker that takes turns. When it is dropped, the worker is lost: its turns are given to others.
pub struct Orchestrator {
    host: Arc<Host>,
    id: OrchestratorId,
    turns: mpsc::Receiver<TurnTask>,
}

impl Orchestrator {
    pub(crate) fn connect(host: &Arc<Host>, mut options: OrchestratorOptions) -> Self {
        options.capacity = options.capacity.clamp(1, CAPACITY_LIMIT);
        // As many as it can have at the same time: sending never waits.
        let (sender, turns) = mpsc::channel(options.capacity);
        let id = host.remote.lock().connect(options, sender);
        super::wake_waiting(host);
        host.remote.arrived.notify_one();
        Self { host: Arc::clone(host), id, turns }
    }

    /// The next turn. None: the host is stopping.
    pub async fn next(&mut self) -> Option<TurnTask> {
        let turn = tokio::select! {
            turn = self.turns.recv() => turn,
            () = self.host.stopping.begun() => None,
        };
        // There is room for another one now, if this was one whose time had run out.
        if self.host.remote.lock().has_waiting() {
            super::wake_waiting(&self.host);
        }
        turn
    }
}

impl Drop for Orchestrator {
    fn drop(&mut self) {
        self.host.remote.lock().disconnect(self.id);
    }
}

impl fmt::Debug for Orchestrator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Orchestrator").field("id", &self.id).finish_non_exhaustive()
    }
}

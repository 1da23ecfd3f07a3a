//! The state of an execution and the side that its driver sees. The guest's side is in `commands`, what events do in
//! `events`.

use std::collections::{BTreeMap, VecDeque};

use everturn_history::workflow_action::ActionType;
use everturn_history::{
    CompleteWorkflowAction, HistoryEvent, OrchestrationStatus, SequenceId, Timestamp, WorkflowAction,
    WorkflowResetEvent, text,
};

use crate::ledger::{Ledger, Standing};
use crate::mailbox::Mailbox;
use crate::patches::Patches;
use crate::random::{RandomStream, TaskExecutionIds};
use crate::task::OpenTask;
use crate::updates::Updates;
use crate::{ContinueOptions, Failure, ReplayError, Resolution, Start, Task, Turn, UpdateAnswer};

/// One generation of one instance, played or replayed.
#[derive(Debug)]
pub struct Execution {
    pub(crate) queue: VecDeque<Queued>,
    pub(crate) pushed: u64,
    /// The event being handled, or handled last.
    pub(crate) current: Position,
    pub(crate) now: Timestamp,
    pub(crate) start: Option<Start>,
    pub(crate) ending: Option<Ending>,
    /// Whether history has the ending: then no turn asks for it again.
    pub(crate) ending_recorded: bool,
    /// What a suspended guest does not get to see yet. None: it is not suspended.
    pub(crate) held: Option<Held>,
    pub(crate) ledger: Ledger,
    pub(crate) open: BTreeMap<Task, OpenTask>,
    pub(crate) resolved: BTreeMap<Task, Resolution>,
    pub(crate) mailbox: Mailbox,
    pub(crate) updates: Updates,
    /// Answers to what history does not have yet, by its sequence id.
    pub(crate) early: BTreeMap<SequenceId, Queued>,
    /// Early answers whose question is in history by now: the next turn sees them first.
    pub(crate) due: Vec<Queued>,
    pub(crate) patches: Patches,
    pub(crate) random: RandomStream,
    pub(crate) continuation: Option<Continuation>,
    pub(crate) custom_status: Option<String>,
    pub(crate) custom_status_changed: bool,
    /// Recorded tasks that were given up in the current turn.
    pub(crate) cancelled: Vec<SequenceId>,
    pub(crate) tasks_made: u64,
    pub(crate) task_execution_ids: TaskExecutionIds,
    pub(crate) instances_started: u64,
    /// The last time that the end of its history was taken back.
    pub(crate) reset: Option<WorkflowResetEvent>,
    failed: Option<ReplayError>,
}

/// Where an event comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// It is on disk: the guest has seen it before.
    #[default]
    History,
    /// It is part of a turn that is not on disk yet.
    New,
}

/// What the driver has to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Start the guest with [`Execution::start`] and run it until it waits.
    Start,
    /// This task has its answer: run the guest until it waits again.
    Resolved(Task),
    /// Nothing: every event is handled, and the guest waits.
    Idle,
    /// Drop the guest: the execution is over.
    Finished,
}

/// Where in the history an event is, and whether it is in it already.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Position {
    /// Counted from 1.
    pub(crate) number: u64,
    pub(crate) source: Source,
}

#[derive(Debug)]
pub(crate) struct Queued {
    pub(crate) position: Position,
    pub(crate) event: HistoryEvent,
}

/// A suspension.
#[derive(Debug)]
pub(crate) struct Held {
    /// The event that began it.
    pub(crate) suspended: HistoryEvent,
    /// What has arrived since.
    pub(crate) events: Vec<Queued>,
}

/// How an execution ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Completed, failed, continued as new or terminated.
    pub status: OrchestrationStatus,
    /// The result; the next input of one that continues as new; the output that was left for a terminated one.
    pub result: Option<String>,
    /// Why it failed.
    pub failure: Option<Failure>,
}

/// How the guest wants to go on after its end.
#[derive(Debug)]
pub(crate) struct Continuation {
    pub(crate) input: String,
    pub(crate) options: ContinueOptions,
}

impl Default for Execution {
    fn default() -> Self {
        Self::new()
    }
}

impl Execution {
    /// An execution that has not started: all it will know comes from events.
    pub fn new() -> Self {
        Self {
            queue: VecDeque::new(),
            pushed: 0,
            current: Position::default(),
            now: Timestamp::default(),
            start: None,
            ending: None,
            ending_recorded: false,
            held: None,
            ledger: Ledger::default(),
            open: BTreeMap::new(),
            resolved: BTreeMap::new(),
            mailbox: Mailbox::default(),
            updates: Updates::default(),
            early: BTreeMap::new(),
            due: Vec::new(),
            patches: Patches::default(),
            random: RandomStream::unseeded(),
            continuation: None,
            custom_status: None,
            custom_status_changed: false,
            cancelled: Vec::new(),
            tasks_made: 0,
            task_execution_ids: TaskExecutionIds::default(),
            instances_started: 0,
            reset: None,
            failed: None,
        }
    }

    /// Queues the next event.
    pub fn push(&mut self, event: HistoryEvent, source: Source) {
        self.pushed += 1;
        self.queue.push_back(Queued { position: Position { number: self.pushed, source }, event });
    }

    /// Handles queued events up to the next one that the guest has to see. An execution that failed to do so fails
    /// the same way for ever: it is to be dropped, and made anew from history.
    pub fn next_step(&mut self) -> Result<Step, ReplayError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        while let Some(queued) = self.queue.pop_front() {
            match self.handle(queued) {
                Ok(None) => {}
                Ok(Some(step)) => return Ok(step),
                Err(error) => {
                    self.failed = Some(error.clone());
                    return Err(error);
                }
            }
        }
        Ok(if self.is_finished() { Step::Finished } else { Step::Idle })
    }

    /// Closes the turn: what it asks for. To be called when there is nothing left to handle.
    pub fn end_turn(&mut self) -> Turn {
        let mut actions = self.ledger.actions();
        // Left to itself, it would make room for four, which is 1.4 KB for each turn that waits to be written.
        actions.reserve_exact(1);
        actions.extend(self.completion());
        let mut cancelled = std::mem::take(&mut self.cancelled);
        cancelled.extend(self.ledger.cancelled_before_recorded());
        cancelled.sort_unstable();
        let custom_status = std::mem::take(&mut self.custom_status_changed).then(|| self.custom_status.clone());
        Turn {
            actions,
            cancelled,
            custom_status: custom_status.flatten(),
            patches: self.patches.taken_now(),
            wants_turn: self.early.keys().any(|id| self.ledger.is_pending(*id)),
            update: self.updates.verdict(),
            completed_updates: self.updates.unrecorded(),
            abandoned_updates: if self.is_finished() { self.updates.unanswered() } else { Vec::new() },
        }
    }

    fn completion(&self) -> Option<WorkflowAction> {
        let ending = self.ending.as_ref().filter(|_| !self.ending_recorded)?;
        let continues = ending.status == OrchestrationStatus::ContinuedAsNew;
        let options = self.continuation.as_ref().filter(|_| continues).map(|continuation| &continuation.options);
        let keeps_events = options.is_some_and(|options| options.keep_unread_events);
        let mut carryover_events = if keeps_events { self.mailbox.unread_in_order() } else { Vec::new() };
        // Who was suspended while restarting is suspended when it starts.
        carryover_events.extend(self.held.as_ref().filter(|_| continues).map(|held| held.suspended.clone()));
        let completion = CompleteWorkflowAction {
            workflow_status: ending.status.into(),
            result: ending.result.clone().map(text),
            new_version: options.and_then(|options| options.version.clone()).map(text),
            carryover_events,
            failure_details: ending.failure.clone().map(Into::into),
            ..CompleteWorkflowAction::default()
        };
        Some(WorkflowAction {
            id: self.ledger.next_id().get(),
            action_type: Some(ActionType::CompleteWorkflow(completion)),
            router: None,
        })
    }

    /// What it was started with. None before its start was handled.
    pub fn start(&self) -> Option<&Start> {
        self.start.as_ref()
    }

    /// Whether it is over: completed, failed, continued as new or terminated.
    pub fn is_finished(&self) -> bool {
        self.ending.is_some()
    }

    /// Whether it is suspended.
    pub fn is_suspended(&self) -> bool {
        self.held.is_some()
    }

    /// How it ended. None while it goes on.
    pub fn ending(&self) -> Option<&Ending> {
        self.ending.as_ref()
    }

    /// The status text that the guest set last.
    pub fn custom_status(&self) -> Option<&str> {
        self.custom_status.as_deref()
    }

    /// An update that was accepted, with its answer if it has one. None: there is no such update.
    pub fn known_update(&self, id: &str) -> Option<Option<&UpdateAnswer>> {
        self.updates.known(id)
    }

    /// Whether the guest would get to see an update of this name in a turn that brings nothing else.
    pub fn takes_update(&self, name: &str) -> bool {
        !self.is_finished() && !self.is_suspended() && self.updates.takes(name)
    }

    /// Whether the guest waits for what it asked for under this number, and history has that.
    pub fn awaits(&self, id: SequenceId) -> bool {
        matches!(self.ledger.standing(id), Standing::Awaited(_))
    }

    /// How many tasks the guest waits for.
    pub fn open_tasks(&self) -> usize {
        self.open.len()
    }
}

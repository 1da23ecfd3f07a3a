//! One instance: its history, its live guest, and what it waits for. It knows nothing of others.

use everturn_guest::{LiveGuest, RunError};
use everturn_history::history_event::EventType;
use everturn_history::workflow_action::ActionType;
use everturn_history::{
    CompleteWorkflowAction, ExecutionStartedEvent, HistoryEvent, InstanceId, ParentClosePolicy, SequenceId, event,
};
use everturn_replay::{Source, Turn, recorded_events};

use super::agenda::Delivery;
use super::pending::PendingCalls;
use crate::Status;
use crate::complaint::Complaint;
use crate::component::TestComponent;
use crate::replay;
use crate::time::Time;

/// How long a history may be to be replayed after every turn. Longer ones are when they have grown by a tenth: replaying
/// each turn costs the square of their length.
const REPLAYED_EVERY_TURN: usize = 200;

/// Who called an instance as a child.
#[derive(Clone, Debug)]
pub(crate) struct Parent {
    pub(crate) id: InstanceId,
    pub(crate) execution_id: String,
    pub(crate) task: SequenceId,
    pub(crate) close: ParentClosePolicy,
}

/// One instance.
pub(crate) struct Instance {
    pub(crate) id: InstanceId,
    pub(crate) workflow: String,
    pub(crate) execution_id: String,
    pub(crate) parent: Option<Parent>,
    pub(crate) status: Status,
    pub(crate) custom_status: Option<String>,
    pub(crate) completion: Option<CompleteWorkflowAction>,
    pub(crate) history: Vec<HistoryEvent>,
    /// Those of the generations before this one.
    pub(crate) earlier: Vec<Vec<HistoryEvent>>,
    pub(crate) pending: PendingCalls,
    /// None: it is made again from history when it is needed.
    guest: Option<LiveGuest>,
    replayed: usize,
}

impl Instance {
    pub(crate) fn new(id: InstanceId, workflow: String, execution_id: String, parent: Option<Parent>) -> Self {
        Self {
            id,
            workflow,
            execution_id,
            parent,
            status: Status::Pending,
            custom_status: None,
            completion: None,
            history: Vec::new(),
            earlier: Vec::new(),
            pending: PendingCalls::default(),
            guest: None,
            replayed: 0,
        }
    }

    /// Whether a message is for this run of it, and still wanted.
    pub(crate) fn wants(&self, delivery: &Delivery) -> bool {
        let same_run = delivery.execution_id.as_ref().is_none_or(|execution_id| *execution_id == self.execution_id);
        same_run && !self.status.is_ended() && delivery.task.is_none_or(|task| self.pending.contains(task))
    }

    /// Plays a turn. Nothing is kept of it before it is [committed](Self::commit).
    pub(crate) fn play(
        &mut self,
        component: &TestComponent,
        messages: &[HistoryEvent],
        at: Time,
    ) -> Result<Turn, Complaint> {
        let mut guest = match self.guest.take() {
            Some(guest) => guest,
            None => self.rebuild(LiveGuest::new(component.loaded())),
        };
        guest.push(event::turn_started(at.timestamp(), Vec::new()), Source::New);
        messages.iter().for_each(|message| guest.push(message.clone(), Source::New));
        guest.run().map_err(|error| self.stopped(error))?;
        let turn = guest.end_turn();
        self.guest = Some(guest);
        Ok(turn)
    }

    fn rebuild(&self, mut guest: LiveGuest) -> LiveGuest {
        self.history.iter().for_each(|event| guest.push(event.clone(), Source::History));
        guest
    }

    /// Drops the guest: it has seen what history will not have, or its host is gone.
    pub(crate) fn forget_guest(&mut self) {
        self.guest = None;
    }

    /// Writes a turn into history.
    pub(crate) fn commit(
        &mut self,
        component: &TestComponent,
        messages: Vec<HistoryEvent>,
        turn: &Turn,
        at: Time,
        replays: bool,
    ) -> Result<(), Complaint> {
        self.pending.record(&messages, turn);
        let recorded = recorded_events(turn, at.timestamp());
        self.history.push(event::turn_started(at.timestamp(), turn.patches.clone()));
        self.history.extend(messages);
        self.history.extend(recorded.iter().cloned());
        let Some(mut guest) = self.guest.take() else { return Ok(()) };
        recorded.into_iter().for_each(|event| guest.push(event, Source::History));
        guest.run().map_err(|error| self.stopped(error))?;
        if replays {
            self.replay(component, &guest)?;
        }
        self.take_note(turn, &guest);
        if !self.status.is_ended() {
            self.guest = Some(guest);
        }
        Ok(())
    }

    fn take_note(&mut self, turn: &Turn, guest: &LiveGuest) {
        if let Some(status) = &turn.custom_status {
            self.custom_status = Some(status.clone());
        }
        self.completion = completion(turn).cloned();
        self.status = match &self.completion {
            Some(completion) => Status::of_ending(completion.workflow_status()),
            None if guest.execution().is_suspended() => Status::Suspended,
            None => Status::Running,
        };
    }

    fn replay(&mut self, component: &TestComponent, guest: &LiveGuest) -> Result<(), Complaint> {
        let length = self.history.len();
        let is_due = length <= REPLAYED_EVERY_TURN || length >= self.replayed + self.replayed / 10;
        if !is_due && !guest.execution().is_finished() {
            return Ok(());
        }
        self.replayed = length;
        replay::compare(component, guest, &self.history)
            .map_err(|difference| Complaint::NotDeterministic { workflow: self.workflow.clone(), difference })
    }

    /// Asks a guest of its own, made from history: a query may leave traces that no history has.
    pub(crate) fn query(
        &self,
        component: &TestComponent,
        name: &str,
        input: String,
    ) -> Result<Result<String, everturn_guest::QueryError>, Complaint> {
        let mut guest = self.rebuild(LiveGuest::to_be_asked(component.loaded()));
        guest.run().map_err(|error| self.stopped(error))?;
        guest.query(name.to_owned(), input).map_err(|error| Complaint::NoAnswer {
            name: name.to_owned(),
            workflow: self.workflow.clone(),
            problem: error.to_string(),
        })
    }

    /// Begins the next generation. What the one before waited for is gone with it.
    pub(crate) fn restart(&mut self, execution_id: String) {
        self.earlier.push(std::mem::take(&mut self.history));
        self.execution_id = execution_id;
        self.pending = PendingCalls::default();
        self.completion = None;
        self.status = Status::Pending;
        self.guest = None;
        self.replayed = 0;
    }

    /// What this generation was started with.
    pub(crate) fn start(&self) -> Option<&ExecutionStartedEvent> {
        self.history.iter().find_map(|event| match &event.event_type {
            Some(EventType::ExecutionStarted(start)) => Some(&**start),
            _ => None,
        })
    }

    fn stopped(&self, source: RunError) -> Complaint {
        Complaint::Stopped { workflow: self.workflow.clone(), instance: self.id.to_string(), source }
    }
}

/// How a turn says that it ends its generation.
fn completion(turn: &Turn) -> Option<&CompleteWorkflowAction> {
    turn.actions.iter().find_map(|action| match &action.action_type {
        Some(ActionType::CompleteWorkflow(completion)) => Some(completion),
        _ => None,
    })
}

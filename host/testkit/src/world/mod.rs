//! The world around a run: instances, messages between them, and a clock that somebody else moves. It does what a durable
//! host does, in memory and in one thread.
//!
//! - `instance`: one instance and its turns; `pending`: what it waits for
//! - `agenda`: what happens later
//! - `asks`: what comes of what a turn asks for; `end`: of the end of an instance
//! - `calls`: who does activities and mocked children, and the list of what was called

mod agenda;
mod asks;
mod calls;
mod end;
mod instance;
mod pending;

use std::collections::{BTreeMap, VecDeque};

use everturn_history::history_event::EventType;
use everturn_history::{ExecutionStartedEvent, HistoryEvent, InstanceId, WorkflowInstance, event, text};
use everturn_replay::Turn;

pub(crate) use agenda::{Agenda, Delivery, Entry};
pub use calls::{Call, CallKind};
pub(crate) use instance::{Instance, Parent};
pub(crate) use pending::Pending;
pub use pending::{PendingTimer, TimerPurpose};

use crate::complaint::Complaint;
use crate::host::Settings;
use crate::time::Time;

/// How many turns there may be without any time passing.
const TURNS_AT_ONE_MOMENT: usize = 20_000;

/// The world around a run.
pub(crate) struct World {
    pub(crate) settings: Settings,
    pub(crate) now: Time,
    pub(crate) instances: BTreeMap<InstanceId, Instance>,
    pub(crate) agenda: Agenda,
    pub(crate) calls: Vec<Call>,
    /// The answers to updates, by their ids. None: there will be none.
    pub(crate) updates: BTreeMap<String, Option<Result<String, crate::Failure>>>,
    queue: VecDeque<Delivery>,
    executions: u64,
}

/// A new instance.
pub(crate) struct NewInstance {
    pub(crate) id: InstanceId,
    pub(crate) start: ExecutionStartedEvent,
    pub(crate) parent: Option<Parent>,
    /// None: at once.
    pub(crate) starts_at: Option<Time>,
}

impl World {
    pub(crate) fn new(settings: Settings) -> Self {
        Self {
            now: settings.start_time,
            settings,
            instances: BTreeMap::new(),
            agenda: Agenda::default(),
            calls: Vec::new(),
            updates: BTreeMap::new(),
            queue: VecDeque::new(),
            executions: 0,
        }
    }

    /// Makes an instance; its first turn comes when it is its turn.
    pub(crate) fn create(&mut self, new: NewInstance) {
        let execution_id = self.next_execution_id();
        let instance = WorkflowInstance {
            instance_id: new.id.to_string(),
            // Numbered, not drawn: two runs of one test have the same random numbers.
            execution_id: Some(text(&execution_id)),
        };
        let start = ExecutionStartedEvent { workflow_instance: Some(instance), ..new.start };
        let workflow = start.name.clone();
        let started = self.event(EventType::ExecutionStarted(start.into()));
        let delivery = Delivery {
            to: new.id.clone(),
            execution_id: Some(execution_id.clone()),
            task: None,
            events: vec![started],
        };
        self.instances.insert(new.id.clone(), Instance::new(new.id, workflow, execution_id, new.parent));
        match new.starts_at.filter(|at| *at > self.now) {
            Some(at) => self.agenda.write(at, Entry::Deliver(delivery)),
            None => self.send(delivery),
        }
    }

    pub(crate) fn next_execution_id(&mut self) -> String {
        self.executions += 1;
        format!("run-{}", self.executions)
    }

    /// An event of now.
    pub(crate) fn event(&self, kind: EventType) -> HistoryEvent {
        event::event(self.now.timestamp(), kind)
    }

    /// Puts a message behind all that are on their way.
    pub(crate) fn send(&mut self, delivery: Delivery) {
        self.queue.push_back(delivery);
    }

    /// Puts a message to whichever run of an instance there is behind all that are on their way.
    pub(crate) fn tell(&mut self, to: &InstanceId, kind: EventType) {
        let events = vec![self.event(kind)];
        self.send(Delivery { to: to.clone(), execution_id: None, task: None, events });
    }

    /// Lets everything happen that can happen without time passing.
    pub(crate) fn settle(&mut self) -> Result<(), Complaint> {
        let mut turns = 0;
        while let Some(delivery) = self.queue.pop_front() {
            if turns == TURNS_AT_ONE_MOMENT {
                return Err(Complaint::Restless { limit: TURNS_AT_ONE_MOMENT, now: self.now });
            }
            turns += 1;
            self.deliver(delivery)?;
        }
        let instances = &self.instances;
        self.agenda.retain(|delivery| instances.get(&delivery.to).is_some_and(|instance| instance.wants(delivery)));
        Ok(())
    }

    fn deliver(&mut self, delivery: Delivery) -> Result<(), Complaint> {
        let Some(instance) = self.instances.get_mut(&delivery.to).filter(|instance| instance.wants(&delivery)) else {
            return Ok(());
        };
        let turn = instance.play(&self.settings.component, &delivery.events, self.now)?;
        self.commit(&delivery.to, delivery.events, &turn)
    }

    /// Writes a turn into history, and does what it asks for.
    pub(crate) fn commit(
        &mut self,
        id: &InstanceId,
        messages: Vec<HistoryEvent>,
        turn: &Turn,
    ) -> Result<(), Complaint> {
        let Some(instance) = self.instances.get_mut(id) else { return Ok(()) };
        let ends_all = messages
            .iter()
            .any(|message| matches!(&message.event_type, Some(EventType::ExecutionTerminated(ended)) if ended.recurse));
        instance.commit(&self.settings.component, messages, turn, self.now, self.settings.replays)?;
        for completed in &turn.completed_updates {
            self.updates.insert(completed.id.clone(), Some(completed.outcome.clone().map_err(Into::into)));
        }
        for abandoned in &turn.abandoned_updates {
            self.updates.insert(abandoned.clone(), None);
        }
        self.ask(id, turn)?;
        self.end(id, ends_all);
        if turn.wants_turn
            && let Some(instance) = self.instances.get(id)
        {
            let execution_id = Some(instance.execution_id.clone());
            self.queue.push_front(Delivery { to: id.clone(), execution_id, task: None, events: Vec::new() });
        }
        Ok(())
    }
}

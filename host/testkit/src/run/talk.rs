//! What one says to a run without waiting for an answer.

use everturn_history::history_event::EventType;
use everturn_history::{
    EventRaisedEvent, ExecutionResumedEvent, ExecutionSuspendedEvent, ExecutionTerminatedEvent, InstanceId, text,
};
use serde::Serialize;

use super::Run;
use crate::complaint::{Complaint, or_fail};
use crate::payload;

/// What to try when there is no signal of a name.
const NO_SIGNAL: &str = "; what a workflow takes with `wait_for_event` is sent with `run.raise_event`";

impl Run {
    /// Sends a signal, for a handler of the workflow.
    ///
    /// # Panics
    /// When the workflow handles signals, and none of that name. (A workflow that registers its handlers while it runs, or
    /// has none, says nothing of them.)
    #[track_caller]
    pub fn signal(&mut self, name: &str, payload: &(impl Serialize + ?Sized)) {
        or_fail(self.try_signal(&self.id.clone(), name, payload));
    }

    /// Sends a signal to another instance of this world: a child, or one that was started apart.
    ///
    /// # Panics
    /// As [`signal`](Self::signal), and when there is no such instance.
    #[track_caller]
    pub fn signal_to(&mut self, instance: &str, name: &str, payload: &(impl Serialize + ?Sized)) {
        or_fail(self.settled().map(drop).and_then(|()| self.try_signal(&instance.into(), name, payload)));
    }

    fn try_signal(
        &mut self,
        id: &InstanceId,
        name: &str,
        payload: &(impl Serialize + ?Sized),
    ) -> Result<(), Complaint> {
        let workflow = self.instance_of(id)?.workflow.clone();
        let described = self.world.settings.component.workflow(&workflow);
        let known = described.map_or(&[][..], |workflow| &workflow.signals);
        if !known.is_empty() && !is_among(known, name) {
            let (name, known) = (name.to_owned(), known.to_vec());
            return Err(Complaint::UnknownHandler { what: "signal", name, workflow, known, hint: NO_SIGNAL });
        }
        self.raise(id, "signal", name, payload)
    }

    /// Raises an event, for a `wait_for_event` of the workflow. One that nobody waits for yet is kept.
    ///
    /// # Panics
    /// When the payload cannot be written as JSON.
    #[track_caller]
    pub fn raise_event(&mut self, name: &str, payload: &(impl Serialize + ?Sized)) {
        or_fail(self.raise(&self.id.clone(), "event", name, payload));
    }

    /// Raises an event to another instance of this world.
    ///
    /// # Panics
    /// As [`raise_event`](Self::raise_event), and when there is no such instance.
    #[track_caller]
    pub fn raise_event_to(&mut self, instance: &str, name: &str, payload: &(impl Serialize + ?Sized)) {
        or_fail(self.settled().map(drop).and_then(|()| self.raise(&instance.into(), "event", name, payload)));
    }

    fn raise(
        &mut self,
        id: &InstanceId,
        what: &str,
        name: &str,
        payload: &(impl Serialize + ?Sized),
    ) -> Result<(), Complaint> {
        let input = payload::write(&format!("the payload of {what} `{name}`"), payload)?;
        let raised = EventRaisedEvent { name: name.to_owned(), input: Some(text(input)) };
        self.tell(id, &format!("{what} `{name}`"), EventType::EventRaised(raised))
    }

    /// Suspends the workflow: it sees nothing of what happens until it is resumed. Time goes on.
    #[track_caller]
    pub fn suspend(&mut self) {
        let suspended = EventType::ExecutionSuspended(ExecutionSuspendedEvent { input: None });
        or_fail(self.tell(&self.id.clone(), "a suspension", suspended));
    }

    /// Lets a suspended workflow go on, with all that has arrived meanwhile.
    #[track_caller]
    pub fn resume(&mut self) {
        let resumed = EventType::ExecutionResumed(ExecutionResumedEvent { input: None });
        or_fail(self.tell(&self.id.clone(), "a resumption", resumed));
    }

    /// Ends the workflow, and those of its children that end with it. It does not get to say anything.
    #[track_caller]
    pub fn terminate(&mut self, reason: &str) {
        let why = payload::write("the reason", reason);
        or_fail(why.and_then(|why| {
            let terminated = ExecutionTerminatedEvent { input: Some(text(why)), recurse: false };
            self.tell(&self.id.clone(), "a termination", EventType::ExecutionTerminated(terminated))
        }));
    }

    /// What reaches an instance that has ended is lost on a host; in a test it is a mistake, unless it was on its way before.
    fn tell(&mut self, id: &InstanceId, what: &str, event: EventType) -> Result<(), Complaint> {
        let instance = self.instance_of(id)?;
        if instance.status.is_ended() {
            let (instance, status) = (id.to_string(), instance.status);
            return Err(Complaint::Ended { instance, status, what: what.to_owned() });
        }
        self.world.tell(id, event);
        Ok(())
    }
}

/// Upper and lower case are the same in names of handlers.
pub(super) fn is_among(known: &[String], name: &str) -> bool {
    known.iter().any(|known| known.to_lowercase() == name.to_lowercase())
}

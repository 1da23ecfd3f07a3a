//! One run of a workflow, from its start to its end, and the clock that goes with it.
//!
//! - here: starting it and letting time pass
//! - `talk`: what one says to it: events, signals, suspending and ending it; `ask`: queries and updates, which answer
//! - `look`: how it stands, and its history; `asserts`: what must be so
//! - `waits`: what it waits for, in words

mod ask;
mod asserts;
mod look;
mod talk;
mod waits;

use std::fmt;
use std::time::{Duration, SystemTime};

use everturn_history::{ExecutionStartedEvent, InstanceId, text};
use everturn_replay::Failure as ReplayFailure;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use ask::UpdateError;
pub use look::InstanceSummary;

use crate::Status;
use crate::complaint::{Complaint, or_fail};
use crate::failure::Failure;
use crate::host::Settings;
use crate::payload;
use crate::time::Time;
use crate::world::{Entry, Instance, NewInstance, World};

/// How often the clock may jump to bring something about: far more often than any test wants, and few enough to wait for.
const JUMPS: usize = 10_000;

/// A run of a workflow in a world of its own.
///
/// Time stands still, unless [`skip`](Self::skip), [`skip_to`](Self::skip_to), [`result`](Self::result) or
/// [`update`](Self::update) lets it pass. Whoever looks at a run sees it at rest: all that can happen without time passing
/// has happened by then. What is sent to it arrives one by one, in the order in which it was sent, behind what is already
/// on its way; to let the run come to rest in between, call [`until_blocked`](Self::until_blocked).
///
/// A run that cannot go on fails the test: when the workflow panics, calls what nobody does, or is not deterministic.
pub struct Run {
    world: World,
    id: InstanceId,
    updates: u64,
}

impl Run {
    #[track_caller]
    pub(crate) fn start(settings: Settings, workflow: &str, input: &(impl Serialize + ?Sized)) -> Self {
        or_fail(Self::try_start(settings, workflow, input))
    }

    fn try_start(settings: Settings, workflow: &str, input: &(impl Serialize + ?Sized)) -> Result<Self, Complaint> {
        if settings.component.workflow(workflow).is_none() {
            let known = settings.component.workflow_names();
            return Err(Complaint::UnknownWorkflow { name: workflow.to_owned(), known });
        }
        let input = payload::write(&format!("the input of workflow `{workflow}`"), input)?;
        let id = InstanceId::from(settings.instance_id.as_deref().unwrap_or(workflow));
        let start = ExecutionStartedEvent {
            name: workflow.to_owned(),
            input: Some(text(input)),
            ..ExecutionStartedEvent::default()
        };
        let mut world = World::new(settings);
        world.create(NewInstance { id: id.clone(), start, parent: None, starts_at: None });
        Ok(Self { world, id, updates: 0 })
    }

    fn instance(&self) -> Result<&Instance, Complaint> {
        self.instance_of(&self.id)
    }

    fn instance_of(&self, id: &InstanceId) -> Result<&Instance, Complaint> {
        self.world.instances.get(id).ok_or_else(|| Complaint::UnknownInstance {
            id: id.to_string(),
            known: self.world.instances.keys().map(ToString::to_string).collect(),
        })
    }

    fn settled(&mut self) -> Result<&Instance, Complaint> {
        self.world.settle()?;
        self.instance()
    }

    /// Lets everything happen that can happen without time passing: until all that is left waits for time, or for somebody.
    #[track_caller]
    pub fn until_blocked(&mut self) {
        or_fail(self.world.settle());
    }

    /// Lets the host crash and start again: what it had in memory is gone, and every instance is made again from its history
    /// as soon as it goes on. What had been sent is not lost, and activities that are under way still answer.
    pub fn restart_host(&mut self) {
        self.world.instances.values_mut().for_each(Instance::forget_guest);
    }

    /// Lets this much time pass. What is due meanwhile happens in its order, each thing at its time.
    #[track_caller]
    pub fn skip(&mut self, time: Duration) {
        // Beyond the end of time nothing is due.
        let until = self.world.now.after(time).unwrap_or(everturn_replay::LATEST.into());
        or_fail(self.pass_until(until));
    }

    /// Lets time pass until a moment.
    ///
    /// # Panics
    /// When it lies in the past.
    #[track_caller]
    pub fn skip_to(&mut self, time: SystemTime) {
        let (now, asked) = (self.world.now, Time::from(time));
        or_fail(if asked < now { Err(Complaint::Past { now, asked }) } else { self.pass_until(asked) });
    }

    /// Does something at a time to come, this long from now: `run.at(day, |run| run.signal("approve", &"Grace"))`. It
    /// happens when time passes, whoever lets it, before timers of the same moment that are set later.
    pub fn at(&mut self, after: Duration, plan: impl FnOnce(&mut Self) + 'static) {
        if let Some(at) = self.world.now.after(after) {
            self.world.agenda.write(at, Entry::Do(Box::new(plan)));
        }
    }

    /// Lets time pass until the workflow ends, from one timer to the next, and gives its result, or why it failed. One that
    /// was terminated fails with `Terminated`.
    ///
    /// # Panics
    /// When it never ends: the message lists what it waits for. When its result cannot be read as a `T`.
    #[track_caller]
    pub fn result<T: DeserializeOwned>(&mut self) -> Result<T, Failure> {
        or_fail(self.pass_until_ended().and_then(|()| self.outcome()))
    }

    fn outcome<T: DeserializeOwned>(&self) -> Result<Result<T, Failure>, Complaint> {
        let instance = self.instance()?;
        let completion = instance.completion.clone().unwrap_or_default();
        let output = completion.result.map_or_else(|| "null".to_owned(), |result| result.value);
        Ok(match (instance.status, completion.failure_details) {
            (_, Some(failure)) => Err(ReplayFailure::from(failure).into()),
            (Status::Completed, None) => {
                Ok(payload::read(&format!("the result of workflow `{}`", instance.workflow), &output)?)
            }
            (_, None) => Err(Failure::new("Terminated", output).not_retriable()),
        })
    }

    fn pass_until_ended(&mut self) -> Result<(), Complaint> {
        let what = format!("the end of workflow `{}`", self.instance()?.workflow);
        self.pass_until_there(&what, |run| Ok(run.instance()?.status.is_ended()))
    }

    /// Lets time jump from one thing that is due to the next, until something is there.
    fn pass_until_there(
        &mut self,
        what: &str,
        is_there: impl Fn(&Self) -> Result<bool, Complaint>,
    ) -> Result<(), Complaint> {
        for _ in 0..JUMPS {
            self.world.settle()?;
            if is_there(self)? {
                return Ok(());
            }
            let now = self.world.now;
            let Some(next) = self.world.agenda.next() else {
                return Err(Complaint::WaitsForEver { what: what.to_owned(), now, waits: self.waits() });
            };
            self.world.now = next.max(now);
            self.do_what_is_due();
        }
        Err(Complaint::TooLong { what: what.to_owned(), limit: JUMPS, now: self.world.now })
    }

    fn pass_until(&mut self, until: Time) -> Result<(), Complaint> {
        self.world.settle()?;
        while let Some(next) = self.world.agenda.next().filter(|next| *next <= until) {
            self.world.now = next.max(self.world.now);
            self.do_what_is_due();
            self.world.settle()?;
        }
        self.world.now = until.max(self.world.now);
        Ok(())
    }

    fn do_what_is_due(&mut self) {
        // One by one: what a test does at this moment may change what else is due.
        match self.world.agenda.take(self.world.now) {
            Some(Entry::Deliver(delivery)) => self.world.send(delivery),
            Some(Entry::Do(plan)) => plan(self),
            None => {}
        }
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let now = self.world.now.to_string();
        formatter.debug_struct("Run").field("instance", &self.id).field("now", &now).finish_non_exhaustive()
    }
}

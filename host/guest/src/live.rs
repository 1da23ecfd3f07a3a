//! One instance with its guest: pushes events through the execution and runs the guest after each until it blocks. It
//! stores nothing and starts nothing by itself; dropping it loses nothing that a replay cannot rebuild.

use std::fmt;
use std::ops::Deref;
use std::sync::MutexGuard;
use std::time::Instant;

use everturn_history::HistoryEvent;
use everturn_replay::{Execution, ReplayError, Source, Step, Turn};

use crate::component::Component;
use crate::fault::GuestFault;
use crate::link::{Link, Linked};
use crate::query::QueryError;
use crate::run::{self, Poller, RunningGuest};
use crate::state::{Role, State};

/// One instance: its execution and, while it runs, its guest. A cache of its history, never the truth.
///
/// After an error it is of no more use: drop it, and make another from history.
pub struct LiveGuest {
    component: Component,
    link: Link,
    poller: Poller,
    guest: Option<RunningGuest>,
    /// The guest of a workflow that has ended, if it lingers.
    _ended: Option<RunningGuest>,
    /// Whether that one goes with all of this, and not at once.
    lingers: bool,
    /// Whether the guest stays when its workflow has ended, to be asked.
    stays: bool,
    failed: Option<RunError>,
}

/// Why an instance could not go on.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RunError {
    /// The code does not do what history says it did, or history makes no sense.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The guest was stopped.
    #[error(transparent)]
    Guest(#[from] GuestFault),
    /// The component does not have the workflow, so no guest was made. Another component may have it.
    #[error(
        "the component has no workflow `{workflow}`, only {}; run it on a component that has it, or start a workflow that it has",
        listed(.known)
    )]
    UnknownWorkflow {
        /// The workflow that the instance was started with.
        workflow: String,
        /// The workflows in the component.
        known: Vec<String>,
    },
}

/// How many names a message lists.
const NAMES_LISTED: usize = 20;

fn listed(names: &[String]) -> String {
    if names.is_empty() {
        return "activities".to_owned();
    }
    let listed: Vec<_> = names.iter().take(NAMES_LISTED).map(|name| format!("`{name}`")).collect();
    let listed = listed.join(", ");
    match names.len().saturating_sub(NAMES_LISTED) {
        0 => listed,
        more => format!("{listed} and {more} more"),
    }
}

impl LiveGuest {
    /// An instance that has not heard of any event yet.
    pub fn new(component: &Component) -> Self {
        let (link, poller) = (Link::new(), Poller::new());
        Self {
            component: component.clone(),
            link,
            poller,
            guest: None,
            _ended: None,
            lingers: false,
            stays: false,
            failed: None,
        }
    }

    /// The same, to be asked: its guest stays when the workflow has ended. It must take no turns: a query may leave traces
    /// in the guest that no history has, such as the order of a map.
    pub fn to_be_asked(component: &Component) -> Self {
        let mut guest = Self::new(component);
        guest.stays = true;
        guest
    }

    /// Lets its guest go with this, and not when its workflow has ended: giving back its place takes longer than many turns, and
    /// others may be waiting for theirs. Otherwise that is better done at once, since the next guest finds the place warm.
    pub fn linger(&mut self) {
        self.lingers = true;
    }

    /// Asks the guest of an instance that waits or has ended. Nothing is recorded; a query that tries to change something
    /// stops the guest, which is of no more use then.
    pub fn query(&mut self, name: String, input: String) -> Result<Result<String, QueryError>, RunError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        if self.guest.is_none() {
            return Ok(Err(QueryError::Other("the workflow has not begun".to_owned())));
        }
        {
            let mut linked = self.link.lock();
            linked.stretch.begin(self.component.engine().limits());
            linked.questions.ask(name, input);
        }
        let asked = self.poll().map_err(RunError::from);
        asked.inspect_err(|error| {
            self.close();
            self.failed = Some(error.clone());
        })?;
        let answer = self.link.lock().questions.answer();
        Ok(answer.unwrap_or_else(|| Err(QueryError::Other("it waited for something, which a query cannot".to_owned()))))
    }

    /// Queues the next event.
    pub fn push(&mut self, event: HistoryEvent, source: Source) {
        self.link.lock().execution.push(event, source);
    }

    /// Handles all that was pushed: runs the guest after each event until it blocks.
    pub fn run(&mut self) -> Result<(), RunError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        self.run_steps().inspect_err(|error| {
            self.close();
            self.failed = Some(error.clone());
        })
    }

    /// Whether guests of its component run for no more than 2 ms until they wait, as far as was seen lately. One that did so
    /// for long may still take all the time there is.
    pub fn is_quick(&self) -> bool {
        self.component.pace().is_quick()
    }

    /// Closes the turn: what it asks for.
    pub fn end_turn(&mut self) -> Turn {
        self.link.lock().execution.end_turn()
    }

    /// The execution, to look at. Hold the answer briefly: the guest cannot run meanwhile.
    pub fn execution(&self) -> impl Deref<Target = Execution> + '_ {
        Looking(self.link.lock())
    }

    fn run_steps(&mut self) -> Result<(), RunError> {
        loop {
            match self.next_step()? {
                Step::Start => self.start()?,
                Step::Resolved(_) => {}
                Step::Idle => return Ok(()),
                Step::Finished => {
                    self.finished();
                    return Ok(());
                }
            }
            self.resume()?;
        }
    }

    /// Takes the next step, begins a stretch for it and wakes who waits for it.
    fn next_step(&self) -> Result<Step, ReplayError> {
        let mut linked = self.link.lock();
        let step = linked.execution.next_step()?;
        if matches!(step, Step::Start | Step::Resolved(_)) {
            linked.stretch.begin(self.component.engine().limits());
        }
        if let Step::Resolved(task) = step {
            let waker = linked.waiting.remove(&task);
            drop(linked);
            if let Some(waker) = waker {
                waker.wake();
            }
        }
        Ok(step)
    }

    fn start(&mut self) -> Result<(), RunError> {
        let linked = self.link.lock();
        let Some(start) = linked.execution.start() else { return Ok(()) };
        let (workflow, input) = (start.workflow.clone(), start.input.clone());
        let known = self.component.workflows().iter().map(|described| &described.name);
        if !known.clone().any(|name| *name == workflow) {
            return Err(RunError::UnknownWorkflow { workflow, known: known.cloned().collect() });
        }
        let limits = self.component.engine().limits();
        let state = State::new(self.link.clone(), limits.clone(), Role::Run);
        let queries = self.component.queries();
        self.guest = self.component.linked().map(|linked| run::run(linked.clone(), queries, state, workflow, input));
        Ok(())
    }

    /// Runs the guest until it blocks or ends.
    fn resume(&mut self) -> Result<(), GuestFault> {
        self.poll()?;
        let mut linked = self.link.lock();
        match linked.outcome.take() {
            Some(outcome) => {
                linked.execution.complete(outcome?);
                drop(linked);
                self.finished();
            }
            None if linked.execution.open_tasks() == 0 && !linked.execution.is_finished() && self.guest.is_some() => {
                return Err(GuestFault::Deadlocked);
            }
            None => {}
        }
        Ok(())
    }

    /// Lets the guest go on as far as it can.
    fn poll(&mut self) -> Result<(), GuestFault> {
        let Some(guest) = &mut self.guest else { return Ok(()) };
        let (running, began) = (self.component.engine().running(), Instant::now());
        let polled = self.poller.poll(guest.as_mut());
        drop(running);
        self.component.pace().note(began.elapsed());
        polled.map_or(Ok(()), Err)
    }

    /// The workflow is over, and its guest too, unless somebody may ask it.
    fn finished(&mut self) {
        if self.stays || self.guest.is_none() {
            return;
        }
        if self.lingers {
            self.link.lock().closed = true;
            self._ended = self.guest.take();
        } else {
            self.close();
        }
    }

    /// Drops the guest. Calls that are still open end with it, which is nobody's decision to cancel them.
    fn close(&mut self) {
        self.link.lock().closed = true;
        self.guest = None;
    }
}

impl Drop for LiveGuest {
    fn drop(&mut self) {
        self.close();
    }
}

impl fmt::Debug for LiveGuest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs = self.guest.is_some();
        formatter.debug_struct("LiveGuest").field("component", &self.component).field("runs", &runs).finish()
    }
}

struct Looking<'a>(MutexGuard<'a, Linked>);

impl Deref for Looking<'_> {
    type Target = Execution;

    fn deref(&self) -> &Execution {
        &self.0.execution
    }
}

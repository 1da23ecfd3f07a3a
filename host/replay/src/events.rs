//! What each event does to an execution.

use everturn_history::history_event::EventType;
use everturn_history::{
    ExecutionStartedEvent, HistoryEvent, OrchestrationStatus, SequenceId, StringValue, TaskFailureDetails, Timestamp,
    WorkflowStartedEvent,
};

use crate::execution::{Ending, Queued};
use crate::ledger::{Fit, Standing};
use crate::mismatch::{Behaviour, CallView, InvalidHistory, Mismatch, Problem, status_name};
use crate::random::RandomStream;
use crate::task::OpenTask;
use crate::time::is_later;
use crate::{Execution, Failure, ReplayError, Resolution, Source, Start, Step, Task};

/// The answer to something that was scheduled.
enum Answer {
    TimerFired,
    Activity(Result<String, Failure>),
    Child(Result<String, Failure>),
}

impl Execution {
    /// Handles one event. Some: the driver has something to do before the next one.
    pub(crate) fn handle(&mut self, queued: Queued) -> Result<Option<Step>, ReplayError> {
        self.current.number = self.current.number.max(queued.position.number);
        self.current.source = queued.position.source;
        let Some(kind) = &queued.event.event_type else {
            return Err(self.invalid(&queued, Problem::NoKind));
        };
        if let Some(recorded) = CallView::of_event(kind) {
            self.record(&queued, &recorded)?;
            return Ok(None);
        }
        match kind {
            EventType::WorkflowStarted(turn) => self.begin_turn(&queued, turn.clone()).map(|()| None),
            EventType::ExecutionCompleted(end) => self.check_ending(&queued, end.workflow_status()).map(|()| None),
            EventType::ExecutionTerminated(end) => {
                self.terminate(end.input.clone());
                Ok(None)
            }
            EventType::ExecutionSuspended(_) => {
                self.held.get_or_insert_default();
                Ok(None)
            }
            EventType::ExecutionResumed(_) => {
                let held = self.held.take().unwrap_or_default();
                self.queue_first(held);
                Ok(None)
            }
            _ => match &mut self.held {
                Some(held) => {
                    held.push(queued);
                    Ok(None)
                }
                None => self.show_to_guest(queued),
            },
        }
    }

    /// An event that the guest of an instance that is not suspended gets to see.
    fn show_to_guest(&mut self, mut queued: Queued) -> Result<Option<Step>, ReplayError> {
        let (id, answer) = match queued.event.event_type.take() {
            Some(EventType::ExecutionStarted(start)) => return self.begin(&queued, *start).map(Some),
            Some(EventType::EventRaised(raised)) => {
                let payload = or_null(raised.input.clone());
                let name = raised.name.clone();
                queued.event.event_type = Some(EventType::EventRaised(raised));
                return Ok(self.deliver(&name, payload, queued.event));
            }
            // What answers something is looked at by reference: it may have to be kept as it is.
            kind => {
                queued.event.event_type = kind;
                match answer(&queued.event) {
                    Some(answer) => answer,
                    None => return Ok(None),
                }
            }
        };
        match self.ledger.standing(id) {
            Standing::Awaited(task) => self.resolve(&queued, id, task, answer),
            Standing::Settled => Ok(None),
            Standing::Unrecorded => {
                if !self.is_finished() {
                    self.early.entry(id).or_insert(queued);
                }
                Ok(None)
            }
        }
    }

    fn begin_turn(&mut self, queued: &Queued, turn: WorkflowStartedEvent) -> Result<(), ReplayError> {
        if queued.position.source == Source::History {
            self.check_all_recorded(queued)?;
        }
        self.advance_clock(queued.event.timestamp);
        self.cancelled.clear();
        self.custom_status_changed = false;
        self.patches.begin_turn(turn.version.map(|version| version.patches).unwrap_or_default());
        let due = std::mem::take(&mut self.due);
        self.queue_first(due);
        Ok(())
    }

    fn begin(&mut self, queued: &Queued, event: ExecutionStartedEvent) -> Result<Step, ReplayError> {
        let instance = event.workflow_instance.as_ref().map(|instance| instance.instance_id.as_str());
        let problem = match (&self.start, instance.unwrap_or_default(), event.name.as_str()) {
            (Some(_), ..) => Some(Problem::StartedTwice),
            (None, "", _) => Some(Problem::IncompleteStart { missing: "instance" }),
            (None, _, "") => Some(Problem::IncompleteStart { missing: "workflow" }),
            _ => None,
        };
        if let Some(problem) = problem {
            return Err(self.invalid(queued, problem));
        }
        if self.now == Timestamp::default() {
            self.advance_clock(queued.event.timestamp);
        }
        let start = Start::new(event, self.now);
        self.random = RandomStream::new(&start.instance_id, start.generation);
        self.start = Some(start);
        Ok(Step::Start)
    }

    /// Terminated is terminated: what the guest asked for in this turn is not begun any more.
    fn terminate(&mut self, output: Option<StringValue>) {
        if !self.is_finished() {
            self.end(Ending {
                status: OrchestrationStatus::Terminated,
                result: output.map(|output| output.value),
                failure: None,
            });
            self.ledger.discard_pending();
        }
    }

    fn record(&mut self, queued: &Queued, recorded: &CallView<'_>) -> Result<(), ReplayError> {
        if self.start.is_none() {
            return Err(self.invalid(queued, Problem::BeforeStart));
        }
        let id = SequenceId::new(queued.event.event_id);
        match self.ledger.record(id, recorded) {
            Fit::Ignored => {}
            Fit::Matches(None) => {}
            Fit::Matches(Some(task)) => {
                self.adopt_recorded_id(task, &queued.event);
                self.due.extend(self.early.remove(&id));
            }
            Fit::Twice => return Err(self.invalid(queued, Problem::RecordedTwice { id })),
            Fit::Differs => {
                let attempted = self.ledger.pending_call(id).map(|call| call.behaviour());
                return Err(self.mismatch(queued, Some(id), recorded.behaviour(), attempted));
            }
        }
        Ok(())
    }

    fn adopt_recorded_id(&mut self, task: Task, event: &HistoryEvent) {
        let Some(OpenTask::Call(call)) = self.open.get_mut(&task) else { return };
        match &event.event_type {
            Some(EventType::TaskScheduled(scheduled)) => call.adopt_recorded_id(&scheduled.task_execution_id),
            Some(EventType::ChildWorkflowInstanceCreated(child)) => call.adopt_recorded_id(&child.instance_id),
            _ => {}
        }
    }

    fn deliver(&mut self, name: &str, payload: String, event: HistoryEvent) -> Option<Step> {
        let (task, payload) = self.mailbox.deliver(name, payload, event)?;
        // The wait's timer is needless now; a fire that is already on its way comes late.
        self.cancelled.extend(self.ledger.settle(task));
        Some(self.answered(task, Resolution::Event(Some(payload))))
    }

    fn resolve(
        &mut self,
        queued: &Queued,
        id: SequenceId,
        task: Task,
        answer: Answer,
    ) -> Result<Option<Step>, ReplayError> {
        let Some(open) = self.open.remove(&task) else { return Ok(None) };
        let step = match (open, answer) {
            (OpenTask::Timer, Answer::TimerFired) => Some(self.answered(task, Resolution::TimerFired)),
            (OpenTask::EventWait { key }, Answer::TimerFired) => {
                self.mailbox.forget(&key, task);
                Some(self.answered(task, Resolution::Event(None)))
            }
            (OpenTask::Call(call), Answer::TimerFired) if call.is_delayed() => {
                self.ledger.settle(task);
                self.attempt(task, call);
                None
            }
            (OpenTask::Call(call), Answer::Activity(outcome)) if call.awaits_activity() => {
                self.attempt_ended(task, call, outcome)
            }
            (OpenTask::Call(call), Answer::Child(outcome)) if call.awaits_child() => {
                self.attempt_ended(task, call, outcome)
            }
            _ => return Err(self.invalid(queued, Problem::WrongKindOfAnswer { id })),
        };
        Ok(step)
    }

    fn attempt_ended(
        &mut self,
        task: Task,
        mut call: Box<crate::call::Call>,
        outcome: Result<String, Failure>,
    ) -> Option<Step> {
        let delay = outcome.as_ref().err().and_then(|failure| call.delay_next_attempt(failure, self.now));
        let Some((fire_at, origin)) = delay else {
            return Some(self.answered(task, Resolution::Completed(outcome)));
        };
        self.ledger.settle(task);
        self.open.insert(task, OpenTask::Call(call));
        self.ask_timer(task, fire_at, None, origin);
        None
    }

    fn answered(&mut self, task: Task, resolution: Resolution) -> Step {
        self.ledger.settle(task);
        self.open.remove(&task);
        self.resolved.insert(task, resolution);
        Step::Resolved(task)
    }

    /// Events that were kept back come before those that wait in the queue, and count as happening now.
    fn queue_first(&mut self, events: Vec<Queued>) {
        for mut queued in events.into_iter().rev() {
            queued.position.source = self.current.source;
            self.queue.push_front(queued);
        }
    }

    /// A clock that went back between two turns must not go back for the guest.
    fn advance_clock(&mut self, timestamp: Option<Timestamp>) {
        if let Some(timestamp) = timestamp.filter(|timestamp| is_later(*timestamp, self.now)) {
            self.now = timestamp;
        }
    }

    /// A turn that is on disk has recorded all that the code asked for in it.
    fn check_all_recorded(&self, queued: &Queued) -> Result<(), ReplayError> {
        match self.ledger.first_unrecorded() {
            None => Ok(()),
            Some((id, call)) => Err(self.mismatch(queued, Some(id), Behaviour::Waited, Some(call.behaviour()))),
        }
    }

    fn check_ending(&mut self, queued: &Queued, recorded: OrchestrationStatus) -> Result<(), ReplayError> {
        self.check_all_recorded(queued)?;
        if self.ending.as_ref().is_some_and(|ending| ending.status == recorded) {
            self.ending_recorded = true;
            return Ok(());
        }
        // Results are not compared: a different result of a finished instance changes nothing for anybody.
        Err(self.mismatch(queued, None, Behaviour::Ended { status: status_name(recorded) }, None))
    }

    fn mismatch(
        &self,
        queued: &Queued,
        sequence_id: Option<SequenceId>,
        recorded: Behaviour,
        attempted: Option<Behaviour>,
    ) -> ReplayError {
        let at_rest = || match &self.ending {
            Some(ending) => Behaviour::Ended { status: status_name(ending.status) },
            None => Behaviour::Waited,
        };
        let (workflow, instance_id) = match &self.start {
            Some(start) => (start.workflow.clone(), start.instance_id.clone()),
            None => Default::default(),
        };
        ReplayError::Mismatch(Box::new(Mismatch {
            workflow,
            instance_id,
            event: queued.position.number,
            sequence_id,
            recorded,
            attempted: attempted.unwrap_or_else(at_rest),
        }))
    }

    fn invalid(&self, queued: &Queued, problem: Problem) -> ReplayError {
        ReplayError::InvalidHistory(InvalidHistory { event: queued.position.number, problem })
    }
}

/// What an event answers, and how. None: it answers nothing.
fn answer(event: &HistoryEvent) -> Option<(SequenceId, Answer)> {
    let (id, answer) = match event.event_type.as_ref()? {
        EventType::TimerFired(fired) => (fired.timer_id, Answer::TimerFired),
        EventType::TaskCompleted(done) => (done.task_scheduled_id, Answer::Activity(Ok(or_null(done.result.clone())))),
        EventType::TaskFailed(failed) => {
            (failed.task_scheduled_id, Answer::Activity(Err(failure(failed.failure_details.clone()))))
        }
        EventType::ChildWorkflowInstanceCompleted(done) => {
            (done.task_scheduled_id, Answer::Child(Ok(or_null(done.result.clone()))))
        }
        EventType::ChildWorkflowInstanceFailed(failed) => {
            (failed.task_scheduled_id, Answer::Child(Err(failure(failed.failure_details.clone()))))
        }
        _ => return None,
    };
    Some((SequenceId::new(id), answer))
}

fn or_null(payload: Option<StringValue>) -> String {
    payload.map_or_else(|| "null".to_owned(), |payload| payload.value)
}

fn failure(details: Option<TaskFailureDetails>) -> Failure {
    details.unwrap_or_default().into()
}

//! What each event does to an execution.

use everturn_history::history_event::EventType;
use everturn_history::{
    ExecutionStartedEvent, HistoryEvent, OrchestrationStatus, SequenceId, StringValue, TaskFailureDetails, Timestamp,
    UpdateAcceptedEvent, WorkflowResetEvent, WorkflowStartedEvent,
};

use crate::call::Call;
use crate::execution::{Ending, Held, Queued};
use crate::ledger::{Fit, Standing};
use crate::mismatch::{Behaviour, CallView, InvalidHistory, Mismatch, Problem, status_name};
use crate::random::{RandomStream, TaskExecutionIds};
use crate::task::OpenTask;
use crate::time::{is_later, normalised};
use crate::{Execution, Failure, ReplayError, Resolution, Source, Start, Step, Task};

/// The answer to something that was scheduled.
enum Answer {
    TimerFired,
    Activity { task_execution_id: String, outcome: Result<String, Failure> },
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
                self.suspend(queued);
                Ok(None)
            }
            EventType::ExecutionResumed(_) => {
                self.resume();
                Ok(None)
            }
            EventType::UpdateAccepted(update) if self.is_finished() || self.held.is_some() => {
                self.updates.leave(&update.id.clone());
                Ok(None)
            }
            EventType::UpdateCompleted(completed) => {
                let result = or_null(completed.result.clone());
                let outcome = completed.failure_details.clone().map_or(Ok(result), |failure| Err(failure.into()));
                self.updates.recorded(&completed.id.clone(), outcome);
                Ok(None)
            }
            // For people: what the code does is the same, or it would not be here.
            EventType::VersionChanged(_) => Ok(None),
            EventType::WorkflowReset(reset) => {
                self.go_on_after(WorkflowResetEvent::clone(reset));
                Ok(None)
            }
            _ if self.is_finished() => {
                self.keep_for_next_generation(queued.event);
                Ok(None)
            }
            _ => match &mut self.held {
                Some(held) => {
                    held.events.push(queued);
                    Ok(None)
                }
                None => self.show_to_guest(queued),
            },
        }
    }

    fn suspend(&mut self, queued: Queued) {
        self.held.get_or_insert_with(|| Held { suspended: queued.event, events: Vec::new() });
    }

    fn resume(&mut self) {
        if let Some(held) = self.held.take() {
            self.queue_first(held.events);
        }
    }

    /// What arrives in the turn in which an execution ends is unread: it comes along if the instance goes on.
    fn keep_for_next_generation(&mut self, event: HistoryEvent) {
        if let Some(EventType::EventRaised(raised)) = &event.event_type {
            let (name, payload) = (raised.name.clone(), or_null(raised.input.clone()));
            self.mailbox.deliver(&name, payload, event);
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
            Some(EventType::UpdateAccepted(update)) => return self.update(&queued, update),
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
            Standing::Awaited(task) => Ok(self.resolve(task, answer)),
            Standing::Settled => Ok(None),
            Standing::Unrecorded => {
                self.early.entry(id).or_insert(queued);
                Ok(None)
            }
        }
    }

    fn begin_turn(&mut self, queued: &Queued, turn: WorkflowStartedEvent) -> Result<(), ReplayError> {
        if queued.position.source == Source::History {
            self.check_all_recorded(queued)?;
        }
        self.check_update(queued)?;
        self.advance_clock(queued.event.timestamp);
        self.cancelled.clear();
        self.updates.begin_turn();
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
        self.random = RandomStream::new(&start);
        self.task_execution_ids = TaskExecutionIds::new(&start);
        self.start = Some(start);
        self.name_calls_apart();
        Ok(Step::Start)
    }

    /// Terminated is terminated: what the guest asked for in this turn is not begun any more, nor is a restart.
    fn terminate(&mut self, output: Option<StringValue>) {
        let restarts = |ending: &Ending| ending.status == OrchestrationStatus::ContinuedAsNew;
        self.ending.take_if(|ending| restarts(ending));
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
        if id < SequenceId::FIRST {
            return Err(self.invalid(queued, Problem::NoSequenceId { id }));
        }
        let early_answer = self.early.remove(&id);
        match self.ledger.record(id, recorded) {
            Fit::Ignored | Fit::Matches(None) => {}
            Fit::Matches(Some(task)) => {
                self.adopt_recorded_id(task, &queued.event);
                self.due.extend(early_answer);
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
        if let Some(OpenTask::SignalWait { keys }) = self.open.get(&task) {
            keys.iter().for_each(|key| self.mailbox.forget(key, task));
            return Some(self.answered(task, Resolution::Signal { name: name.to_owned(), input: payload }));
        }
        // The wait's timer is needless now; a fire that is already on its way comes late.
        self.cancelled.extend(self.ledger.settle(task));
        Some(self.answered(task, Resolution::Event(Some(payload))))
    }

    /// Hands an update to the guest. One that history has, the guest took when that was written.
    fn update(&mut self, queued: &Queued, update: UpdateAcceptedEvent) -> Result<Option<Step>, ReplayError> {
        // Who asks again, because the answer got lost, must not have it done again.
        if queued.position.source == Source::New && self.updates.known(&update.id).is_some() {
            self.updates.leave(&update.id);
            return Ok(None);
        }
        let Some(task) = self.updates.deliver(&update) else {
            return match queued.position.source {
                Source::New => Ok(None),
                Source::History => Err(self.mismatch(queued, None, Behaviour::TookUpdate { name: update.name }, None)),
            };
        };
        let UpdateAcceptedEvent { id, name, input } = update;
        Ok(Some(self.answered(task, Resolution::Update { id, name, input: or_null(input) })))
    }

    /// An update of the turn before, which is on disk, was accepted then, so it is now.
    fn check_update(&self, queued: &Queued) -> Result<(), ReplayError> {
        match self.updates.is_accepted() {
            Some(false) => {
                let recorded = Behaviour::TookUpdate { name: String::new() };
                Err(self.mismatch(queued, None, recorded, Some(Behaviour::RefusedUpdate)))
            }
            _ => Ok(()),
        }
    }

    /// An answer that does not fit its question is dropped like a late one: it came from outside, perhaps from
    /// before a restart, and must not hold the instance up.
    fn resolve(&mut self, task: Task, answer: Answer) -> Option<Step> {
        let fits = match (self.open.get(&task)?, &answer) {
            (OpenTask::Timer | OpenTask::EventWait { .. }, Answer::TimerFired) => true,
            (OpenTask::Call(call), Answer::TimerFired) => call.is_delayed(),
            (OpenTask::Call(call), Answer::Activity { task_execution_id, .. }) => {
                call.awaits_activity(task_execution_id)
            }
            (OpenTask::Call(call), Answer::Child(_)) => call.awaits_child(),
            _ => false,
        };
        if !fits {
            return None;
        }
        match (self.open.remove(&task)?, answer) {
            (OpenTask::EventWait { key }, _) => {
                self.mailbox.forget(&key, task);
                Some(self.answered(task, Resolution::Event(None)))
            }
            (OpenTask::Timer, _) => Some(self.answered(task, Resolution::TimerFired)),
            // These have no sequence id, so nothing answers them by one.
            (OpenTask::SignalWait { .. } | OpenTask::UpdateWait, _) => None,
            (OpenTask::Call(call), Answer::TimerFired) => {
                self.ledger.settle(task);
                self.attempt(task, call);
                None
            }
            (OpenTask::Call(call), Answer::Activity { outcome, .. } | Answer::Child(outcome)) => {
                self.attempt_ended(task, call, outcome)
            }
        }
    }

    fn attempt_ended(&mut self, task: Task, mut call: Box<Call>, outcome: Result<String, Failure>) -> Option<Step> {
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
        if let Some(timestamp) = timestamp.map(normalised).filter(|timestamp| is_later(*timestamp, self.now)) {
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
        EventType::TaskCompleted(done) => {
            let outcome = Ok(or_null(done.result.clone()));
            (done.task_scheduled_id, Answer::Activity { task_execution_id: done.task_execution_id.clone(), outcome })
        }
        EventType::TaskFailed(done) => {
            let outcome = Err(failure(done.failure_details.clone()));
            (done.task_scheduled_id, Answer::Activity { task_execution_id: done.task_execution_id.clone(), outcome })
        }
        EventType::ChildWorkflowInstanceCompleted(done) => {
            (done.task_scheduled_id, Answer::Child(Ok(or_null(done.result.clone()))))
        }
        EventType::ChildWorkflowInstanceFailed(done) => {
            (done.task_scheduled_id, Answer::Child(Err(failure(done.failure_details.clone()))))
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

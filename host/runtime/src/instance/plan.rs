//! What a turn changes: from what the guest asked for to one commit.

use everturn_history::history_event::EventType;
use everturn_history::workflow_action::ActionType;
use everturn_history::{
    ActivityTimeouts, CreateChildWorkflowAction, CreateDetachedWorkflowAction, CreateTimerAction, EventRaisedEvent,
    ExecutionStartedEvent, HistoryEvent, NEVER, SendEventAction, SequenceId, TaskFailedEvent, TaskScheduledEvent,
    TerminateWorkflowAction, WorkflowAction, event,
};
use everturn_replay::Turn as PlayedTurn;
use everturn_store::{
    Address, Beginning, EncodedEvents, IfExists, Instance, NewInstance, NewMessage, NewTask, Status, Time, Turn,
    Visible,
};

use super::child::{Called, Caller, named, new_child};
use super::end::{self, child_failed};
use super::mailroom::{Delivery, Source};
use super::parked::start_of;
use super::run::Played;
use crate::dispatch::Reservation;
use crate::failures;
use crate::host::Host;
use crate::identity;
use crate::requests::UnknownWorkflow;

/// A commit, and what was set aside for it.
pub(crate) struct Plan {
    /// What is written.
    pub(crate) turn: Turn,
    /// The workers that begin with its activity tasks once it is on disk, by place in `turn.tasks`.
    pub(crate) reservations: Vec<Option<Reservation>>,
    /// What its generation was started with, if that came with this turn.
    pub(crate) start: Option<ExecutionStartedEvent>,
}

/// Where a plan is made: the instance, and the time.
struct Planner<'a> {
    host: &'a Host,
    instance: &'a Instance,
    at: Time,
    turn: Turn,
    reservations: Vec<Option<Reservation>>,
}

/// Makes the commit of a turn.
pub(crate) fn plan(
    host: &Host,
    instance: &Instance,
    start: Option<&ExecutionStartedEvent>,
    deliveries: &[Delivery],
    played: &Played,
    status: Status,
    at: Time,
) -> Box<Plan> {
    let begun = deliveries.iter().find_map(|delivery| start_of(&delivery.event));
    let taken = deliveries.iter().map(|delivery| &delivery.event);
    let events = std::iter::once(&played.begun).chain(&played.moved).chain(taken).chain(&played.recorded);
    let mut planner = Planner {
        host,
        instance,
        at,
        turn: empty(instance, at, EncodedEvents::of(events), status),
        reservations: Vec::new(),
    };
    planner.take(deliveries);
    planner.ask(&played.turn, &played.recorded);
    let mut turn = planner.turn;
    if let Some(completion) = end::completion(&played.turn) {
        end::plan(&mut turn, instance, begun.as_ref().or(start), completion, deliveries, at);
    }
    if let Some(restart) = &mut turn.restart {
        restart.deployment = host.deployments.next_generation(instance, restart.version.as_deref());
    }
    turn.custom_status.clone_from(&played.turn.custom_status);
    turn.wants_turn = played.turn.wants_turn;
    Box::new(Plan { turn, reservations: planner.reservations, start: begun })
}

/// A turn that changes nothing but history.
pub(super) fn empty(instance: &Instance, at: Time, events: EncodedEvents, status: Status) -> Turn {
    Turn {
        instance: instance.key,
        number: instance.turns,
        at,
        events,
        consumed: Vec::new(),
        finished: Vec::new(),
        settled: Vec::new(),
        messages: Vec::new(),
        tasks: Vec::new(),
        instances: Vec::new(),
        status,
        outcome: None,
        custom_status: None,
        wants_turn: false,
        assigned: instance.assigned,
        moved: None,
        restart: None,
        children: everturn_store::CloseChildren::Keep,
    }
}

/// Takes deliveries out of the inbox and off the workers.
pub(super) fn take(turn: &mut Turn, deliveries: &[Delivery]) {
    for delivery in deliveries {
        match &delivery.source {
            Source::Inbox(id) => turn.consumed.push(*id),
            Source::Worker { task, .. } => turn.finished.push(*task),
            Source::Start | Source::Update { .. } => {}
        }
        // Its time limit is of no use any more, or the worker that exceeded it.
        turn.settled.extend(answered_task(&delivery.event));
    }
}

/// The activity that an event answers.
pub(super) fn answered_task(event: &HistoryEvent) -> Option<SequenceId> {
    match &event.event_type {
        Some(EventType::TaskCompleted(done)) => Some(SequenceId::new(done.task_scheduled_id)),
        Some(EventType::TaskFailed(done)) => Some(SequenceId::new(done.task_scheduled_id)),
        _ => None,
    }
}

impl Planner<'_> {
    fn take(&mut self, deliveries: &[Delivery]) {
        take(&mut self.turn, deliveries);
    }

    fn ask(&mut self, played: &PlayedTurn, recorded: &[HistoryEvent]) {
        for action in &played.actions {
            let id = SequenceId::new(action.id);
            // What was given up in the turn that asked for it is in history, and nothing comes of it.
            if !played.cancelled.contains(&id) {
                self.ask_one(id, action, recorded);
            }
        }
        let created = |id: &SequenceId| played.actions.iter().any(|action| action.id == id.get());
        self.turn.settled.extend(played.cancelled.iter().filter(|id| !created(id)));
    }

    fn ask_one(&mut self, id: SequenceId, action: &WorkflowAction, recorded: &[HistoryEvent]) {
        match &action.action_type {
            Some(ActionType::ScheduleTask(_)) => self.schedule(id, recorded),
            Some(ActionType::CreateTimer(timer)) => self.create_timer(id, timer),
            Some(ActionType::CreateChildWorkflow(child)) => self.create_child(id, child),
            Some(ActionType::CreateDetachedWorkflow(start)) => self.start_detached(start),
            Some(ActionType::SendEvent(sent)) => self.send_event(sent),
            Some(ActionType::TerminateWorkflow(terminate)) => self.terminate(terminate),
            Some(ActionType::CompleteWorkflow(_) | ActionType::WorkflowVersionNotAvailable(_)) | None => {}
        }
    }

    /// What a remote worker calls, another one may have; what a component calls, somebody must be known to have.
    fn unknown(&self) -> UnknownWorkflow {
        if self.instance.deployment.is_none() { UnknownWorkflow::AwaitWorker } else { UnknownWorkflow::Refuse }
    }

    fn schedule(&mut self, id: SequenceId, recorded: &[HistoryEvent]) {
        let scheduled = recorded.iter().find_map(|event| match &event.event_type {
            Some(EventType::TaskScheduled(scheduled)) if event.event_id == id.get() => Some(&**scheduled),
            _ => None,
        });
        let Some(scheduled) = scheduled else { return };
        let reservation = self.host.dispatcher.reserve(&scheduled.name, self.host.clock.now());
        let lease = reservation.as_ref().map(Reservation::lease);
        self.turn.messages.extend(time_limit(id, scheduled, self.at));
        self.turn.tasks.push(NewTask { task: id, scheduled: scheduled.clone(), at: self.at, lease });
        self.reservations.push(reservation);
    }

    fn create_timer(&mut self, id: SequenceId, timer: &CreateTimerAction) {
        self.turn.messages.extend(timer.fire_at.filter(|fire_at| *fire_at != NEVER).map(|fire_at| {
            let time = Time::at_or_after(fire_at);
            NewMessage {
                to: Address::Itself,
                event: event::timer_fired(fire_at, id),
                visible: if time <= self.at { Visible::Now(self.at) } else { Visible::Later(time) },
                task: Some(id),
            }
        }));
    }

    fn create_child(&mut self, id: SequenceId, child: &CreateChildWorkflowAction) {
        let refusal = |failure| NewMessage {
            to: Address::Itself,
            event: child_failed(self.at, id, failure),
            visible: Visible::Now(self.at),
            task: Some(id),
        };
        let version = child.version.as_ref().map(|version| version.value.as_str());
        let deployment =
            match self.host.route_child(self.instance, &child.name, version, &child.instance_id, self.unknown()) {
                Ok(deployment) => deployment,
                Err(error) => return self.turn.messages.push(refusal(failures::unknown_workflow(&error))),
            };
        let caller = Caller {
            id: &self.instance.id,
            execution_id: &self.instance.execution_id,
            workflow: &self.instance.workflow,
            tags: if child.tags.is_empty() { &self.instance.tags } else { &child.tags },
            trace: child.parent_trace_context.as_ref(),
        };
        let called = Called {
            task: id,
            instance_id: &child.instance_id,
            workflow: &child.name,
            version: child.version.as_ref(),
            input: child.input.as_ref(),
            close: child.parent_close_policy(),
        };
        let taken = Box::new(refusal(failures::instance_exists(&child.instance_id)));
        // Remote workers try a child again under the same id. Their own is theirs, even if they end now.
        let replaces = self.instance.deployment.is_none() && child.instance_id != self.instance.id.as_str();
        let taken = if replaces { IfExists::ReplaceEndedOrTell(taken) } else { IfExists::Tell(taken) };
        self.turn.instances.push(new_child(&caller, &called, deployment, self.at, taken));
    }

    fn start_detached(&mut self, detached: &CreateDetachedWorkflowAction) {
        let version = detached.version.as_ref().map(|version| version.value.as_str());
        let deployment = match self.host.route(&detached.name, version, &detached.instance_id, self.unknown()) {
            Ok(deployment) => deployment,
            Err(error) => {
                tracing::warn!(instance = %self.instance.id, %error, "a workflow was not started");
                return;
            }
        };
        let chosen = detached.execution_id.as_ref().map(|id| id.value.clone()).filter(|id| !id.is_empty());
        let execution_id = chosen.unwrap_or_else(identity::execution_id);
        let start = ExecutionStartedEvent {
            name: detached.name.clone(),
            version: detached.version.clone(),
            input: detached.input.clone(),
            workflow_instance: Some(named(&detached.instance_id, &execution_id)),
            scheduled_start_timestamp: detached.scheduled_start_timestamp,
            parent_trace_context: detached.parent_trace_context.clone(),
            tags: detached.tags.clone(),
            ..ExecutionStartedEvent::default()
        };
        self.turn.instances.push(NewInstance {
            id: detached.instance_id.as_str().into(),
            workflow: detached.name.clone(),
            version: version.map(str::to_owned),
            deployment,
            execution_id,
            created_at: self.at,
            starts_at: detached.scheduled_start_timestamp.map_or(self.at, |at| Time::at_or_after(at).max(self.at)),
            parent: None,
            tags: detached.tags.clone(),
            beginning: Beginning::Start(self.started(start)),
            if_exists: IfExists::Drop,
        });
    }

    fn started(&self, start: ExecutionStartedEvent) -> HistoryEvent {
        event::event(self.at.to_timestamp(), EventType::ExecutionStarted(Box::new(start)))
    }

    fn send_event(&mut self, sent: &SendEventAction) {
        let raised = EventRaisedEvent { name: sent.name.clone(), input: sent.data.clone() };
        self.send(sent.instance.as_ref().map_or("", |to| &to.instance_id), EventType::EventRaised(raised));
    }

    fn terminate(&mut self, terminate: &TerminateWorkflowAction) {
        let terminated =
            everturn_history::ExecutionTerminatedEvent { input: terminate.reason.clone(), recurse: terminate.recurse };
        self.send(&terminate.instance_id, EventType::ExecutionTerminated(terminated));
    }

    fn send(&mut self, id: &str, event: EventType) {
        self.turn.messages.push(NewMessage {
            to: Address::Id { id: id.into(), execution_id: None },
            event: event::event(self.at.to_timestamp(), event),
            visible: Visible::Now(self.at),
            task: None,
        });
    }
}

/// The limit from schedule to answer is a message like a timer: the answer that comes when nobody else gave one.
pub(crate) fn time_limit(id: SequenceId, scheduled: &TaskScheduledEvent, at: Time) -> Option<NewMessage> {
    let limit = scheduled.timeouts.as_ref().and_then(|limits: &ActivityTimeouts| limits.schedule_to_close.as_ref())?;
    let limit = failures::duration(limit);
    let failed = TaskFailedEvent {
        task_scheduled_id: id.get(),
        failure_details: Some(failures::schedule_to_close(&scheduled.name, limit).into()),
        task_execution_id: scheduled.task_execution_id.clone(),
        ..TaskFailedEvent::default()
    };
    let due = at.after(limit);
    Some(NewMessage {
        to: Address::Itself,
        event: event::event(due.to_timestamp(), EventType::TaskFailed(Box::new(failed))),
        visible: Visible::Later(due),
        task: Some(id),
    })
}

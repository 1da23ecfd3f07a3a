//! What comes of what a turn asks for.

use std::time::Duration;

use everturn_activity::Call as ActivityCall;
use everturn_history::history_event::EventType;
use everturn_history::workflow_action::ActionType;
use everturn_history::{
    ActivityTimeouts, CreateChildWorkflowAction, CreateDetachedWorkflowAction, CreateTimerAction, EventRaisedEvent,
    ExecutionStartedEvent, HistoryEvent, InstanceId, NEVER, ParentInstanceInfo, ScheduleTaskAction, SendEventAction,
    SequenceId, StringValue, TaskCompletedEvent, TaskFailedEvent, WorkflowInstance, event, text,
};
use everturn_replay::{Failure as ReplayFailure, Turn};

use super::{Call, CallKind, Delivery, Entry, NewInstance, Parent, World};
use crate::Failure;
use crate::complaint::Complaint;
use crate::mock::MockCall;

impl World {
    /// Does what a turn asks for, unless it gave it up itself.
    pub(super) fn ask(&mut self, id: &InstanceId, turn: &Turn) -> Result<(), Complaint> {
        for action in &turn.actions {
            let task = SequenceId::new(action.id);
            if turn.cancelled.contains(&task) {
                continue;
            }
            match &action.action_type {
                Some(ActionType::ScheduleTask(scheduled)) => self.schedule(id, task, scheduled)?,
                Some(ActionType::CreateTimer(timer)) => self.set_timer(id, task, timer),
                Some(ActionType::CreateChildWorkflow(child)) => self.call_child(id, task, child)?,
                Some(ActionType::CreateDetachedWorkflow(start)) => self.start_detached(id, start)?,
                Some(ActionType::SendEvent(sent)) => self.pass_on(sent),
                _ => {}
            }
        }
        Ok(())
    }

    fn execution_id(&self, id: &InstanceId) -> Option<String> {
        self.instances.get(id).map(|instance| instance.execution_id.clone())
    }

    /// An answer: now, after some time, or never.
    fn answer(&mut self, id: &InstanceId, task: SequenceId, event: HistoryEvent, after: Duration) {
        let delivery =
            Delivery { to: id.clone(), execution_id: self.execution_id(id), task: Some(task), events: vec![event] };
        if after.is_zero() {
            self.send(delivery);
        } else if let Some(at) = self.now.after(after) {
            self.agenda.write(at, Entry::Deliver(delivery));
        }
    }

    fn set_timer(&mut self, id: &InstanceId, task: SequenceId, timer: &CreateTimerAction) {
        let Some(fire_at) = timer.fire_at.filter(|fire_at| *fire_at != NEVER) else { return };
        let after = super::Time::from(fire_at).since(self.now);
        self.answer(id, task, event::timer_fired(fire_at, task), after);
    }

    fn schedule(&mut self, id: &InstanceId, task: SequenceId, scheduled: &ScheduleTaskAction) -> Result<(), Complaint> {
        let instance = self.instances.get(id);
        let call = ActivityCall {
            activity: scheduled.name.clone(),
            input: or_null(scheduled.input.as_ref()),
            instance_id: id.clone(),
            workflow: instance.map(|instance| instance.workflow.clone()).unwrap_or_default(),
            task_id: task,
            generation: instance.and_then(|instance| instance.start()).map_or(0, |start| start.generation),
            task_execution_id: scheduled.task_execution_id.clone(),
            attempt: scheduled.attempt.max(1),
            dispatch: 1,
        };
        let outcome = self.perform(call)?;
        let takes = self.takes(&scheduled.name);
        let (outcome, after) = match time_limit(&scheduled.name, scheduled.timeouts.as_ref()) {
            Some((failure, limit)) if takes > limit => (Err(ReplayFailure::from(failure)), limit),
            _ => (outcome, takes),
        };
        let answer = activity_answer(task, scheduled.task_execution_id.clone(), outcome);
        let at = self.now.after(after).unwrap_or(self.now);
        self.answer(id, task, event::event(at.timestamp(), answer), after);
        Ok(())
    }

    fn takes(&self, name: &str) -> Duration {
        self.settings.takes.get(name).copied().unwrap_or_default()
    }

    fn call_child(
        &mut self,
        id: &InstanceId,
        task: SequenceId,
        child: &CreateChildWorkflowAction,
    ) -> Result<(), Complaint> {
        let told = self.note_call(CallKind::Child, id, &child.name, child.input.as_ref());
        if let Some(mock) = self.settings.children.get(&child.name) {
            let takes = self.takes(&child.name);
            let at = self.now.after(takes).unwrap_or(self.now).timestamp();
            let answer = match mock.call(told, &or_null(child.input.as_ref()))? {
                Ok(result) => event::child_completed(at, task, &result),
                Err(failure) => event::child_failed(at, task, ReplayFailure::from(failure).into()),
            };
            self.answer(id, task, answer, takes);
            return Ok(());
        }
        self.require_workflow(&child.name)?;
        let child_id = InstanceId::from(child.instance_id.as_str());
        if self.instances.contains_key(&child_id) {
            let words = format!("there is an instance `{child_id}` already: choose another id");
            let failure = ReplayFailure::from(Failure::new("InstanceAlreadyExists", words).not_retriable());
            let answer = event::child_failed(self.now.timestamp(), task, failure.into());
            self.answer(id, task, answer, Duration::ZERO);
            return Ok(());
        }
        let execution_id = self.execution_id(id).unwrap_or_default();
        let (start, close) = (self.child_start(id, task, child), child.parent_close_policy());
        let parent = Some(Parent { id: id.clone(), execution_id, task, close });
        self.create(NewInstance { id: child_id, start, parent, starts_at: None });
        Ok(())
    }

    fn child_start(
        &self,
        id: &InstanceId,
        task: SequenceId,
        child: &CreateChildWorkflowAction,
    ) -> ExecutionStartedEvent {
        let caller = self.instances.get(id);
        ExecutionStartedEvent {
            name: child.name.clone(),
            version: child.version.clone(),
            input: child.input.clone(),
            parent_instance: Some(ParentInstanceInfo {
                task_scheduled_id: task.get(),
                name: caller.map(|caller| text(&caller.workflow)),
                workflow_instance: Some(WorkflowInstance {
                    instance_id: id.to_string(),
                    execution_id: caller.map(|caller| text(&caller.execution_id)),
                }),
                ..ParentInstanceInfo::default()
            }),
            tags: caller.and_then(|caller| caller.start()).map(|start| start.tags.clone()).unwrap_or_default(),
            ..ExecutionStartedEvent::default()
        }
    }

    fn start_detached(&mut self, id: &InstanceId, detached: &CreateDetachedWorkflowAction) -> Result<(), Complaint> {
        let told = self.note_call(CallKind::Detached, id, &detached.name, detached.input.as_ref());
        if let Some(mock) = self.settings.children.get(&detached.name) {
            // Nobody waits for what comes of it.
            return mock.call(told, &or_null(detached.input.as_ref())).map(drop);
        }
        self.require_workflow(&detached.name)?;
        let new_id = InstanceId::from(detached.instance_id.as_str());
        if self.instances.contains_key(&new_id) {
            return Ok(());
        }
        let start = ExecutionStartedEvent {
            name: detached.name.clone(),
            version: detached.version.clone(),
            input: detached.input.clone(),
            scheduled_start_timestamp: detached.scheduled_start_timestamp,
            tags: detached.tags.clone(),
            ..ExecutionStartedEvent::default()
        };
        let starts_at = detached.scheduled_start_timestamp.map(Into::into);
        self.create(NewInstance { id: new_id, start, parent: None, starts_at });
        Ok(())
    }

    fn require_workflow(&self, name: &str) -> Result<(), Complaint> {
        match self.settings.component.workflow(name) {
            Some(_) => Ok(()),
            None => Err(Complaint::UnknownChild {
                name: name.to_owned(),
                mocked: self.settings.children.keys().cloned().collect(),
                inside: self.settings.component.workflow_names(),
            }),
        }
    }

    /// What is sent to an instance that does not exist is lost, as on a host.
    fn pass_on(&mut self, sent: &SendEventAction) {
        let Some(to) = &sent.instance else { return };
        let raised = EventRaisedEvent { name: sent.name.clone(), input: sent.data.clone() };
        self.tell(&to.instance_id.as_str().into(), EventType::EventRaised(raised));
    }

    fn note_call(&mut self, kind: CallKind, id: &InstanceId, name: &str, input: Option<&StringValue>) -> MockCall {
        self.note(Call {
            kind,
            name: name.to_owned(),
            payload: or_null(input),
            attempt: 1,
            at: self.now.system_time(),
            instance_id: id.to_string(),
        })
    }
}

/// The limit that an activity meets first, and what it fails with then: as a host would say it.
fn time_limit(name: &str, timeouts: Option<&ActivityTimeouts>) -> Option<(Failure, Duration)> {
    let length = |limit: &everturn_history::Duration| {
        let nanos = u32::try_from(limit.nanos).unwrap_or(0);
        Duration::new(u64::try_from(limit.seconds).unwrap_or(0), nanos)
    };
    let limits = [
        ("ScheduleToCloseTimeout", timeouts?.schedule_to_close.as_ref().map(length)),
        ("StartToCloseTimeout", timeouts?.start_to_close.as_ref().map(length)),
    ];
    let limits = limits.into_iter().filter_map(|(error_type, limit)| Some((error_type, limit?)));
    let (error_type, limit) = limits.min_by_key(|(_, limit)| *limit)?;
    Some((Failure::new(error_type, format!("activity `{name}` had no answer after {limit:?}")), limit))
}

fn activity_answer(task: SequenceId, task_execution_id: String, outcome: Result<String, ReplayFailure>) -> EventType {
    match outcome {
        Ok(result) => EventType::TaskCompleted(TaskCompletedEvent {
            task_scheduled_id: task.get(),
            result: Some(text(result)),
            task_execution_id,
            ..TaskCompletedEvent::default()
        }),
        Err(failure) => EventType::TaskFailed(Box::new(TaskFailedEvent {
            task_scheduled_id: task.get(),
            failure_details: Some(failure.into()),
            task_execution_id,
            ..TaskFailedEvent::default()
        })),
    }
}

fn or_null(payload: Option<&StringValue>) -> String {
    payload.map_or_else(|| "null".to_owned(), |payload| payload.value.clone())
}

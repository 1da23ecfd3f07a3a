//! Runs an instance again from some point of its history, as a new one: the past up to there is copied, and what its
//! code waits for at that point is done again.

use everturn_guest::Misfit;
use everturn_history::history_event::EventType;
use everturn_history::{ExecutionStartedEvent, HistoryEvent, InstanceId, RerunParentInstanceInfo, SequenceId, text};
use everturn_store::{
    Address, Beginning, DeploymentId, EncodedEvents, IfExists, Instance, NewInstance, NewMessage, NewTask, Past,
    StoreError, Time, Visible,
};

use super::{by_turn, can_be_redone, timer_again, unanswered, waiting_activities};
use crate::instance::{Called, Caller, named, new_child};
use crate::requests::{RerunRequest, StartedInstance, UnknownWorkflow};
use crate::{RequestError, Runtime, identity, instance};

impl Runtime {
    /// Runs an instance that has ended again, from the activity, timer or child with this number on, as a new instance.
    /// Everything that happened before it was asked for is taken over, and what was open at that point is done anew.
    pub async fn rerun(&self, id: &InstanceId, request: RerunRequest) -> Result<StartedInstance, RequestError> {
        self.require_open()?;
        let source = self.find(id).await?;
        if !source.status.is_ended() {
            return Err(StoreError::Open { id: id.clone(), status: source.status }.into());
        }
        let new_id = request.new_id.clone().unwrap_or_else(identity::instance_id);
        self.check_name("instance id", new_id.as_str())?;
        let warnings = match &request.input {
            Some(input) => self.check_payload("input", input, request.form)?,
            None => Vec::new(),
        };
        let refuse = |problem: String| RequestError::CannotRerun { id: id.clone(), from: request.from, problem };
        let turns = cut(self.history(id).await?, request.from).map_err(|problem| refuse(problem.to_owned()))?;
        let awaited = self.awaited(&source, &turns).await?.map_err(|error| refuse(error.to_string()))?;
        if !awaited.contains(&request.from) {
            return Err(refuse("its code did not wait for it".to_owned()));
        }
        let copy = Copy {
            source: &source,
            id: new_id.clone(),
            execution_id: identity::execution_id(),
            awaited,
            request: &request,
            now: self.host.clock.now(),
        };
        let new = self.copied(&copy, turns);
        let activities = waiting_activities(&new);
        self.make(new, activities).await.map_err(|error| self.failed(error))?;
        Ok(StartedInstance { id: new_id, is_new: true, warnings })
    }

    /// What the code waits for after these turns.
    async fn awaited(
        &self,
        source: &Instance,
        turns: &[Vec<HistoryEvent>],
    ) -> Result<Result<Vec<SequenceId>, Misfit>, RequestError> {
        let events: Vec<_> = turns.concat();
        let Some(deployment) = source.deployment else {
            // The code is not here to be asked, so all that had no answer counts.
            return Ok(Ok(unanswered(&events)));
        };
        Ok(self.standing(deployment, events).await?.map(|standing| standing.awaited))
    }

    fn copied(&self, copy: &Copy<'_>, mut turns: Vec<Vec<HistoryEvent>>) -> NewInstance {
        let mut past = Past::default();
        let until = turns.last().and_then(|turn| turn.first()?.timestamp).map_or(copy.now, Time::at_or_after);
        for event in turns.iter_mut().flatten() {
            self.adapt(copy, event, until, &mut past);
        }
        past.turns = turns.iter().map(EncodedEvents::of).collect();
        let source = copy.source;
        NewInstance {
            id: copy.id.clone(),
            workflow: source.workflow.clone(),
            version: source.version.clone(),
            deployment: source.deployment,
            execution_id: copy.execution_id.clone(),
            created_at: copy.now,
            starts_at: copy.now,
            parent: None,
            tags: source.tags.clone(),
            beginning: Beginning::History(Box::new(past)),
            if_exists: IfExists::Fail,
        }
    }

    /// Makes an event of the source one of the copy, and begins again what it asked for, if that is awaited.
    fn adapt(&self, copy: &Copy<'_>, event: &mut HistoryEvent, until: Time, past: &mut Past) {
        let id = SequenceId::new(event.event_id);
        let awaited = copy.awaited.contains(&id);
        let overwritten = copy.request.input.as_deref().filter(|_| id == copy.request.from).map(text);
        let rerun_of = Some(RerunParentInstanceInfo { instance_id: copy.source.id.to_string() });
        match &mut event.event_type {
            Some(EventType::ExecutionStarted(start)) => copy.adapt_start(start),
            Some(EventType::TaskScheduled(task)) if awaited => {
                // A new call to the world: it must not be taken for the one that was answered.
                task.task_execution_id = identity::task_execution_id();
                task.rerun_parent_instance_info = rerun_of;
                task.input = overwritten.or_else(|| task.input.take());
                let limit = instance::time_limit(id, task, copy.now);
                past.messages.extend(limit);
                past.tasks.push(NewTask { task: id, scheduled: (**task).clone(), at: copy.now, lease: None });
            }
            Some(EventType::TimerCreated(timer)) if awaited => {
                timer.rerun_parent_instance_info = rerun_of;
                past.messages.extend(timer_again(id, timer, until, copy.now));
            }
            Some(EventType::ChildWorkflowInstanceCreated(child)) if awaited => {
                let chosen = copy.request.child_id.as_ref().filter(|_| id == copy.request.from);
                child.instance_id = chosen.map_or_else(|| format!("{}:{id}", copy.id), ToString::to_string);
                child.rerun_parent_instance_info = rerun_of;
                child.input = overwritten.or_else(|| child.input.take());
                let version = child.version.as_ref().map(|version| version.value.as_str());
                let unknown = if copy.source.deployment.is_none() {
                    UnknownWorkflow::AwaitWorker
                } else {
                    UnknownWorkflow::Refuse
                };
                match self.host.route_child(copy.source, &child.name, version, &child.instance_id, unknown) {
                    Ok(deployment) => past.children.push(copy.child(id, child, deployment)),
                    Err(error) => past.messages.push(NewMessage {
                        to: Address::Itself,
                        event: instance::child_failed(copy.now, id, crate::failures::unknown_workflow(&error)),
                        visible: Visible::Now(copy.now),
                        task: Some(id),
                    }),
                }
            }
            _ => {}
        }
    }
}

/// What a copy is made of.
struct Copy<'a> {
    source: &'a Instance,
    id: InstanceId,
    execution_id: String,
    /// What its code waits for at the end of the copied past.
    awaited: Vec<SequenceId>,
    request: &'a RerunRequest,
    now: Time,
}

impl Copy<'_> {
    /// It is another instance, with the random numbers of the one that it repeats.
    fn adapt_start(&self, start: &mut ExecutionStartedEvent) {
        let own = named(self.id.as_str(), &self.execution_id);
        let original = start.workflow_instance.replace(own);
        start.randomness = start.randomness.take().or(original);
        start.parent_instance = None;
    }

    fn child(
        &self,
        id: SequenceId,
        child: &everturn_history::ChildWorkflowInstanceCreatedEvent,
        deployment: Option<DeploymentId>,
    ) -> NewInstance {
        let caller = Caller {
            id: &self.id,
            execution_id: &self.execution_id,
            workflow: &self.source.workflow,
            tags: &self.source.tags,
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
        new_child(&caller, &called, deployment, self.now, IfExists::Fail)
    }
}

/// The turns up to the one that asked for this.
fn cut(history: Vec<HistoryEvent>, from: SequenceId) -> Result<Vec<Vec<HistoryEvent>>, &'static str> {
    let mut turns = by_turn(history);
    let asks = |event: &HistoryEvent| can_be_redone(event) && event.event_id == from.get();
    let last = turns.iter().position(|turn| turn.iter().any(asks));
    let last = last.ok_or("its history has no activity, timer or child with that number")?;
    turns.truncate(last + 1);
    let ends = |event: &HistoryEvent| matches!(event.event_type, Some(EventType::ExecutionCompleted(_)));
    if turns.iter().flatten().any(ends) {
        return Err("it ended in the very turn that asked for it");
    }
    Ok(turns)
}

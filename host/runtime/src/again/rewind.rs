//! Lets what has ended begin once more under its id: from its start, or, if it failed, from before its failures.

use std::collections::HashSet;

use everturn_history::history_event::EventType;
use everturn_history::{ChildWorkflowInstanceCreatedEvent, HistoryEvent, InstanceId, SequenceId};
use everturn_store::{
    Beginning, EncodedEvents, IfExists, Instance, NewInstance, NewTask, ParentLink, Past, Status, StoreError, Time,
};
use futures::future::BoxFuture;

use super::{by_turn, timer_again, unanswered, waiting_activities};
use crate::instance::{Called, Caller, new_child};
use crate::persist::to_the_end;
use crate::requests::{ExistingInstance, Form, StartRequest, UnknownWorkflow};
use crate::{RequestError, Runtime, instance};

/// How deep failed children may lie in each other.
const DEEPEST: usize = 50;

impl Runtime {
    /// Starts the workflow of an instance that has ended again, with the same input: under its id, or under a new one. Gives
    /// the id.
    pub async fn restart(&self, id: &InstanceId, new_id: bool) -> Result<InstanceId, RequestError> {
        let ended = self.find(id).await?;
        if !ended.status.is_ended() {
            return Err(StoreError::Open { id: id.clone(), status: ended.status }.into());
        }
        let request = StartRequest {
            input: self.input_of(ended.key).await?,
            workflow: ended.workflow,
            id: (!new_id).then(|| id.clone()),
            version: ended.version,
            tags: ended.tags,
            if_exists: ExistingInstance::ReplaceEnded,
            unknown: UnknownWorkflow::AwaitWorker,
            form: Form::Opaque,
            ..StartRequest::default()
        };
        self.start(request).await.map(|started| started.id)
    }

    /// Lets an instance of remote workers that failed go on: the activities that failed are called again, and children that
    /// failed are rewound too. What succeeded stays.
    pub async fn rewind(&self, id: &InstanceId, reason: Option<String>) -> Result<(), RequestError> {
        self.require_open()?;
        let failed = self.find(id).await?;
        let refuse = |problem| Err(RequestError::CannotRewind { id: id.clone(), problem });
        match (failed.status, failed.deployment) {
            (Status::Failed, None) => {}
            (Status::Failed, Some(_)) => return refuse("it runs on a component; rerun it from an event instead"),
            _ => return refuse("it has not failed"),
        }
        let parent = failed.parent.clone();
        let new = self.rewound(failed, parent, 0).await?;
        let names = rewound_names(&new);
        let activities = waiting_activities(&new);
        let (runtime, rewound) = (self.clone(), id.clone());
        to_the_end(async move {
            runtime.make(new, activities).await.map_err(|error| runtime.failed(error))?;
            tracing::info!(instance = %rewound, reason, "an instance was rewound");
            // Nothing has come for them, so nobody else wakes them.
            for name in names {
                if let Some(found) = runtime.host.store.find(&name).await? {
                    instance::wake(&runtime.host, found.key);
                }
            }
            Ok(())
        })
        .await
    }

    /// The instance without its failures, to take the place of the one that failed.
    fn rewound(
        &self,
        failed: Instance,
        parent: Option<ParentLink>,
        depth: usize,
    ) -> BoxFuture<'_, Result<NewInstance, RequestError>> {
        Box::pin(async move {
            if depth > DEEPEST {
                return Err(RequestError::CannotRewind { id: failed.id, problem: "its children lie too deep" });
            }
            let now = self.host.clock.now();
            let history = without_failures(self.history(&failed.id).await?);
            let mut past = Past { wants_turn: true, ..Past::default() };
            for id in unanswered(&history) {
                let asked = history.iter().find(|event| event.event_id == id.get());
                let Some(asked) = asked.and_then(|event| event.event_type.as_ref()) else { continue };
                self.ask_again(&failed, id, asked, &mut past, depth).await?;
            }
            past.turns = by_turn(history).iter().map(EncodedEvents::of).collect();
            Ok(NewInstance {
                id: failed.id,
                workflow: failed.workflow,
                version: failed.version,
                deployment: None,
                // The same run goes on: children that are still open answer to it.
                execution_id: failed.execution_id,
                created_at: now,
                starts_at: now,
                parent,
                tags: failed.tags,
                beginning: Beginning::History(Box::new(past)),
                if_exists: IfExists::ReplaceEnded,
            })
        })
    }

    /// Begins again what had no answer, or a child that failed.
    async fn ask_again(
        &self,
        failed: &Instance,
        id: SequenceId,
        asked: &EventType,
        past: &mut Past,
        depth: usize,
    ) -> Result<(), RequestError> {
        let now = self.host.clock.now();
        match asked {
            EventType::TaskScheduled(task) => {
                past.messages.extend(instance::time_limit(id, task, now));
                past.tasks.push(NewTask { task: id, scheduled: (**task).clone(), at: now, lease: None });
            }
            EventType::TimerCreated(timer) => {
                past.messages.extend(timer_again(id, timer, failed.ended_at.unwrap_or(now), now));
            }
            EventType::ChildWorkflowInstanceCreated(child) => {
                let link = ParentLink {
                    instance: failed.id.clone(),
                    execution_id: failed.execution_id.clone(),
                    task: id,
                    close: child.parent_close_policy(),
                };
                let found = self.host.store.find(&child.instance_id.as_str().into()).await?;
                match found.filter(|found| found.parent.as_ref() == Some(&link)) {
                    // It goes on, and will answer.
                    Some(open) if !open.status.is_ended() => {}
                    // It has answered, to nobody.
                    Some(done) if done.status == Status::Completed => {
                        past.messages.extend(instance::answer_of(&done, now));
                    }
                    Some(ended) if ended.status == Status::Failed && ended.deployment.is_none() => {
                        past.children.push(self.rewound(ended, Some(link), depth + 1).await?);
                    }
                    _ => past.children.push(self.child_again(failed, &link, child, now)?),
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// A child that is gone, or cannot be rewound, from its beginning.
    fn child_again(
        &self,
        failed: &Instance,
        link: &ParentLink,
        child: &ChildWorkflowInstanceCreatedEvent,
        now: Time,
    ) -> Result<NewInstance, RequestError> {
        let caller = Caller {
            id: &failed.id,
            execution_id: &link.execution_id,
            workflow: &failed.workflow,
            tags: &failed.tags,
            trace: child.parent_trace_context.as_ref(),
        };
        let called = Called {
            task: link.task,
            instance_id: &child.instance_id,
            workflow: &child.name,
            version: child.version.as_ref(),
            input: child.input.as_ref(),
            close: link.close,
        };
        let version = child.version.as_ref().map(|version| version.value.as_str());
        let deployment = self.host.route(&child.name, version, &child.instance_id, UnknownWorkflow::AwaitWorker)?;
        Ok(new_child(&caller, &called, deployment, now, IfExists::ReplaceEnded))
    }
}

/// Those that go on with a past: an instance, and its children that failed.
fn rewound_names(new: &NewInstance) -> Vec<InstanceId> {
    match &new.beginning {
        Beginning::History(past) => {
            std::iter::once(new.id.clone()).chain(past.children.iter().flat_map(rewound_names)).collect()
        }
        Beginning::Start(_) | Beginning::Turn(_) => Vec::new(),
    }
}

/// The history of a run that has not failed. A call that failed is as if it had not been made: the code makes it again.
fn without_failures(history: Vec<HistoryEvent>) -> Vec<HistoryEvent> {
    let failed = |event: &HistoryEvent| match &event.event_type {
        Some(EventType::TaskFailed(failed)) => Some(failed.task_scheduled_id),
        _ => None,
    };
    let failed: HashSet<i32> = history.iter().filter_map(failed).collect();
    let kept = |event: &HistoryEvent| match &event.event_type {
        Some(EventType::TaskScheduled(_)) => !failed.contains(&event.event_id),
        Some(
            EventType::TaskFailed(_) | EventType::ChildWorkflowInstanceFailed(_) | EventType::ExecutionCompleted(_),
        ) => false,
        _ => true,
    };
    history.into_iter().filter(kept).collect()
}

//! What clients ask for. Each answer that says yes is on disk.

use std::collections::HashSet;
use std::sync::Arc;

use everturn_history::history_event::EventType;
use everturn_history::{
    EventRaisedEvent, ExecutionResumedEvent, ExecutionStartedEvent, ExecutionSuspendedEvent, ExecutionTerminatedEvent,
    HistoryEvent, InstanceId, WorkflowInstance, event, text,
};
use everturn_store::{
    Address, Beginning, DeploymentId, Filter, IfExists, Instance, InstanceKey, NewInstance, NewMessage, Page, Started,
    Status, StoreError, Visible,
};

use crate::health::Access;
use crate::persist::to_the_end;
use crate::requests::{ExistingInstance, Form, InstanceView, StartRequest, StartedInstance};
use crate::watch::{Told, Until};
use crate::{RequestError, Runtime, failures, identity, instance};

/// How many times a start takes the place of an instance that is open, before somebody else keeps winning.
const REPLACEMENTS: usize = 10;
/// Instances that are looked at with one read, when many are deleted.
const PURGE_PAGE: usize = 500;

impl Runtime {
    /// Starts a workflow.
    pub async fn start(&self, request: StartRequest) -> Result<StartedInstance, RequestError> {
        self.require_open()?;
        let id = request.id.clone().unwrap_or_else(identity::instance_id);
        self.check_name("instance id", id.as_str())?;
        self.check_name("workflow's name", &request.workflow)?;
        let warnings = match &request.input {
            Some(input) => self.check_payload("input", input, request.form)?,
            None => Vec::new(),
        };
        let route = || self.host.route(&request.workflow, request.version.as_deref(), id.as_str(), request.unknown);
        let mut deployment = route()?;
        for _ in 0..REPLACEMENTS {
            let new = self.new_instance(&request, &id, deployment);
            match self.make(new, Vec::new()).await {
                Ok(started) => {
                    let is_new = matches!(started, Started::Made { .. });
                    return Ok(StartedInstance { id, is_new, warnings });
                }
                Err(StoreError::AlreadyExists { status, .. })
                    if request.if_exists == ExistingInstance::Replace && !status.is_ended() =>
                {
                    self.end_quietly(&id).await?;
                }
                // Where it was to go was retired in this very moment.
                Err(StoreError::Conflict) => {
                    self.host.deployments.read_again(&self.host).await?;
                    deployment = route()?;
                }
                Err(error) => return Err(self.failed(error)),
            }
        }
        Err(StoreError::AlreadyExists { id, status: Status::Running }.into())
    }

    /// Makes an instance that waits for these activities, and sets it going.
    pub(crate) async fn make(&self, new: NewInstance, activities: Vec<String>) -> Result<Started, StoreError> {
        let host = Arc::clone(&self.host);
        to_the_end(async move {
            let remote = new.deployment.is_none().then(|| new.workflow.clone());
            let (started, committed) = instance::make(&host, new).await?;
            remote.iter().for_each(|workflow| host.remote.learn(workflow));
            host.counters.starts.one();
            host.health.works(Access::Write);
            instance::follow_up(&host, committed);
            activities.iter().for_each(|activity| host.dispatcher.expect(activity));
            Ok(started)
        })
        .await
    }

    fn new_instance(&self, request: &StartRequest, id: &InstanceId, deployment: Option<DeploymentId>) -> NewInstance {
        let now = self.host.clock.now();
        let execution_id = request.execution_id.clone().unwrap_or_else(identity::execution_id);
        // A guest always has an input; between remote workers and their clients, none is something else than null.
        let input = request.input.clone().or_else(|| deployment.map(|_| "null".to_owned()));
        let start = ExecutionStartedEvent {
            name: request.workflow.clone(),
            version: request.version.clone().map(text),
            input: input.map(text),
            workflow_instance: Some(WorkflowInstance {
                instance_id: id.to_string(),
                execution_id: Some(text(&execution_id)),
            }),
            scheduled_start_timestamp: request.starts_at.map(everturn_store::Time::to_timestamp),
            parent_trace_context: request.trace.clone(),
            tags: request.tags.clone(),
            ..ExecutionStartedEvent::default()
        };
        NewInstance {
            id: id.clone(),
            workflow: request.workflow.clone(),
            version: request.version.clone(),
            deployment,
            execution_id,
            created_at: now,
            starts_at: request.starts_at.map_or(now, |at| at.max(now)),
            parent: None,
            tags: request.tags.clone(),
            beginning: Beginning::Start(event::event(now.to_timestamp(), EventType::ExecutionStarted(Box::new(start)))),
            if_exists: match request.if_exists {
                ExistingInstance::Fail => IfExists::Fail,
                ExistingInstance::Use => IfExists::Keep,
                ExistingInstance::ReplaceEnded | ExistingInstance::Replace => IfExists::ReplaceEnded,
            },
        }
    }

    /// Ends an instance whose place is taken. One that ends by itself meanwhile is as good.
    async fn end_quietly(&self, id: &InstanceId) -> Result<(), RequestError> {
        match self.terminate(id, None, false).await {
            Ok(()) | Err(RequestError::Store(StoreError::Ended { .. })) => self.wait(id).await.map(drop),
            Err(RequestError::Store(StoreError::NotFound { .. })) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Raises an event to an instance. Says what to mind.
    pub async fn raise_event(
        &self,
        id: &InstanceId,
        name: &str,
        payload: Option<String>,
    ) -> Result<Vec<String>, RequestError> {
        let payload = payload.unwrap_or_else(|| "null".to_owned());
        self.raise_event_as(id, name, Some(payload), Form::Json).await
    }

    /// Raises an event whose payload is what its sender says.
    pub async fn raise_event_as(
        &self,
        id: &InstanceId,
        name: &str,
        payload: Option<String>,
        form: Form,
    ) -> Result<Vec<String>, RequestError> {
        self.check_name("event's name", name)?;
        let warnings = match &payload {
            Some(payload) => self.check_payload("event's payload", payload, form)?,
            None => Vec::new(),
        };
        let raised = EventRaisedEvent { name: name.to_owned(), input: payload.map(text) };
        self.send(id, EventType::EventRaised(raised)).await?;
        Ok(warnings)
    }

    /// Terminates an instance; with `recursive`, its children and theirs too. The output is left as its result.
    pub async fn terminate(
        &self,
        id: &InstanceId,
        output: Option<String>,
        recursive: bool,
    ) -> Result<(), RequestError> {
        self.terminate_as(id, output, recursive, Form::Json).await
    }

    /// Terminates an instance with an output that is what its sender says.
    pub async fn terminate_as(
        &self,
        id: &InstanceId,
        output: Option<String>,
        recursive: bool,
        form: Form,
    ) -> Result<(), RequestError> {
        if let Some(output) = &output {
            self.check_payload("output", output, form)?;
        }
        let terminated = ExecutionTerminatedEvent { input: output.map(text), recurse: recursive };
        self.send(id, EventType::ExecutionTerminated(terminated)).await?;
        self.release(id).await
    }

    /// Suspends an instance: what reaches it is kept, and its code sees none of it.
    pub async fn suspend(&self, id: &InstanceId, reason: Option<String>) -> Result<(), RequestError> {
        let suspended = ExecutionSuspendedEvent { input: reason.map(text) };
        self.send(id, EventType::ExecutionSuspended(suspended)).await
    }

    /// Resumes an instance that was suspended, or tries one again that is held.
    pub async fn resume(&self, id: &InstanceId, reason: Option<String>) -> Result<(), RequestError> {
        let instance = self.find(id).await?;
        if instance.status == Status::Stalled {
            return self.release(id).await;
        }
        let resumed = ExecutionResumedEvent { input: reason.map(text) };
        self.send(id, EventType::ExecutionResumed(resumed)).await
    }

    async fn send(&self, id: &InstanceId, event: EventType) -> Result<(), RequestError> {
        self.require_open()?;
        let now = self.host.clock.now();
        let message = NewMessage {
            to: Address::Id { id: id.clone(), execution_id: None },
            event: event::event(now.to_timestamp(), event),
            visible: Visible::Now(now),
            task: None,
        };
        let host = Arc::clone(&self.host);
        let sent = to_the_end(async move {
            let committed = host.store.send(message).await?;
            host.health.works(Access::Write);
            instance::follow_up(&host, committed);
            Ok(())
        });
        sent.await.map_err(|error| self.failed(error))
    }

    /// Lets an instance go on that is held; any other is left alone.
    async fn release(&self, id: &InstanceId) -> Result<(), RequestError> {
        let Some(instance) = self.host.store.find(id).await? else { return Ok(()) };
        if instance.status != Status::Stalled {
            return Ok(());
        }
        let host = Arc::clone(&self.host);
        to_the_end(async move {
            let now = host.clock.now();
            host.store.release(instance.key, now).await?;
            instance::wake(&host, instance.key);
            // While it was held, nobody slept for its timers.
            host.alarm.set(now);
            Ok(())
        })
        .await
    }

    /// Deletes an instance; with `recursive`, its children and theirs too. One that has not ended only with `force`. Says
    /// how many were deleted.
    pub async fn purge(&self, id: &InstanceId, recursive: bool, force: bool) -> Result<u64, RequestError> {
        self.require_open()?;
        let mut left = vec![self.find(id).await?];
        let (mut doomed, mut seen) = (Vec::new(), HashSet::new());
        while let Some(instance) = left.pop() {
            // Ids are used again, so an instance may be among those that descend from its id.
            if !seen.insert(instance.key) {
                continue;
            }
            if !instance.status.is_ended() && !force {
                return Err(StoreError::Open { id: instance.id, status: instance.status }.into());
            }
            if recursive {
                left.extend(self.children(&instance.id).await?);
            }
            doomed.push(instance);
        }
        let count = doomed.len() as u64;
        // Children first: one that is left over after a crash can still be found by its parent.
        for instance in doomed.into_iter().rev() {
            let runtime = self.clone();
            to_the_end(async move { runtime.delete(instance, force).await }).await?;
        }
        Ok(count)
    }

    pub(crate) async fn children(&self, parent: &InstanceId) -> Result<Vec<Instance>, RequestError> {
        let filter = Filter { parent: Some(parent.clone()), ..Filter::default() };
        let mut children = Vec::new();
        let mut from = None;
        loop {
            let page = self.host.store.list(filter.clone(), from, PURGE_PAGE).await?;
            children.extend(page.instances);
            from = page.next;
            if from.is_none() {
                return Ok(children);
            }
        }
    }

    async fn delete(&self, instance: Instance, force: bool) -> Result<(), RequestError> {
        if let Some(parent) = instance.parent.filter(|_| !instance.status.is_ended()) {
            let now = self.host.clock.now();
            let message = NewMessage {
                to: Address::ParentOf(instance.key),
                event: instance::child_failed(now, parent.task, failures::child_purged(&instance.id)),
                visible: Visible::Now(now),
                task: Some(parent.task),
            };
            match self.host.store.send(message).await {
                Ok(committed) => instance::follow_up(&self.host, committed),
                // Nobody waits for it.
                Err(StoreError::NotFound { .. } | StoreError::Ended { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let open = self.host.store.open_work(instance.key).await?;
        self.host.store.purge(instance.key, force).await?;
        for task in open.tasks {
            self.host.dispatcher.abandon(task.key);
        }
        self.host.guests.take(instance.key);
        self.host.updates.over(instance.key);
        self.host.watchers.gone(&instance.id);
        Ok(())
    }

    /// Deletes all instances that have ended and fit the filter. Says how many.
    pub async fn purge_matching(&self, mut filter: Filter) -> Result<u64, RequestError> {
        self.require_open()?;
        if filter.statuses.is_empty() {
            filter.statuses = Status::ALL.into_iter().filter(|status| status.is_ended()).collect();
        }
        if let Some(status) = filter.statuses.iter().find(|status| !status.is_ended()) {
            let problem = format!("`{status}` is not one of an instance that has ended: terminate those first");
            return Err(RequestError::InvalidName { what: "status", problem });
        }
        let mut count = 0;
        loop {
            let page = self.host.store.list(filter.clone(), None, PURGE_PAGE).await?;
            if page.instances.is_empty() {
                return Ok(count);
            }
            for instance in page.instances {
                match self.host.store.purge(instance.key, false).await {
                    Ok(()) => count += 1,
                    Err(StoreError::Conflict | StoreError::NotFound { .. }) => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
    }

    /// An instance, as one looks at it.
    pub async fn instance(&self, id: &InstanceId) -> Result<InstanceView, RequestError> {
        let instance = self.find(id).await?;
        let input = self.input_of(instance.key).await?;
        let open = self.host.store.open_work(instance.key).await?;
        let deployment = instance.deployment.and_then(|id| self.host.deployments.get(id));
        let mut warnings = Vec::new();
        let options = &self.host.options;
        if instance.events >= options.history_events_warning || instance.history_bytes >= options.history_bytes_warning
        {
            warnings.push(format!(
                "its history has {} events and {} bytes: let the workflow continue as new now and then",
                instance.events, instance.history_bytes
            ));
        }
        let called = open.tasks.iter().map(|task| &task.scheduled.name);
        warnings.extend(called.filter_map(|activity| self.host.dispatcher.complaint(activity)));
        warnings.dedup();
        let version = instance.version.as_deref();
        let is_remote = instance.deployment.is_none() && !instance.status.is_ended();
        if is_remote && !self.host.remote.accepts(&instance.workflow, version) {
            warnings
                .push(format!("it waits for a worker that has workflow `{}`; none is connected", instance.workflow));
        }
        Ok(InstanceView {
            instance,
            input,
            open,
            deployment: deployment.map(|deployment| deployment.label.clone()),
            warnings,
        })
    }

    /// What an instance was given.
    pub async fn input_of(&self, key: InstanceKey) -> Result<Option<String>, RequestError> {
        let input = |event: &HistoryEvent| match &event.event_type {
            Some(EventType::ExecutionStarted(start)) => start.input.as_ref().map(|input| input.value.clone()),
            _ => None,
        };
        // Its start goes from the inbox to the first turn, and with a restart the other way, so it is looked for twice. It may
        // wait in the inbox for a time that is far away.
        for _ in 0..2 {
            if let Some(found) = self.host.store.opening(key).await?.iter().find_map(input) {
                return Ok(Some(found));
            }
            let waiting = self.host.store.inbox(key, everturn_store::Time::from_micros(i64::MAX), 1_000).await?;
            if let Some(found) = waiting.iter().find_map(|message| input(&message.event)) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The history of an instance's generation.
    pub async fn history(&self, id: &InstanceId) -> Result<Vec<HistoryEvent>, RequestError> {
        let instance = self.find(id).await?;
        let loaded = self.host.store.load(instance.key).await?;
        loaded.map(|loaded| loaded.history).ok_or_else(|| StoreError::NotFound { id: id.clone() }.into())
    }

    /// Instances, newest first; from the one where the last page said that the next begins.
    pub async fn list(&self, filter: Filter, from: Option<InstanceKey>, limit: usize) -> Result<Page, RequestError> {
        Ok(self.host.store.list(filter, from, limit).await?)
    }

    /// How many instances there are, by status.
    pub async fn count(&self) -> Result<Vec<(Status, u64)>, RequestError> {
        Ok(self.host.store.count().await?)
    }

    /// Waits until an instance has ended, and gives it. Give up by dropping.
    pub async fn wait(&self, id: &InstanceId) -> Result<Instance, RequestError> {
        self.wait_until(id, Until::Ended).await
    }

    /// Waits until this holds of an instance, and gives it. Give up by dropping.
    pub async fn wait_until(&self, id: &InstanceId, until: Until) -> Result<Instance, RequestError> {
        loop {
            let mut watch = self.host.watchers.watch(id, until);
            let instance = self.find(id).await?;
            if until.holds(instance.status) {
                return Ok(instance);
            }
            tokio::select! {
                told = watch.come() => if let Told::Is(instance) = told {
                    return Ok(*instance);
                },
                () = self.host.stopping.begun() => return Err(RequestError::Stopping),
            }
        }
    }

    /// What the store keeps of an instance, without its input and what it has open. None: there is none.
    pub async fn find_instance(&self, id: &InstanceId) -> Result<Option<Instance>, RequestError> {
        Ok(self.host.store.find(id).await?)
    }

    pub(crate) async fn find(&self, id: &InstanceId) -> Result<Instance, RequestError> {
        let found = self.host.store.find(id).await?;
        found.ok_or_else(|| StoreError::NotFound { id: id.clone() }.into())
    }

    pub(crate) fn failed(&self, error: StoreError) -> RequestError {
        if error.is_temporary() {
            self.host.health.fails(Access::Write, &error);
        }
        error.into()
    }

    pub(crate) fn check_name(&self, what: &'static str, name: &str) -> Result<(), RequestError> {
        let limit = self.host.options.limits.name_length;
        let problem = match name.len() {
            0 => "is empty".to_owned(),
            length if length > limit => format!("has {length} bytes, and the limit is {limit}"),
            _ if name.chars().any(char::is_control) => "has control characters".to_owned(),
            _ => return Ok(()),
        };
        Err(RequestError::InvalidName { what, problem })
    }

    /// Refuses what is too large, or no JSON if it is to be that; warns of what is large.
    pub(crate) fn check_payload(
        &self,
        what: &'static str,
        payload: &str,
        form: Form,
    ) -> Result<Vec<String>, RequestError> {
        let (size, limit) = (payload.len(), self.host.options.limits.payload_size);
        if size > limit {
            return Err(RequestError::PayloadTooLarge { what, size, limit });
        }
        if form == Form::Json {
            serde_json::from_str::<serde::de::IgnoredAny>(payload)
                .map_err(|error| RequestError::InvalidPayload { what, detail: error.to_string() })?;
        }
        let warning = self.host.options.payload_warning;
        if size < warning {
            return Ok(Vec::new());
        }
        let text = format!("the {what} has {size} bytes; the limit is {limit}, and much less keeps histories fast");
        tracing::warn!(size, "a large payload: the {what}");
        Ok(vec![text])
    }
}

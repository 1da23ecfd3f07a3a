//! What a connected worker is sent: turns, activities, and now and then a sign of life.
//!
//! Nothing is queued here. The next item is taken from the runtime when the connection has room for it, and the
//! runtime gives a worker no more than it said it can take. When the worker goes, this is dropped, and with it what
//! makes the runtime give its work to others.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use everturn_history::{InstanceId, SequenceId, StalledReason, TaskFailureDetails};
use everturn_runtime::{
    ActivityTask, Orchestrator, OrchestratorOptions, Runtime, SignOfLife, TurnTask, Worker, WorkerOptions,
};
use everturn_store::Token;
use futures::StreamExt as _;
use futures::stream::{self, BoxStream};
use prost::Message as _;
use tokio::sync::{OwnedSemaphorePermit, watch};
use tonic::{Request, Status};

use super::Hub;
use super::hub::peer;
use crate::protocol::work_item::Request as Kind;
use crate::protocol::{GetWorkItemsRequest, WorkItem};
use crate::registry::{self, Subject};
use crate::wire::{Capabilities, StreamDialect, activity_item, ping, turn_item};
use crate::{Dialect, Limits};

/// The kind of failure of an activity whose input fits no message.
const TOO_LARGE: &str = "PayloadSizeExceeded";

/// A connected worker, as the host sees it.
struct Connected {
    runtime: Runtime,
    limits: Arc<Limits>,
    request: GetWorkItemsRequest,
    dialect: Arc<StreamDialect>,
    orchestrator: Orchestrator,
    worker: Worker,
    sent: registry::Stream,
    stopping: watch::Receiver<bool>,
    _room: OwnedSemaphorePermit,
}

/// What the runtime has for a worker.
enum Work {
    Turn(TurnTask),
    Activity(Box<ActivityTask>),
    Silence,
}

impl Hub {
    /// Connects a worker.
    pub(super) fn connect(
        &self,
        request: &Request<GetWorkItemsRequest>,
    ) -> Result<BoxStream<'static, Result<WorkItem, Status>>, Status> {
        let (peer, room) = (peer(request)?, self.stream()?);
        let request = request.get_ref().clone();
        let dialect = self.dialect.of_stream(&request);
        let turns = self.capacity(request.max_concurrent_orchestration_work_items);
        let activities = self.capacity(request.max_concurrent_activity_work_items);
        tracing::info!(%peer, ?dialect, turns, activities, "a worker is connected");
        let options = OrchestratorOptions {
            workflows: workflows(&request),
            capacity: turns,
            keeps_history: Capabilities::of(dialect, &request).keeps_history,
        };
        let dialect = Arc::new(StreamDialect::new(dialect));
        let connected = Connected {
            runtime: self.runtime.clone(),
            limits: Arc::clone(&self.limits),
            orchestrator: self.runtime.connect_orchestrator(options),
            worker: self.runtime.connect_worker(WorkerOptions {
                activities: activity_names(&request),
                capacity: activities,
                // Silent peers are found out by pings of the connection.
                life: SignOfLife::Connection,
            }),
            sent: self.registry.connect(peer, Arc::clone(&dialect), turns + activities),
            request,
            dialect,
            stopping: self.stopping.clone(),
            _room: room,
        };
        let items = stream::unfold(connected, |mut connected| async move {
            let item = connected.next().await?;
            Some((Ok(item), connected))
        });
        Ok(items.boxed())
    }

    fn capacity(&self, wanted: Option<i32>) -> usize {
        let wanted = wanted.and_then(|wanted| usize::try_from(wanted).ok()).filter(|wanted| *wanted > 0);
        wanted.unwrap_or(self.limits.usual_capacity).min(self.limits.capacity)
    }
}

/// The workflows that a worker names. None: it takes any.
fn workflows(request: &GetWorkItemsRequest) -> Option<BTreeMap<String, Vec<String>>> {
    let filters = request.work_item_filters.as_ref()?;
    let mut workflows = BTreeMap::<String, Vec<String>>::new();
    for filter in &filters.orchestrations {
        workflows.entry(filter.name.clone()).or_default().extend(filter.versions.iter().cloned());
    }
    Some(workflows)
}

/// The activities that a worker names. None: it takes any.
fn activity_names(request: &GetWorkItemsRequest) -> Option<HashSet<String>> {
    let filters = request.work_item_filters.as_ref()?;
    Some(filters.activities.iter().map(|filter| filter.name.clone()).collect())
}

impl Drop for Connected {
    fn drop(&mut self) {
        tracing::info!(peer = %self.sent.peer(), "a worker is gone");
    }
}

impl Connected {
    /// The next item. None: the host stops.
    async fn next(&mut self) -> Option<WorkItem> {
        loop {
            let work = self.work().await?;
            // Only now: an answer that came while this waited may have told it.
            let dialect = self.dialect.get();
            let item = match work {
                Work::Turn(turn) => self.turn(dialect, turn),
                Work::Activity(task) => self.activity(dialect, *task).await,
                Work::Silence => ping(dialect),
            };
            if item.is_some() {
                return item;
            }
        }
    }

    async fn work(&mut self) -> Option<Work> {
        let takes_pings = Capabilities::of(self.dialect.get(), &self.request).takes_pings;
        tokio::select! {
            turn = self.orchestrator.next() => turn.map(Work::Turn),
            task = self.worker.next() => task.map(|task| Work::Activity(Box::new(task))),
            _ = self.stopping.wait_for(|stopping| *stopping) => None,
            () = tokio::time::sleep(self.limits.ping_interval), if takes_pings => Some(Work::Silence),
        }
    }

    /// A turn, as this worker reads it. None: it fits no message, and its instance is held.
    fn turn(&mut self, dialect: Dialect, turn: TurnTask) -> Option<WorkItem> {
        let (token, instance) = (turn.token, turn.instance_id.clone());
        let mut item = turn_item(dialect, turn);
        let (size, limit) = (item.encoded_len(), self.limits.outbound_message);
        if size > limit && Capabilities::of(dialect, &self.request).streams_history {
            // Such a worker asks for the past itself.
            if let Some(Kind::WorkflowRequest(request)) = &mut item.request {
                request.past_events.clear();
                request.requires_history_streaming = true;
            }
        }
        if item.encoded_len() > limit {
            let problem = format!(
                "its turn has {size} bytes with its history, and workers take {limit}; \
                 let the workflow continue as new now and then, and keep large data elsewhere"
            );
            tracing::warn!(%instance, size, limit, "a turn is too large for any worker; its instance is held");
            self.runtime.hold_turn(token, Some(StalledReason::PayloadSizeExceeded), problem);
            return None;
        }
        self.note(token, instance, None);
        Some(item)
    }

    /// An activity, as this worker reads it. None: it fits no message, and has failed.
    async fn activity(&mut self, dialect: Dialect, task: ActivityTask) -> Option<WorkItem> {
        let (token, instance, id) = (task.token, task.call.instance_id.clone(), task.call.task_id);
        let item = activity_item(dialect, task);
        let (size, limit) = (item.encoded_len(), self.limits.outbound_message);
        if size <= limit {
            self.note(token, instance, Some(id));
            return Some(item);
        }
        let error_message = format!(
            "the call has {size} bytes with what it is told of the past, and workers take {limit}; \
             keep large data elsewhere and pass a reference to it"
        );
        let failure = TaskFailureDetails {
            error_type: TOO_LARGE.to_owned(),
            error_message,
            is_non_retriable: true,
            ..TaskFailureDetails::default()
        };
        if let Err(error) = self.runtime.complete_task(token, Err(failure)).await {
            tracing::debug!(%instance, task = %id, %error, "the failure of an activity was not taken");
        }
        None
    }

    fn note(&mut self, token: Token, instance: InstanceId, task: Option<SequenceId>) {
        self.sent.send(token, Subject { instance, task });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{ActivityFilter, OrchestrationFilter, WorkItemFilters};

    #[test]
    fn a_worker_with_filters_takes_what_they_name() {
        let all = GetWorkItemsRequest::default();
        assert_eq!((workflows(&all), activity_names(&all)), (None, None));

        let none = GetWorkItemsRequest { work_item_filters: Some(WorkItemFilters::default()), ..all.clone() };
        assert_eq!((workflows(&none), activity_names(&none)), (Some(BTreeMap::new()), Some(HashSet::new())));

        let version = |version: &str| OrchestrationFilter { name: "w".to_owned(), versions: vec![version.to_owned()] };
        let some = WorkItemFilters {
            orchestrations: vec![version("1"), version("2")],
            activities: vec![ActivityFilter { name: "a".to_owned(), versions: vec![] }],
        };
        let some = GetWorkItemsRequest { work_item_filters: Some(some), ..all };
        let versions = vec!["1".to_owned(), "2".to_owned()];
        assert_eq!(workflows(&some), Some(BTreeMap::from([("w".to_owned(), versions)])));
        assert_eq!(activity_names(&some), Some(HashSet::from(["a".to_owned()])));
    }
}

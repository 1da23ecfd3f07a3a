//! The parts of a runtime, in one place. What they do together is in `instance`, `dispatch` and the requests.

use std::sync::Arc;

use everturn_store::{DeploymentId, Instance, Store};
use tokio::sync::Semaphore;

use crate::RequestError;
use crate::alarm::Alarm;
use crate::clock::Clock;
use crate::deployments::Deployments;
use crate::dispatch::Dispatcher;
use crate::health::Monitor;
use crate::instance::Guests;
use crate::instance::mailroom::Mailroom;
use crate::interaction::{Asked, PendingUpdates};
use crate::options::Options;
use crate::pressure::Pressure;
use crate::remote::Remotes;
use crate::requests::UnknownWorkflow;
use crate::statistics::Counters;
use crate::stopping::Stopping;
use crate::watch::Watchers;

/// The parts of a runtime.
pub(crate) struct Host {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) options: Options,
    pub(crate) clock: Clock,
    pub(crate) mailroom: Mailroom,
    pub(crate) guests: Guests,
    /// One for each instance that may be read, run and written at the same time.
    pub(crate) in_progress: Arc<Semaphore>,
    /// Turns that are under way in this process.
    pub(crate) pressure: Arc<Pressure>,
    /// One for each guest that may run at the same time.
    pub(crate) turns: Semaphore,
    /// One for each question that may be read and asked at the same time: fewer than turns, which must not wait for them.
    pub(crate) questions: Arc<Semaphore>,
    pub(crate) deployments: Deployments,
    pub(crate) dispatcher: Dispatcher,
    pub(crate) remote: Remotes,
    pub(crate) asked: Asked,
    pub(crate) updates: PendingUpdates,
    pub(crate) alarm: Alarm,
    pub(crate) ended: tokio::sync::Notify,
    pub(crate) watchers: Watchers,
    pub(crate) health: Monitor,
    pub(crate) counters: Counters,
    pub(crate) stopping: Stopping,
}

impl Host {
    /// Where a new instance of a workflow goes: to a component, or, without one, to remote workers.
    pub(crate) fn route(
        &self,
        workflow: &str,
        version: Option<&str>,
        instance: &str,
        unknown: UnknownWorkflow,
    ) -> Result<Option<DeploymentId>, RequestError> {
        let routed = self.deployments.route(workflow, version, instance);
        let may_wait = unknown == UnknownWorkflow::AwaitWorker || self.remote.knows(workflow, version);
        if may_wait && !self.deployments.has(workflow) { Ok(None) } else { routed.map(Some) }
    }

    /// Where a child goes: to where its parent is, if that keeps what belongs to it, or where a start goes.
    pub(crate) fn route_child(
        &self,
        parent: &Instance,
        workflow: &str,
        version: Option<&str>,
        instance: &str,
        unknown: UnknownWorkflow,
    ) -> Result<Option<DeploymentId>, RequestError> {
        let stays = version.is_none_or(str::is_empty).then(|| self.deployments.stays_with(parent, workflow)).flatten();
        match stays {
            Some(deployment) => Ok(Some(deployment)),
            None => self.route(workflow, version, instance, unknown),
        }
    }
}

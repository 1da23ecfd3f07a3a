//! What all routes share: the runtime, the limits and what is taken of them, and whether the server stops.

use std::sync::Arc;

use everturn_runtime::Runtime;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::Limits;
use crate::refusal::Refusal;

/// What all routes share.
#[derive(Clone)]
pub(crate) struct App {
    pub(crate) runtime: Runtime,
    pub(crate) limits: Arc<Limits>,
    stopping: watch::Receiver<bool>,
    requests: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
    deployments: Arc<Semaphore>,
}

impl App {
    pub(crate) fn new(runtime: Runtime, limits: Limits, stopping: watch::Receiver<bool>) -> Self {
        Self {
            runtime,
            stopping,
            requests: Arc::new(Semaphore::new(limits.requests)),
            waiting: Arc::new(Semaphore::new(limits.waiting)),
            deployments: Arc::new(Semaphore::new(limits.deployments)),
            limits: Arc::new(limits),
        }
    }

    /// Room for one more request.
    pub(crate) fn request(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        take(&self.requests, "requests at the same time", self.limits.requests)
    }

    /// Room for one more request that waits on purpose.
    pub(crate) fn waiting(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        take(&self.waiting, "requests that wait for something at the same time", self.limits.waiting)
    }

    /// Room for one more component.
    pub(crate) fn deployment(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        take(&self.deployments, "deployments at the same time", self.limits.deployments)
    }

    /// Resolves when the server stops.
    pub(crate) fn stopping(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut stopping = self.stopping.clone();
        async move {
            // An error means that the server is gone, which is the same.
            let _ = stopping.wait_for(|stopping| *stopping).await;
        }
    }
}

fn take(room: &Arc<Semaphore>, what: &str, limit: usize) -> Result<OwnedSemaphorePermit, Refusal> {
    Arc::clone(room).try_acquire_owned().map_err(|_| Refusal::overloaded(what, limit))
}

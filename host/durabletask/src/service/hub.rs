//! What all methods share: the runtime, the limits and what is taken of them, and whether the server stops.

use std::net::SocketAddr;
use std::sync::Arc;

use everturn_runtime::Runtime;
use tokio::sync::{OwnedSemaphorePermit, watch};
use tonic::{Request, Status};

use crate::connections::Peer;
use crate::registry::Registry;
use crate::usage::Room;
use crate::{Dialect, Limits, Usage, status};

/// What all methods share.
pub(crate) struct Hub {
    pub(super) runtime: Runtime,
    pub(super) dialect: Dialect,
    pub(super) limits: Arc<Limits>,
    pub(super) registry: Arc<Registry>,
    pub(super) stopping: watch::Receiver<bool>,
    streams: Room,
    waiting: Room,
}

impl Hub {
    pub(crate) fn new(runtime: Runtime, dialect: Dialect, limits: Limits, stopping: watch::Receiver<bool>) -> Self {
        Self {
            runtime,
            dialect,
            registry: Arc::default(),
            stopping,
            streams: Room::new(limits.streams),
            waiting: Room::new(limits.waiting),
            limits: Arc::new(limits),
        }
    }

    pub(crate) fn usage(&self) -> Usage {
        Usage::new(Arc::clone(&self.registry), self.streams.clone(), self.waiting.clone())
    }

    /// Room for one more worker.
    pub(super) fn stream(&self) -> Result<OwnedSemaphorePermit, Status> {
        take(&self.streams, "connected workers")
    }

    /// Room for one more call that waits.
    pub(super) fn waiting(&self) -> Result<OwnedSemaphorePermit, Status> {
        take(&self.waiting, "calls that wait for an instance")
    }

    /// Resolves when the server stops.
    pub(super) async fn stopping(&self) {
        // An error means that the server is gone, which is the same.
        let _ = self.stopping.clone().wait_for(|stopping| *stopping).await;
    }
}

fn take(room: &Room, what: &str) -> Result<OwnedSemaphorePermit, Status> {
    Arc::clone(&room.places).try_acquire_owned().map_err(|_| status::overloaded(what, room.limit))
}

/// Who calls.
pub(super) fn peer<T>(request: &Request<T>) -> Result<SocketAddr, Status> {
    let peer = request.extensions().get::<Peer>().map(|peer| peer.0);
    peer.ok_or_else(|| Status::internal("the call came from no connection; the log of the host says more"))
}

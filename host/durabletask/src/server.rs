//! Serves the protocol, health and reflection on a listener, and stops without cutting anybody off.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use everturn_runtime::Runtime;
use everturn_server::Listener;
use tokio::sync::watch;
use tonic::service::Routes;
use tonic_health::ServingStatus;
use tonic_health::server::{HealthReporter, health_reporter};

use crate::connections::Connections;
use crate::guard::{RequiredToken, correct_code, require_token};
use crate::protocol::task_hub_sidecar_service_server::TaskHubSidecarServiceServer;
use crate::protocol::{DESCRIPTORS, SERVICE_NAME};
use crate::service::Hub;
use crate::{Dialect, Limits, Usage};

/// How long not to accept connections after the system failed to give us one: it may be out of files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// How a server is set up.
#[derive(Clone, Debug)]
pub struct GrpcOptions {
    /// What its peers speak, as far as they do not say so themselves.
    pub dialect: Dialect,
    /// What callers have to show as metadata `dapr-api-token`. None: nothing.
    pub token: Option<String>,
    /// How much it takes on.
    pub limits: Limits,
}

impl Default for GrpcOptions {
    fn default() -> Self {
        Self { dialect: Dialect::Dapr, token: None, limits: Limits::default() }
    }
}

/// A server that listens. It serves while [`GrpcServer::run`] runs.
pub struct GrpcServer {
    listener: Listener,
    router: Router,
    limits: Limits,
    health: HealthReporter,
    stopping: watch::Sender<bool>,
    usage: Usage,
}

impl GrpcServer {
    /// Listens where it may already.
    pub fn new(listener: Listener, runtime: Runtime, options: GrpcOptions) -> Self {
        let GrpcOptions { dialect, token, limits } = options;
        let stopping = watch::Sender::new(false);
        let hub = Hub::new(runtime, dialect, limits.clone(), stopping.subscribe());
        let usage = hub.usage();
        let (health, health_service) = health_reporter();
        let service = TaskHubSidecarServiceServer::from_arc(Arc::new(hub))
            .max_decoding_message_size(limits.inbound_message)
            .max_encoding_message_size(usize::MAX);
        let routes = with_reflection(Routes::new(service).add_service(health_service));
        let router = routes
            .into_axum_router()
            .layer(from_fn_with_state(RequiredToken::new(token.as_deref()), require_token))
            .layer(from_fn(correct_code));
        Self { listener, router, limits, health, stopping, usage }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.listener.address()
    }

    /// What is under way on it, also while it runs.
    pub fn usage(&self) -> Usage {
        self.usage.clone()
    }

    /// Serves until `shutdown` resolves. Then it accepts no connection, ends what waits for something, workers
    /// included, and lets the other calls come to their end within the grace time.
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        let Self { listener, router, limits, health, stopping, .. } = self;
        let listener = listener.into_inner();
        health.set_service_status(SERVICE_NAME, ServingStatus::Serving).await;
        let mut connections = Connections::new(router, &limits, stopping.subscribe());
        tokio::pin!(shutdown);
        loop {
            tokio::select! {
                () = &mut shutdown => break,
                accepted = connections.accept(&listener) => match accepted {
                    Ok((stream, peer, room)) => connections.serve(stream, peer, room),
                    Err(error) => {
                        tracing::warn!(%error, "cannot accept a connection");
                        tokio::time::sleep(ACCEPT_PAUSE).await;
                    }
                },
            }
        }
        drop(listener);
        for service in ["", SERVICE_NAME] {
            health.set_service_status(service, ServingStatus::NotServing).await;
        }
        stopping.send_replace(true);
        connections.finish(limits.grace).await;
    }
}

/// Lets tools ask what can be called.
fn with_reflection(routes: Routes) -> Routes {
    let reflection = tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(DESCRIPTORS)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        .build_v1();
    match reflection {
        Ok(reflection) => routes.add_service(reflection),
        Err(error) => {
            tracing::error!(%error, "reflection is off: the descriptors that this was built with cannot be read");
            routes
        }
    }
}

impl std::fmt::Debug for GrpcServer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("GrpcServer").field("listener", &self.listener).finish_non_exhaustive()
    }
}

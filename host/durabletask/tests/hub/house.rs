//! A host with the protocol's server, for one test.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use everturn_durabletask::protocol::task_hub_sidecar_service_client::TaskHubSidecarServiceClient;
use everturn_durabletask::protocol::{CreateInstanceRequest, GetInstanceRequest, InstanceFields, WorkflowState};
use everturn_durabletask::{Dialect, GrpcOptions, GrpcServer, Limits, Usage};
use everturn_history::{OrchestrationStatus, text};
use everturn_runtime::store::sqlite::{SqliteOptions, SqliteStore};
use everturn_runtime::{Options, Runtime};
use everturn_server::Listener;
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tonic::transport::{Channel, Endpoint};

pub(crate) type Client = TaskHubSidecarServiceClient<Channel>;

/// A host with its server.
pub(crate) struct House {
    pub(crate) address: SocketAddr,
    pub(crate) runtime: Runtime,
    pub(crate) usage: Usage,
    stop: Option<oneshot::Sender<()>>,
    served: Option<JoinHandle<()>>,
    _directory: TempDir,
}

impl House {
    /// For Dapr's peers.
    pub(crate) async fn new() -> Self {
        Self::with(GrpcOptions::default()).await
    }

    /// For Microsoft's peers.
    pub(crate) async fn microsoft() -> Self {
        Self::with(GrpcOptions { dialect: Dialect::Microsoft, ..GrpcOptions::default() }).await
    }

    pub(crate) async fn with_limits(limits: Limits) -> Self {
        Self::with(GrpcOptions { limits, ..GrpcOptions::default() }).await
    }

    pub(crate) async fn with(options: GrpcOptions) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&directory.path().join("data.db"), SqliteOptions::default()).unwrap();
        let runtime = Runtime::open(Arc::new(store), Options::default()).await.unwrap();
        let listener = Listener::bind((Ipv4Addr::LOCALHOST, 0).into()).await.unwrap();
        let server = GrpcServer::new(listener, runtime.clone(), options);
        let (address, usage) = (server.address(), server.usage());
        let (stop, stopped) = oneshot::channel::<()>();
        let served = tokio::spawn(server.run(async {
            let _ = stopped.await;
        }));
        Self { address, runtime, usage, stop: Some(stop), served: Some(served), _directory: directory }
    }

    /// A connection of its own.
    pub(crate) async fn channel(&self) -> Channel {
        Endpoint::from_shared(format!("http://{}", self.address)).unwrap().connect().await.unwrap()
    }

    /// A client with a connection of its own.
    pub(crate) async fn client(&self) -> Client {
        Client::new(self.channel().await)
    }

    /// Stops the server, and waits for that.
    pub(crate) async fn stop(&mut self) {
        let _ = self.stop.take().unwrap().send(());
        self.served.take().unwrap().await.unwrap();
    }

    /// Starts workflow `w` under this id, with this input.
    pub(crate) async fn start(&self, id: &str, input: &str) {
        self.client().await.start_instance(start(id, input)).await.unwrap();
    }

    /// How an instance stands, with all that it shows.
    pub(crate) async fn state(&self, id: &str) -> Option<WorkflowState> {
        self.client().await.get_instance(look(id)).await.unwrap().into_inner().workflow_state
    }

    pub(crate) async fn status(&self, id: &str) -> Option<OrchestrationStatus> {
        self.state(id).await.map(|state| state.workflow_status())
    }

    /// Waits for the end of an instance.
    pub(crate) async fn end_of(&self, id: &str) -> WorkflowState {
        let ended = self.client().await.wait_for_instance_completion(look(id)).await.unwrap();
        ended.into_inner().workflow_state.unwrap()
    }
}

pub(crate) fn start(id: &str, input: &str) -> CreateInstanceRequest {
    CreateInstanceRequest {
        fields: InstanceFields {
            instance_id: id.to_owned(),
            name: "w".to_owned(),
            input: Some(text(input)),
            ..InstanceFields::default()
        },
        ..CreateInstanceRequest::default()
    }
}

pub(crate) fn look(id: &str) -> GetInstanceRequest {
    GetInstanceRequest { instance_id: id.to_owned(), get_inputs_and_outputs: true, router: None }
}

/// Lets others go on until it holds.
pub(crate) async fn until(holds: impl Fn() -> bool) {
    while !holds() {
        tokio::task::yield_now().await;
    }
}

//! A worker outside of the host, as the Durable Task protocol has it: it is connected over loopback by gRPC, though it is in
//! this process, and its activity does nothing.

use std::net::Ipv4Addr;

use everturn_durabletask::protocol::task_hub_sidecar_service_client::TaskHubSidecarServiceClient;
use everturn_durabletask::protocol::work_item::Request;
use everturn_durabletask::protocol::{
    ActivityFilter, ActivityRequest, ActivityResponse, GetWorkItemsRequest, WorkItem, WorkItemFilters,
};
use everturn_durabletask::{GrpcOptions, GrpcServer};
use everturn_history::text;
use everturn_runtime::Runtime;
use everturn_server::Listener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tonic::Streaming;
use tonic::transport::{Channel, Endpoint};

/// The activity that the worker has.
pub(crate) const REMOTE_STEP: &str = "remote_step";
/// Activities that it takes at the same time: as many as SDKs do that say nothing.
const PLACES: i32 = 200;

type Client = TaskHubSidecarServiceClient<Channel>;

/// A worker that is connected, with the server that it is connected to.
#[derive(Debug)]
pub(crate) struct Worker {
    stop: oneshot::Sender<()>,
    served: JoinHandle<()>,
    working: JoinHandle<()>,
}

impl Worker {
    pub(crate) async fn connect(runtime: &Runtime) -> anyhow::Result<Self> {
        let listener = Listener::bind((Ipv4Addr::LOCALHOST, 0).into()).await?;
        let server = GrpcServer::new(listener, runtime.clone(), GrpcOptions::default());
        let address = server.address();
        let (stop, stopped) = oneshot::channel::<()>();
        let served = tokio::spawn(server.run(async {
            // Dropped or told: it is over.
            let _ = stopped.await;
        }));
        let mut client = Client::new(Endpoint::from_shared(format!("http://{address}"))?.connect().await?);
        let items = client.get_work_items(offer()).await?.into_inner();
        Ok(Self { stop, served, working: tokio::spawn(work(client, items)) })
    }

    /// Stops the server; the worker goes with it.
    pub(crate) async fn stop(self) -> anyhow::Result<()> {
        let _ = self.stop.send(());
        self.served.await?;
        Ok(self.working.await?)
    }
}

fn offer() -> GetWorkItemsRequest {
    let activity = ActivityFilter { name: REMOTE_STEP.to_owned(), ..ActivityFilter::default() };
    GetWorkItemsRequest {
        max_concurrent_activity_work_items: Some(PLACES),
        work_item_filters: Some(WorkItemFilters { activities: vec![activity], ..WorkItemFilters::default() }),
        ..GetWorkItemsRequest::default()
    }
}

/// Answers what it is given, each in its own call, until the stream ends.
async fn work(client: Client, mut items: Streaming<WorkItem>) {
    while let Ok(Some(item)) = items.message().await {
        let Some(Request::ActivityRequest(request)) = item.request else { continue };
        let (mut client, answer) = (client.clone(), answer(request, item.completion_token));
        tokio::spawn(async move {
            if let Err(status) = client.complete_activity_task(answer).await {
                eprintln!("an answer of the worker is refused: {status}");
            }
        });
    }
}

fn answer(request: ActivityRequest, completion_token: String) -> ActivityResponse {
    ActivityResponse {
        instance_id: request.workflow_instance.map(|instance| instance.instance_id).unwrap_or_default(),
        task_id: request.task_id,
        result: Some(text("null")),
        failure_details: None,
        completion_token,
    }
}

//! What can be asked for. This file is the map: each method is one line, and the work is in the file of its concern.
//!
//! - `start`, `reuse`: new instances; `look`: how instances stand; `control`: what one tells them
//! - `list`, `purge`: many at a time; `again`: reruns, restarts, rewinds; `history`
//! - `stream`: what a worker is sent; `complete`: what it answers; `measure`: how large that may be

mod again;
mod complete;
mod control;
mod history;
mod hub;
mod list;
mod look;
mod measure;
mod purge;
mod reuse;
mod start;
mod stream;

use everturn_runtime::Until;
use futures::stream::BoxStream;
pub(crate) use hub::Hub;
use pbjson_types::Empty;
use tonic::{Request, Response, Status};

use crate::protocol::task_hub_sidecar_service_server::TaskHubSidecarService;
use crate::protocol::*;

/// What a method gives.
type Answer<T> = Result<Response<T>, Status>;

fn answer<T>(result: Result<T, Status>) -> Answer<T> {
    result.map(Response::new)
}

#[tonic::async_trait]
impl TaskHubSidecarService for Hub {
    type GetWorkItemsStream = BoxStream<'static, Result<WorkItem, Status>>;
    type StreamInstanceHistoryStream = BoxStream<'static, Result<HistoryChunk, Status>>;

    async fn hello(&self, _: Request<Empty>) -> Answer<Empty> {
        answer(Ok(Empty {}))
    }

    async fn start_instance(&self, request: Request<CreateInstanceRequest>) -> Answer<CreateInstanceResponse> {
        answer(self.start(request.into_inner()).await)
    }

    async fn get_instance(&self, request: Request<GetInstanceRequest>) -> Answer<GetInstanceResponse> {
        answer(self.look(request.into_inner()).await)
    }

    async fn wait_for_instance_start(&self, request: Request<GetInstanceRequest>) -> Answer<GetInstanceResponse> {
        answer(self.wait(request, Until::Started).await)
    }

    async fn wait_for_instance_completion(&self, request: Request<GetInstanceRequest>) -> Answer<GetInstanceResponse> {
        answer(self.wait(request, Until::Ended).await)
    }

    async fn raise_event(&self, request: Request<RaiseEventRequest>) -> Answer<RaiseEventResponse> {
        answer(self.raise(request.into_inner()).await)
    }

    async fn terminate_instance(&self, request: Request<TerminateRequest>) -> Answer<TerminateResponse> {
        answer(self.terminate(request.into_inner()).await)
    }

    async fn suspend_instance(&self, request: Request<SuspendRequest>) -> Answer<SuspendResponse> {
        answer(self.suspend(request.into_inner()).await)
    }

    async fn resume_instance(&self, request: Request<ResumeRequest>) -> Answer<ResumeResponse> {
        answer(self.resume(request.into_inner()).await)
    }

    async fn purge_instances(&self, request: Request<PurgeInstancesRequest>) -> Answer<PurgeInstancesResponse> {
        answer(self.purge(request.into_inner()).await)
    }

    async fn query_instances(&self, request: Request<QueryInstancesRequest>) -> Answer<QueryInstancesResponse> {
        answer(self.query(request.into_inner().query.unwrap_or_default()).await)
    }

    async fn list_instance_i_ds(&self, request: Request<ListInstanceIDsRequest>) -> Answer<ListInstanceIDsResponse> {
        answer(self.list_all(request.into_inner()).await)
    }

    async fn list_instance_ids(&self, request: Request<ListInstanceIdsRequest>) -> Answer<ListInstanceIdsResponse> {
        answer(self.list_ended(request.into_inner()).await)
    }

    async fn rerun_workflow_from_event(
        &self,
        request: Request<RerunWorkflowFromEventRequest>,
    ) -> Answer<RerunWorkflowFromEventResponse> {
        answer(self.rerun(request.into_inner()).await)
    }

    async fn restart_instance(&self, request: Request<RestartInstanceRequest>) -> Answer<RestartInstanceResponse> {
        answer(self.restart(request.into_inner()).await)
    }

    async fn rewind_instance(&self, request: Request<RewindInstanceRequest>) -> Answer<RewindInstanceResponse> {
        answer(self.rewind(request.into_inner()).await)
    }

    async fn skip_graceful_orchestration_terminations(
        &self,
        request: Request<SkipGracefulOrchestrationTerminationsRequest>,
    ) -> Answer<SkipGracefulOrchestrationTerminationsResponse> {
        answer(self.terminate_all(request.into_inner()).await)
    }

    async fn get_instance_history(
        &self,
        request: Request<GetInstanceHistoryRequest>,
    ) -> Answer<GetInstanceHistoryResponse> {
        answer(self.history(request.into_inner()).await)
    }

    async fn stream_instance_history(
        &self,
        request: Request<StreamInstanceHistoryRequest>,
    ) -> Answer<Self::StreamInstanceHistoryStream> {
        answer(self.history_in_pieces(request.into_inner()).await)
    }

    async fn create_task_hub(&self, _: Request<CreateTaskHubRequest>) -> Answer<CreateTaskHubResponse> {
        answer(Ok(CreateTaskHubResponse {}))
    }

    async fn delete_task_hub(&self, _: Request<DeleteTaskHubRequest>) -> Answer<DeleteTaskHubResponse> {
        answer(Err(Status::failed_precondition(
            "this host has one hub, and deleting it would delete every instance; \
             to do that, stop the host and remove its data directory",
        )))
    }

    async fn get_work_items(&self, request: Request<GetWorkItemsRequest>) -> Answer<Self::GetWorkItemsStream> {
        answer(self.connect(&request))
    }

    async fn complete_activity_task(&self, request: Request<ActivityResponse>) -> Answer<CompleteTaskResponse> {
        answer(self.complete_activity(request).await)
    }

    async fn complete_orchestrator_task(&self, request: Request<WorkflowResponse>) -> Answer<CompleteTaskResponse> {
        answer(self.complete_turn(request).await)
    }

    async fn complete_workflow_task(&self, request: Request<WorkflowResponse>) -> Answer<CompleteTaskResponse> {
        answer(self.complete_turn(request).await)
    }

    async fn abandon_task_activity_work_item(
        &self,
        request: Request<AbandonActivityTaskRequest>,
    ) -> Answer<AbandonActivityTaskResponse> {
        answer(self.abandon_activity(&request.get_ref().completion_token).map(|()| AbandonActivityTaskResponse {}))
    }

    async fn abandon_task_orchestrator_work_item(
        &self,
        request: Request<AbandonOrchestrationTaskRequest>,
    ) -> Answer<AbandonOrchestrationTaskResponse> {
        answer(self.abandon_turn(&request.get_ref().completion_token).map(|()| AbandonOrchestrationTaskResponse {}))
    }
}

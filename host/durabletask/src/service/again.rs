//! Instances that run once more: from an event, from their start, or from before what failed.

use everturn_history::{InstanceId, SequenceId};
use everturn_runtime::{Form, RerunRequest};
use tonic::Status;

use super::Hub;
use crate::protocol::{
    RerunWorkflowFromEventRequest, RerunWorkflowFromEventResponse, RestartInstanceRequest, RestartInstanceResponse,
    RewindInstanceRequest, RewindInstanceResponse,
};
use crate::status;

impl Hub {
    /// Runs an instance again from some point of its history, as a new one.
    pub(super) async fn rerun(
        &self,
        request: RerunWorkflowFromEventRequest,
    ) -> Result<RerunWorkflowFromEventResponse, Status> {
        let from = i32::try_from(request.event_id)
            .map_err(|_| Status::invalid_argument(format!("{} is the number of no event", request.event_id)))?;
        let id = |id: Option<String>| id.filter(|id| !id.is_empty()).map(InstanceId::from);
        let input = request.input.map_or_else(|| "null".to_owned(), |input| input.value);
        let rerun = RerunRequest {
            from: SequenceId::new(from),
            new_id: id(request.new_instance_id),
            input: request.overwrite_input.then_some(input),
            form: Form::Opaque,
            child_id: id(request.new_child_workflow_instance_id),
        };
        let source = InstanceId::from(request.source_instance_id);
        let started = self.runtime.rerun(&source, rerun).await.map_err(|error| status::refusal(&error))?;
        Ok(RerunWorkflowFromEventResponse { new_instance_id: started.id.into_string() })
    }

    /// Starts an instance that has ended once more.
    pub(super) async fn restart(&self, request: RestartInstanceRequest) -> Result<RestartInstanceResponse, Status> {
        let id = InstanceId::from(request.instance_id);
        let restarted = self.runtime.restart(&id, request.restart_with_new_instance_id).await;
        let id = restarted.map_err(|error| status::refusal(&error))?;
        Ok(RestartInstanceResponse { instance_id: id.into_string() })
    }

    /// Lets an instance that failed try again what failed.
    pub(super) async fn rewind(&self, request: RewindInstanceRequest) -> Result<RewindInstanceResponse, Status> {
        let id = InstanceId::from(request.instance_id);
        let rewound = self.runtime.rewind(&id, request.reason.map(|reason| reason.value)).await;
        rewound.map_err(|error| status::refusal(&error))?;
        Ok(RewindInstanceResponse {})
    }
}

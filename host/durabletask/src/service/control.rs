//! What one tells an instance: events, and to end, pause or go on.
//!
//! An instance that has ended takes nothing of it, and that is no error: clients cannot know that it has ended.

use everturn_history::InstanceId;
use everturn_runtime::{Form, RequestError, Until};
use everturn_store::StoreError;
use tonic::Status;

use super::Hub;
use crate::protocol::{
    RaiseEventRequest, RaiseEventResponse, ResumeRequest, ResumeResponse, SkipGracefulOrchestrationTerminationsRequest,
    SkipGracefulOrchestrationTerminationsResponse, SuspendRequest, SuspendResponse, TerminateRequest,
    TerminateResponse,
};
use crate::status;

/// Whether an instance took what it was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Took,
    HasEnded,
}

fn told(result: Result<(), RequestError>) -> Result<Told, Status> {
    match result {
        Ok(()) => Ok(Told::Took),
        Err(RequestError::Store(StoreError::Ended { .. })) => Ok(Told::HasEnded),
        Err(error) => Err(status::refusal(&error)),
    }
}

impl Hub {
    /// Raises an event.
    pub(super) async fn raise(&self, request: RaiseEventRequest) -> Result<RaiseEventResponse, Status> {
        let id = InstanceId::from(request.instance_id);
        let input = request.input.map(|input| input.value);
        let raised = self.runtime.raise_event_as(&id, &request.name, input, Form::Opaque).await;
        if told(raised.map(drop))? == Told::HasEnded {
            tracing::debug!(instance = %id, event = request.name, "an event came to an instance that has ended");
        }
        Ok(RaiseEventResponse {})
    }

    /// Ends an instance, and waits for that.
    pub(super) async fn terminate(&self, request: TerminateRequest) -> Result<TerminateResponse, Status> {
        let id = InstanceId::from(request.instance_id);
        let output = request.output.map(|output| output.value);
        let terminated = self.runtime.terminate_as(&id, output, request.recursive, Form::Opaque).await;
        self.effect(&id, told(terminated)?, Until::Ended).await;
        Ok(TerminateResponse {})
    }

    /// Pauses an instance, and waits for that.
    pub(super) async fn suspend(&self, request: SuspendRequest) -> Result<SuspendResponse, Status> {
        let id = InstanceId::from(request.instance_id);
        let suspended = self.runtime.suspend(&id, request.reason.map(|reason| reason.value)).await;
        self.effect(&id, told(suspended)?, Until::Suspended).await;
        Ok(SuspendResponse {})
    }

    /// Lets an instance go on, and waits for that.
    pub(super) async fn resume(&self, request: ResumeRequest) -> Result<ResumeResponse, Status> {
        let id = InstanceId::from(request.instance_id);
        let resumed = self.runtime.resume(&id, request.reason.map(|reason| reason.value)).await;
        self.effect(&id, told(resumed)?, Until::Resumed).await;
        Ok(ResumeResponse {})
    }

    /// Ends many instances; names those that are not there or have ended.
    pub(super) async fn terminate_all(
        &self,
        request: SkipGracefulOrchestrationTerminationsRequest,
    ) -> Result<SkipGracefulOrchestrationTerminationsResponse, Status> {
        let reason = request.reason.map(|reason| reason.value);
        let mut left = Vec::new();
        for id in request.instance_batch.unwrap_or_default().instance_ids {
            let instance = InstanceId::from(id.as_str());
            let terminated = self.runtime.terminate_as(&instance, reason.clone(), false, Form::Opaque).await;
            let is_missing = matches!(terminated, Err(RequestError::Store(StoreError::NotFound { .. })));
            if is_missing || told(terminated)? == Told::HasEnded {
                left.push(id);
            }
        }
        Ok(SkipGracefulOrchestrationTerminationsResponse { unterminated_instance_ids: left })
    }

    /// What was told is on disk, and has its effect soon: whoever looks next should see it. If that takes longer, or
    /// the instance is gone meanwhile, it does not matter to who asked.
    async fn effect(&self, id: &InstanceId, told: Told, until: Until) {
        if told == Told::HasEnded {
            return;
        }
        tokio::select! {
            _ = self.runtime.wait_until(id, until) => {}
            () = tokio::time::sleep(self.limits.effect_time) => {}
            () = self.stopping() => {}
        }
    }
}

//! How instances stand, now or once something has happened to them.

use everturn_history::InstanceId;
use everturn_runtime::{RequestError, Until};
use everturn_store::{Instance, StoreError};
use tonic::{Request, Status};

use super::Hub;
use crate::protocol::{GetInstanceRequest, GetInstanceResponse, WorkflowState};
use crate::wire::{Payloads, state};
use crate::{deadline, status};

const UNKNOWN: GetInstanceResponse = GetInstanceResponse { exists: false, workflow_state: None };

impl Hub {
    /// How an instance stands. One that is not there is no error.
    pub(super) async fn look(&self, request: GetInstanceRequest) -> Result<GetInstanceResponse, Status> {
        let found = self.runtime.find_instance(&InstanceId::from(request.instance_id)).await;
        match found.map_err(|error| status::refusal(&error))? {
            Some(instance) => self.found(instance, request.get_inputs_and_outputs).await,
            None => Ok(UNKNOWN),
        }
    }

    /// The same, once something has happened. It waits as long as the client does.
    pub(super) async fn wait(
        &self,
        request: Request<GetInstanceRequest>,
        until: Until,
    ) -> Result<GetInstanceResponse, Status> {
        let limit = deadline::of(request.metadata());
        let request = request.into_inner();
        let _room = self.waiting()?;
        let id = InstanceId::from(request.instance_id);
        let waited = tokio::select! {
            biased;
            waited = self.runtime.wait_until(&id, until) => waited,
            () = self.stopping() => return Err(status::stopping()),
            () = deadline::passed(limit) => {
                let problem = format!("instance `{id}` took longer than the client waits for it");
                return Err(Status::deadline_exceeded(problem));
            }
        };
        match waited {
            Ok(instance) => self.found(instance, request.get_inputs_and_outputs).await,
            Err(RequestError::Store(StoreError::NotFound { .. })) => Ok(UNKNOWN),
            Err(error) => Err(status::refusal(&error)),
        }
    }

    async fn found(&self, instance: Instance, with_payloads: bool) -> Result<GetInstanceResponse, Status> {
        let state = self.state(instance, with_payloads).await?;
        Ok(GetInstanceResponse { exists: true, workflow_state: Some(state) })
    }

    /// The state of an instance, with what goes in and out if that is wanted.
    pub(super) async fn state(&self, instance: Instance, with_payloads: bool) -> Result<WorkflowState, Status> {
        let payloads = if with_payloads {
            let input = self.runtime.input_of(instance.key).await.map_err(|error| status::refusal(&error))?;
            Payloads::Shown { input }
        } else {
            Payloads::Omitted
        };
        Ok(state(self.dialect, instance, payloads))
    }
}

//! Starts workflows.

use std::time::{SystemTime, UNIX_EPOCH};

use everturn_history::{InstanceId, StringValue, Timestamp};
use everturn_runtime::{ExistingInstance, Form, StartRequest, UnknownWorkflow};
use everturn_store::Time;
use tonic::Status;

use super::Hub;
use super::reuse::reuse;
use crate::protocol::{CreateInstanceRequest, CreateInstanceResponse};
use crate::status;
use crate::wire::read_time;

impl Hub {
    /// Starts a workflow. Whether a worker for it is connected does not matter: it may come later.
    pub(super) async fn start(&self, request: CreateInstanceRequest) -> Result<CreateInstanceResponse, Status> {
        let id = given(request.fields.instance_id.clone()).map(InstanceId::from);
        let if_exists = self.if_exists(id.as_ref(), &request).await?;
        let fields = request.fields;
        let start = StartRequest {
            workflow: fields.name,
            id,
            input: fields.input.map(|input| input.value),
            version: fields.version.and_then(value),
            starts_at: later(fields.scheduled_start_timestamp)?,
            tags: fields.tags,
            if_exists,
            unknown: UnknownWorkflow::AwaitWorker,
            form: Form::Opaque,
            execution_id: fields.execution_id.and_then(value),
            trace: fields.parent_trace_context,
        };
        let started = self.runtime.start(start).await.map_err(|error| status::refusal(&error))?;
        Ok(CreateInstanceResponse { instance_id: started.id.into_string() })
    }

    async fn if_exists(
        &self,
        id: Option<&InstanceId>,
        request: &CreateInstanceRequest,
    ) -> Result<ExistingInstance, Status> {
        // An id that is generated is nobody else's.
        let Some(id) = id else { return Ok(ExistingInstance::Fail) };
        let existing = self.runtime.find_instance(id).await.map_err(|error| status::refusal(&error))?;
        let policy = request.fields.orchestration_id_reuse_policy.as_ref();
        let with = |existing| reuse(self.dialect, request.enforce_unique_instance_id, policy, existing);
        Ok(existing.map_or(ExistingInstance::Fail, |existing| with(existing.status)))
    }
}

/// Text that is there. Some SDKs send empty text for none.
fn given(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

fn value(wrapped: StringValue) -> Option<String> {
    given(wrapped.value)
}

/// A time that is still to come. Some SDKs send 1970 for none.
fn later(at: Option<Timestamp>) -> Result<Option<Time>, Status> {
    let at = at.map(read_time).transpose().map_err(status::no_moment)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = Time::default().after(now);
    Ok(at.filter(|at| *at > now))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_has_passed_is_none() {
        let at = |seconds| later(Some(Timestamp { seconds, nanos: 0 })).unwrap();
        assert_eq!(at(0), None);
        assert_eq!(at(1_000_000_000), None);
        assert_eq!(at(200_000_000_000), Some(Time::from_micros(200_000_000_000_000_000)));
        assert_eq!(later(None).unwrap(), None);
        assert!(later(Some(Timestamp { seconds: 0, nanos: -1 })).is_err());
    }
}

//! What one may say to a workflow while it goes on, beside events: signals it handles, queries it answers, updates it takes
//! and answers. Only components have these; what they have is in their descriptions.
//!
//! - `signal`, `query`, `update`: what clients ask for
//! - `asked`: guests that are kept to be asked, apart from those that take turns
//! - `pending`: who waits for the answer to an update

mod asked;
mod pending;
mod query;
mod signal;
mod update;

use everturn_guest::{Component, WorkflowDescription};
use everturn_history::InstanceId;
use everturn_store::Instance;

pub(crate) use asked::Asked;
pub(crate) use pending::{PendingUpdates, UpdateReply};
pub use update::UpdateOutcome;

use crate::{RequestError, Runtime};

/// What a workflow may handle.
#[derive(Clone, Copy)]
enum Handler {
    Signal,
    Query,
    Update,
}

impl Handler {
    fn word(self) -> &'static str {
        match self {
            Self::Signal => "signal",
            Self::Query => "query",
            Self::Update => "update",
        }
    }

    fn names(self, workflow: &WorkflowDescription) -> &[String] {
        match self {
            Self::Signal => &workflow.signals,
            Self::Query => &workflow.queries,
            Self::Update => &workflow.updates,
        }
    }
}

impl Runtime {
    /// The component of an instance, if its workflow handles something of this name.
    async fn handling(&self, instance: &Instance, handler: Handler, name: &str) -> Result<Component, RequestError> {
        let unknown = |known: &[String]| RequestError::UnknownHandler {
            what: handler.word(),
            name: name.to_owned(),
            workflow: instance.workflow.clone(),
            known: known.to_vec(),
        };
        let Some(deployment) = instance.deployment else { return Err(unknown(&[])) };
        let component = self.host.deployments.component(&self.host, deployment).await?;
        let workflow = component.workflows().iter().find(|workflow| workflow.name == instance.workflow);
        let known = workflow.map_or(&[][..], |workflow| handler.names(workflow));
        // As for events: upper and lower case are the same. A workflow that describes none may register some as it runs.
        let handles = known.is_empty() || known.iter().any(|known| known.to_lowercase() == name.to_lowercase());
        if handles { Ok(component) } else { Err(unknown(known)) }
    }

    async fn find_handling(
        &self,
        id: &InstanceId,
        handler: Handler,
        name: &str,
    ) -> Result<(Instance, Component), RequestError> {
        self.require_open()?;
        let instance = self.find(id).await?;
        let component = self.handling(&instance, handler, name).await?;
        Ok((instance, component))
    }
}

//! Signals: events that a workflow says it handles.

use everturn_history::InstanceId;

use super::Handler;
use crate::{RequestError, Runtime};

impl Runtime {
    /// Sends a signal: an event that the workflow of the instance says it handles. Says what to mind.
    pub async fn signal(
        &self,
        id: &InstanceId,
        name: &str,
        input: Option<String>,
    ) -> Result<Vec<String>, RequestError> {
        self.find_handling(id, Handler::Signal, name).await?;
        self.raise_event(id, name, input).await
    }
}

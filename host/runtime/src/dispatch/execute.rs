//! Runs an activity in this process: a native function, or one of a deployed component.

use std::sync::Arc;

use everturn_activity::{Heartbeat, Outcome, error_types};
use everturn_replay::Failure;
use everturn_store::{StoreError, Token};

use super::Assignment;
use crate::RequestError;
use crate::host::Host;

/// Passes signs of life on.
struct Pulse {
    host: Arc<Host>,
    token: Token,
}

impl Heartbeat for Pulse {
    fn beat(&self, _details: Option<String>) -> bool {
        self.host.dispatcher.heartbeat(self.token)
    }
}

/// Runs it to its outcome. Dropped, it stops. None: nothing was begun, since nobody here has it any more or the host stops.
pub(super) async fn execute(host: &Arc<Host>, token: Token, assignment: &Assignment) -> Option<Outcome> {
    let call = assignment.call();
    let pulse: Arc<dyn Heartbeat> = Arc::new(Pulse { host: Arc::clone(host), token });
    if host.options.activities.names().any(|name| name == call.activity) {
        return Some(host.options.activities.run(call, pulse)?.await);
    }
    let (component, permissions) = match host.deployments.activity_component(host, &call.activity).await {
        Ok(found) => found?,
        Err(RequestError::Store(error)) if error.is_temporary() || matches!(error, StoreError::Closed) => return None,
        Err(error) => return Some(Err(failure(error_types::HOST, error.to_string()))),
    };
    Some(match permissions.grants(|name| host.options.secrets.get(name)) {
        Ok(grants) => component.run(call, &grants, pulse).await,
        Err(missing) => Err(failure("MissingSecret", missing.to_string())),
    })
}

fn failure(error_type: &str, message: String) -> Failure {
    Failure { error_type: error_type.to_owned(), message, details: None, causes: Vec::new(), retriable: true }
}

//! Runs an activity in this process: a native function, or one of a deployed component.

use std::sync::Arc;

use everturn_activity::{Heartbeat, Outcome, error_types};
use everturn_replay::Failure;
use everturn_store::Token;

use super::Assignment;
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

/// Runs it to its outcome. Dropped, it stops.
pub(super) async fn execute(host: &Arc<Host>, token: Token, assignment: &Assignment) -> Outcome {
    let call = assignment.call();
    let pulse: Arc<dyn Heartbeat> = Arc::new(Pulse { host: Arc::clone(host), token });
    if host.options.activities.names().any(|name| name == call.activity) {
        return match host.options.activities.run(call, pulse) {
            Some(running) => running.await,
            None => Err(failure(error_types::UNKNOWN_ACTIVITY, "the activity is not here any more".to_owned())),
        };
    }
    let Some(deployment) = host.deployments.activity(&call.activity) else {
        return Err(failure(
            error_types::UNKNOWN_ACTIVITY,
            format!("activity `{}` is not here any more", call.activity),
        ));
    };
    let (component, permissions) = match host.deployments.activity_component(host, deployment).await {
        Ok(Some(found)) => found,
        Ok(None) => {
            return Err(failure(
                error_types::UNKNOWN_ACTIVITY,
                format!("no component has activity `{}`", call.activity),
            ));
        }
        Err(error) => return Err(failure(error_types::HOST, error.to_string())),
    };
    match permissions.grants(|name| host.options.secrets.get(name)) {
        Ok(grants) => component.run(call, &grants, pulse).await,
        Err(missing) => Err(failure("MissingSecret", missing.to_string())),
    }
}

fn failure(error_type: &str, message: String) -> Failure {
    Failure { error_type: error_type.to_owned(), message, details: None, causes: Vec::new(), retriable: true }
}

//! The exports of the component, in the terms of the contract. A component gets them by linking this crate.

use std::io::Write;

use crate::bindings::everturn::workflow::types::Failure;
use crate::bindings::exports::everturn::activity::activities::{self, ActivityDescription};
use crate::bindings::exports::everturn::workflow::queries;
use crate::bindings::exports::everturn::workflow::workflows::{self, WorkflowDescription};
use crate::handlers::{QueryError, ask};
use crate::payload::NULL;
use crate::role::{self, Role};
use crate::{component, error};

struct Component;

impl workflows::Guest for Component {
    fn describe() -> Vec<WorkflowDescription> {
        let describe = |workflow: &component::Workflow| WorkflowDescription {
            name: workflow.name.to_owned(),
            summary: workflow.summary.to_owned(),
            signals: owned(workflow.signals),
            updates: owned(workflow.updates),
            queries: owned(workflow.queries),
        };
        component::workflows().into_iter().map(describe).collect()
    }

    async fn run(workflow: String, input: String) -> Result<String, Failure> {
        let outcome = run(Role::Workflow, component::run(&workflow, input)).await;
        let error = match outcome {
            Ok(output) => return Ok(output),
            Err(error) => error,
        };
        match error.into_parts() {
            // The host restarts a workflow that ends well, and drops what it returned.
            (_, Some(restart)) => {
                restart.tell_host();
                Ok(NULL.to_owned())
            }
            (failure, None) => Err(failure.into()),
        }
    }
}

impl queries::Guest for Component {
    fn query(name: String, input: String) -> Result<String, queries::QueryError> {
        let answer = ask(&name, &input).map_err(|error| match error {
            QueryError::Unknown(names) => queries::QueryError::UnknownQuery(names),
            QueryError::Failed(error) => queries::QueryError::Failed(error.into_parts().0.into()),
        });
        flush();
        answer
    }
}

impl activities::Guest for Component {
    fn describe() -> Vec<ActivityDescription> {
        let describe = |activity: &component::Activity| ActivityDescription {
            name: activity.name.to_owned(),
            summary: activity.summary.to_owned(),
        };
        component::activities().into_iter().map(describe).collect()
    }

    async fn run(activity: String, input: String) -> Result<String, Failure> {
        let outcome = run(Role::Activity, component::run_activity(&activity, input)).await;
        outcome.map_err(|error| error.into_parts().0.into())
    }
}

async fn run(role: Role, function: impl Future<Output = error::Result<String>>) -> error::Result<String> {
    role::set(role);
    // The host shows what a panic wrote; threads and backtraces, which the usual hook writes of, do not exist here.
    std::panic::set_hook(Box::new(|panic| eprintln!("{panic}")));
    let outcome = function.await;
    flush();
    outcome
}

/// What was printed without an end of line waits in here, and nothing else would bring it out.
fn flush() {
    let _ = std::io::stdout().flush();
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

// Elsewhere there is no component to export from, and native linkers trip over the names.
#[cfg(target_family = "wasm")]
crate::bindings::export!(Component with_types_in crate::bindings);

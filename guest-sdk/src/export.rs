//! The exports of the component, in the terms of the contract. A component gets them by linking this crate.

use std::io::Write;

use crate::bindings::everturn::workflow::types::Failure;
use crate::bindings::exports::everturn::workflow::workflows::{Guest, WorkflowDescription};
use crate::component;
use crate::payload::NULL;

struct Component;

impl Guest for Component {
    fn describe() -> Vec<WorkflowDescription> {
        let describe = |workflow: &component::Workflow| WorkflowDescription {
            name: workflow.name.to_owned(),
            summary: workflow.summary.to_owned(),
            signals: Vec::new(),
            updates: Vec::new(),
            queries: Vec::new(),
        };
        component::workflows().into_iter().map(describe).collect()
    }

    async fn run(workflow: String, input: String) -> Result<String, Failure> {
        // The host shows what a panic wrote; threads and backtraces, which the usual hook writes of, do not exist here.
        std::panic::set_hook(Box::new(|panic| eprintln!("{panic}")));
        let outcome = component::run(&workflow, input).await;
        // What was printed without an end of line waits in here, and nothing else would bring it out.
        let _ = std::io::stdout().flush();
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

// Elsewhere there is no component to export from, and native linkers trip over the names.
#[cfg(target_family = "wasm")]
crate::bindings::export!(Component with_types_in crate::bindings);

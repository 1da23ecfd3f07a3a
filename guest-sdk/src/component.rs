//! The border of the component: which workflows are inside, and running one of them. What `#[workflow]` expands to ends
//! here; nothing in this file knows what a workflow does.

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::context::Ctx;
use crate::error::{Error, Result};
use crate::{error_types, payload, stall};

/// A workflow inside this component, as `#[workflow]` registers it.
pub struct Workflow {
    /// The name to start it by.
    pub name: &'static str,
    /// What it does, in words.
    pub summary: &'static str,
    /// Begins it with the input it was started with.
    pub start: fn(Ctx, String) -> Run,
}

/// A workflow under way, with its input and its output as JSON text.
pub type Run = LocalBoxFuture<'static, Result<String>>;

inventory::collect!(Workflow);

/// Begins a workflow that takes an input.
pub fn start_with_input<I, O, E, F>(name: &'static str, workflow: fn(Ctx, I) -> F, ctx: Ctx, input: String) -> Run
where
    I: DeserializeOwned + 'static,
    O: Serialize,
    E: Into<Error>,
    F: Future<Output = Result<O, E>> + 'static,
{
    async move {
        let input = payload::decode_input(&input, format_args!("workflow `{name}`"))?;
        finish(name, workflow(ctx, input).await)
    }
    .boxed_local()
}

/// Begins a workflow that takes no input; what it was started with is not looked at.
pub fn start_without_input<O, E, F>(name: &'static str, workflow: fn(Ctx) -> F, ctx: Ctx) -> Run
where
    O: Serialize,
    E: Into<Error>,
    F: Future<Output = Result<O, E>> + 'static,
{
    async move { finish(name, workflow(ctx).await) }.boxed_local()
}

fn finish<O: Serialize, E: Into<Error>>(name: &str, outcome: Result<O, E>) -> Result<String> {
    let output = outcome.map_err(Into::into)?;
    payload::encode_output(&output, format_args!("workflow `{name}`"))
}

/// All workflows inside, by name. Two of one name are both there: that is for the host to refuse.
pub(crate) fn workflows() -> Vec<&'static Workflow> {
    let mut workflows: Vec<_> = inventory::iter::<Workflow>.into_iter().collect();
    // They come in the order in which the linker found them, which means nothing.
    workflows.sort_by_key(|workflow| workflow.name);
    workflows
}

/// Runs the workflow of that name to its end.
pub(crate) async fn run(name: &str, input: String) -> Result<String> {
    match workflows().into_iter().find(|workflow| workflow.name == name) {
        Some(workflow) => stall::watched((workflow.start)(Ctx::new(), input)).await,
        None => Err(unknown(name)),
    }
}

fn unknown(name: &str) -> Error {
    let names: Vec<_> = workflows().into_iter().map(|workflow| format!("`{}`", workflow.name)).collect();
    let inside = match names.as_slice() {
        [] => "it has none".to_owned(),
        names => format!("it has {}", names.join(", ")),
    };
    let message = format!("this component has no workflow `{name}`; {inside}");
    Error::new(error_types::UNKNOWN_WORKFLOW, message).not_retriable()
}

#[cfg(test)]
mod tests;

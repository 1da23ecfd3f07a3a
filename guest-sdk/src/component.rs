//! The border of the component: which workflows and activities are inside, and running one of them. What `#[workflow]` and
//! `#[activity]` expand to ends here; nothing in this file knows what they do.

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::activity_context::ActivityCtx;
use crate::context::Ctx;
use crate::error::{Error, Result};
use crate::handlers::{Methods, beside_handlers};
use crate::{error_types, instance, payload, stall};

/// A workflow inside this component, as `#[workflow]` registers it.
pub struct Workflow {
    /// The name to start it by.
    pub name: &'static str,
    /// What it does, in words.
    pub summary: &'static str,
    /// The signals that it handles from its beginning.
    pub signals: &'static [&'static str],
    /// The updates that it handles from its beginning.
    pub updates: &'static [&'static str],
    /// The queries that it answers from its beginning.
    pub queries: &'static [&'static str],
    /// Begins it with the input it was started with.
    pub start: fn(Ctx, String) -> Run,
}

/// An activity inside this component, as `#[activity]` registers it.
pub struct Activity {
    /// The name to call it by.
    pub name: &'static str,
    /// What it does, in words.
    pub summary: &'static str,
    /// Begins it with the input it was called with.
    pub start: fn(ActivityCtx, String) -> Run,
}

impl Workflow {
    /// A workflow without handlers of its own.
    #[must_use]
    pub const fn new(name: &'static str, summary: &'static str, start: fn(Ctx, String) -> Run) -> Self {
        Self { name, summary, signals: &[], updates: &[], queries: &[], start }
    }
}

impl Activity {
    /// An activity.
    #[must_use]
    pub const fn new(name: &'static str, summary: &'static str, start: fn(ActivityCtx, String) -> Run) -> Self {
        Self { name, summary, start }
    }
}

/// A workflow or activity under way, with its input and its output as JSON text.
pub type Run = LocalBoxFuture<'static, Result<String>>;

inventory::collect!(Workflow);
inventory::collect!(Activity);

/// Begins a function that takes an input. `whose` reads like "workflow `greet`".
pub fn start_with_input<C, I, O, E, F>(whose: &'static str, function: fn(C, I) -> F, ctx: C, input: String) -> Run
where
    C: 'static,
    I: DeserializeOwned + 'static,
    O: Serialize,
    E: Into<Error>,
    F: Future<Output = Result<O, E>> + 'static,
{
    async move {
        let input = payload::decode_input(&input, whose)?;
        finish(whose, function(ctx, input).await)
    }
    .boxed_local()
}

/// Begins a function that takes no input; what it was started with is not looked at.
pub fn start_without_input<C, O, E, F>(whose: &'static str, function: fn(C) -> F, ctx: C) -> Run
where
    C: 'static,
    O: Serialize,
    E: Into<Error>,
    F: Future<Output = Result<O, E>> + 'static,
{
    async move { finish(whose, function(ctx).await) }.boxed_local()
}

/// Begins a workflow that has a state. The state and the handlers are there before anything is polled, so that signals that
/// are there already are handled before the main function begins.
pub fn start_with_state<S, I, O, E, F>(
    whose: &'static str,
    input: &str,
    init: fn(&Ctx<S>, &I) -> S,
    register: fn(&Methods<S>),
    main: fn(Ctx<S>, I) -> F,
) -> Run
where
    S: 'static,
    I: DeserializeOwned + 'static,
    O: Serialize,
    E: Into<Error>,
    F: Future<Output = Result<O, E>> + 'static,
{
    let input = match payload::decode_input(input, whose) {
        Ok(input) => input,
        Err(error) => return std::future::ready(Err(error)).boxed_local(),
    };
    let ctx = Ctx::new();
    // Before any code of the workflow, which may register handlers too.
    register(&Methods::new());
    instance::with(|instance| instance.registry.borrow_mut().complete());
    instance::put_state(init(&ctx, &input));
    let main = main(ctx, input);
    async move { finish(whose, main.await) }.boxed_local()
}

/// The outcome of a handler in the terms of the SDK.
///
/// # Errors
/// The handler's, converted.
pub fn converted<T, E: Into<Error>>(outcome: Result<T, E>) -> Result<T> {
    outcome.map_err(Into::into)
}

fn finish<O: Serialize, E: Into<Error>>(whose: &str, outcome: Result<O, E>) -> Result<String> {
    let output = outcome.map_err(Into::into)?;
    payload::encode_output(&output, whose)
}

/// All workflows inside, by name. Two of one name are both there: that is for the host to refuse.
pub(crate) fn workflows() -> Vec<&'static Workflow> {
    let mut workflows: Vec<_> = inventory::iter::<Workflow>.into_iter().collect();
    // They come in the order in which the linker found them, which means nothing.
    workflows.sort_by_key(|workflow| workflow.name);
    workflows
}

/// All activities inside, by name.
pub(crate) fn activities() -> Vec<&'static Activity> {
    let mut activities: Vec<_> = inventory::iter::<Activity>.into_iter().collect();
    activities.sort_by_key(|activity| activity.name);
    activities
}

/// Runs the workflow of that name to its end.
pub(crate) async fn run(name: &str, input: String) -> Result<String> {
    match workflows().into_iter().find(|workflow| workflow.name == name) {
        Some(workflow) => {
            instance::clear();
            stall::watched(beside_handlers((workflow.start)(Ctx::new(), input))).await
        }
        None => {
            let names = workflows().into_iter().map(|workflow| workflow.name);
            Err(unknown(error_types::UNKNOWN_WORKFLOW, "workflow", name, names))
        }
    }
}

/// Runs the activity of that name to its end.
pub(crate) async fn run_activity(name: &str, input: String) -> Result<String> {
    match activities().into_iter().find(|activity| activity.name == name) {
        Some(activity) => (activity.start)(ActivityCtx::new(), input).await,
        None => {
            let names = activities().into_iter().map(|activity| activity.name);
            Err(unknown(error_types::UNKNOWN_ACTIVITY, "activity", name, names))
        }
    }
}

fn unknown(error_type: &str, what: &str, name: &str, names: impl Iterator<Item = &'static str>) -> Error {
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    let inside = match names.as_slice() {
        [] => "it has none".to_owned(),
        names => format!("it has {}", names.join(", ")),
    };
    Error::new(error_type, format!("this component has no {what} `{name}`; {inside}")).not_retriable()
}

#[cfg(test)]
mod tests;

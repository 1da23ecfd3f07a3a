//! The attribute macros of everturn-sdk. This file is only their door; `function` does the work for functions, `state` for
//! workflows with state.

mod function;
mod names;
mod state;

use proc_macro::TokenStream;

/// Makes an async function, or a struct with its methods, a workflow of the component.
///
/// A function takes a `Ctx` and, if it needs one, an input, and returns a `Result`. The input is any type that
/// implements `DeserializeOwned`, the result's value any that implements `Serialize`; the error converts into
/// `everturn_sdk::Error`. The first paragraph of its documentation becomes its summary.
///
/// ```
/// use everturn_sdk::prelude::*;
///
/// /// Greets somebody.
/// #[workflow]
/// async fn greet(_ctx: Ctx, name: String) -> Result<String> {
///     Ok(format!("Hello, {name}!"))
/// }
/// ```
///
/// A workflow is started by the name of its function. Another name, to keep it when the function is renamed or because
/// callers spell it otherwise:
///
/// ```
/// # use everturn_sdk::prelude::*;
/// #[workflow(name = "SendInvoice")]
/// async fn send_invoice(ctx: Ctx) -> Result<()> {
///     ctx.activity("send", &()).await
/// }
/// ```
///
/// The function stays what it was: other functions may call it.
///
/// # Workflows with state
/// A workflow that handles signals, answers queries or takes updates is a struct, which is its state, with an `impl` block
/// under the attribute. It is started by the struct's name in the way of functions (`PurchaseApproval` is
/// `purchase_approval`), unless another one is given.
///
/// ```
/// use std::time::Duration;
///
/// use everturn_sdk::prelude::*;
///
/// #[derive(Default)]
/// struct PurchaseApproval {
///     approved_by: Option<String>,
///     limit: u64,
/// }
///
/// /// Waits a day for somebody to approve.
/// #[workflow]
/// impl PurchaseApproval {
///     /// The state at the beginning. Without this it is `Default::default()`.
///     #[init]
///     fn new(amount: &u64) -> Self {
///         Self { approved_by: None, limit: *amount }
///     }
///
///     /// The main function: what the workflow does by itself.
///     #[run]
///     async fn run(ctx: Ctx<Self>, _amount: u64) -> Result<bool> {
///         Ok(ctx.wait_until(|state| state.approved_by.is_some()).timeout(Duration::from_secs(24 * 3600)).await)
///     }
///
///     /// An event that is handled as it comes.
///     #[signal]
///     fn approve(&mut self, by: String) {
///         self.approved_by = Some(by);
///     }
///
///     /// A signal whose handler waits.
///     #[signal]
///     async fn remind(ctx: Ctx<Self>, address: String) -> Result<()> {
///         ctx.activity("send_mail", &address).await
///     }
///
///     /// A question about the state, which is answered also when the workflow has ended.
///     #[query]
///     fn approved_by(&self) -> Option<String> {
///         self.approved_by.clone()
///     }
///
///     /// A change whose sender gets an answer.
///     #[update]
///     fn raise_limit(&mut self, by: u64) -> u64 {
///         self.limit += by;
///         self.limit
///     }
///
///     /// Looks at an update before it is accepted. One that is refused leaves no trace.
///     #[validate(raise_limit)]
///     fn may_raise_limit(&self, by: &u64) -> Result<()> {
///         match by {
///             0 => Err(Error::new("NothingToDo", "the limit stays what it is")),
///             _ => Ok(()),
///         }
///     }
/// }
/// ```
///
/// | method | takes | gives | may wait |
/// |---|---|---|---|
/// | `#[init]` | `&Input` | `Self` | no |
/// | `#[run]` | `ctx: Ctx<Self>`, an input | a `Result` | yes |
/// | `#[signal]` | `&mut self`, an input; or, as `async fn`, `ctx: Ctx<Self>` and an input | nothing or `Result<()>` | as `async fn` |
/// | `#[query]` | `&self`, an input | a value or a `Result` | no |
/// | `#[update]` | as a signal | a value or a `Result` | as `async fn` |
/// | `#[validate(update)]` | `&self`, `&Input` | `Result<()>` | no |
///
/// Every input may be left out, and what does not wait may take a `ctx: &Ctx<Self>` before it. Handlers are known to senders by
/// the names of their methods, or by another: `#[signal(name = "Approve")]`.
///
/// Signals are handled in the order of their arrival, each before the main function sees what came after it. One that cannot
/// be read is dropped with a warning. A signal's handler that fails fails the workflow, as its sender cannot be told; an
/// update's failure goes to its sender. A signal's handler may also continue as new; an update's cannot, since it answers.
///
/// The handlers of a kind that are declared here are all that there are of it: callers are told their names, and a host
/// refuses others. One that is not always there has its `#[cfg]` on the method; one that is not always welcome says so itself.
///
/// What does not fit is refused with the reason:
///
/// ```compile_fail
/// # use everturn_sdk::prelude::*;
/// # #[derive(Default)] struct Count(u32);
/// #[workflow]
/// impl Count {
///     #[run]
///     async fn run(ctx: Ctx<Self>) -> Result<()> {
///         Ok(())
///     }
///
///     #[query]
///     fn count(&mut self) -> u32 { // error: a query only looks: write `&self`
///         self.0
///     }
/// }
/// ```
///
/// ```compile_fail
/// # use everturn_sdk::prelude::*;
/// #[workflow]
/// fn not_async(ctx: Ctx) -> Result<()> { // error: a workflow is an `async fn`
///     Ok(())
/// }
/// ```
#[proc_macro_attribute]
pub fn workflow(arguments: TokenStream, function: TokenStream) -> TokenStream {
    match syn::parse::<syn::ItemImpl>(function.clone()) {
        Ok(block) => state::expand(arguments.into(), block).into(),
        Err(_) => function::expand(&function::WORKFLOW, arguments.into(), &function.into()).into(),
    }
}

/// Makes an async function an activity of the component: code that may touch the world, called by workflows by name.
///
/// The function takes an `ActivityCtx` and, if it needs one, an input, and returns a `Result`, with the same rules as for
/// [`macro@workflow`]. The first paragraph of its documentation becomes its summary.
///
/// ```
/// use everturn_sdk::prelude::*;
///
/// /// Charges an order.
/// #[activity]
/// async fn charge(ctx: ActivityCtx, order: u64) -> Result<String> {
///     let key = ctx.info().task_execution_id;
///     let response = everturn_sdk::http::post("https://bank.example.com/charges")
///         .header("idempotency-key", key)
///         .json(&order)?
///         .await?;
///     response.error_for_status()?.text()
/// }
///
/// #[workflow]
/// async fn place_order(ctx: Ctx, order: u64) -> Result<String> {
///     ctx.activity("charge", &order).await
/// }
/// ```
///
/// It is called by the name of its function, or by another: `#[activity(name = "ChargeOrder")]`.
///
/// An attempt runs at least once: it runs again when its host is lost before the result is stored. What must happen once
/// is made so with the `task_execution_id`, as above.
///
/// What does not fit is refused with the reason:
///
/// ```compile_fail
/// # use everturn_sdk::prelude::*;
/// #[activity]
/// async fn too_much(ctx: ActivityCtx, order: u64, amount: u64) -> Result<()> { // error: put several values into a struct
///     Ok(())
/// }
/// ```
#[proc_macro_attribute]
pub fn activity(arguments: TokenStream, function: TokenStream) -> TokenStream {
    function::expand(&function::ACTIVITY, arguments.into(), &function.into()).into()
}

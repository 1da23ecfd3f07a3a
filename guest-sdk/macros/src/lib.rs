//! The attribute macros of everturn-sdk. This file is only their door; `function` does the work.

mod function;

use proc_macro::TokenStream;

/// Makes an async function a workflow of the component.
///
/// The function takes a `Ctx` and, if it needs one, an input, and returns a `Result`. The input is any type that
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
/// What does not fit is refused with the reason:
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
    function::expand(&function::WORKFLOW, arguments.into(), &function.into()).into()
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

//! The attribute macro of everturn-sdk, documented there. This file is only its door; `workflow` does the work.

mod workflow;

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
    workflow::expand(arguments.into(), &function.into()).into()
}

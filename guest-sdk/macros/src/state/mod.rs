//! `#[workflow]` on the `impl` of a struct: the struct is the workflow's state, and its marked methods are the main function
//! and the handlers. `method` reads one, `check` compares them with each other, `code` writes the registration.

mod check;
mod code;
mod method;

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Error, Ident, ImplItem, ItemImpl, LitStr, Result, Type};

use crate::names;
use check::Parts;
use method::Method;

/// The `impl` without its marks, and its registration; or, when it does not fit, errors.
pub(crate) fn expand(arguments: TokenStream, mut block: ItemImpl) -> TokenStream {
    let registration = register(arguments, &block).unwrap_or_else(Error::into_compile_error);
    for item in &mut block.items {
        if let ImplItem::Fn(function) = item {
            function.attrs.retain(|attribute| method::mark(attribute).is_none());
        }
    }
    quote! { #block #registration }
}

fn register(arguments: TokenStream, block: &ItemImpl) -> Result<TokenStream> {
    let given_name = names::given("workflow", "a workflow", arguments)?;
    let state = check_block(block)?;
    let mut methods = Vec::new();
    for item in &block.items {
        if let ImplItem::Fn(function) = item {
            methods.extend(Method::read(function)?);
        }
    }
    let parts = Parts::sort(state, methods)?;
    let name = given_name.unwrap_or_else(|| names::in_snake_case(state));
    let summary = match names::summary(&block.attrs) {
        // The struct's own documentation is out of sight here.
        none if none.is_empty() => parts.run.summary.clone(),
        summary => summary,
    };
    Ok(code::registration(&name, &LitStr::new(&summary, name.span()), &block.self_ty, &parts))
}

/// The name of the struct.
fn check_block(block: &ItemImpl) -> Result<&Ident> {
    if let Some((_, path, _)) = &block.trait_ {
        let message = "a workflow's methods are its struct's own: write `impl Name`, without a trait";
        return Err(Error::new(path.span(), message));
    }
    if !block.generics.params.is_empty() {
        let message = "a workflow cannot be generic: the host starts it by name, and a name has no type parameters";
        return Err(Error::new(block.generics.span(), message));
    }
    if let Type::Path(path) = block.self_ty.as_ref()
        && let Some(last) = path.path.segments.last()
        && last.arguments.is_empty()
    {
        return Ok(&last.ident);
    }
    Err(Error::new(block.self_ty.span(), "the state of a workflow is a struct or an enum of its own"))
}

#[cfg(test)]
mod tests;

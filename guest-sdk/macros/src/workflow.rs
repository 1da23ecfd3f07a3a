//! `#[workflow]`: checks the function, and registers it beside itself.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::Parser;
use syn::spanned::Spanned;
use syn::{Attribute, Error, Expr, ExprLit, FnArg, ItemFn, Lit, LitStr, Meta, Result, ReturnType, Signature, Type};

/// The longest name that the contract allows, in bytes.
const MAX_NAME_BYTES: usize = 256;

/// The function with its registration; or, when it does not fit, the function with errors. The function stays in either
/// case, so that a mistake in its signature brings no further errors with it.
pub(crate) fn expand(arguments: TokenStream, function: &TokenStream) -> TokenStream {
    let registration = match syn::parse2::<ItemFn>(function.clone()) {
        Ok(function) => register(arguments, &function),
        Err(_) => Err(Error::new(Span::call_site(), "`#[workflow]` belongs on an `async fn`")),
    };
    let registration = registration.unwrap_or_else(Error::into_compile_error);
    quote! { #function #registration }
}

fn register(arguments: TokenStream, function: &ItemFn) -> Result<TokenStream> {
    let given_name = parse_arguments(arguments)?;
    let signature = &function.sig;
    check(signature)?;

    let name = given_name.unwrap_or_else(|| LitStr::new(&plain_name(signature), signature.ident.span()));
    let summary = summary(&function.attrs);
    let start = start(signature, &name);
    Ok(quote! {
        const _: () = {
            fn start(
                ctx: ::everturn_sdk::Ctx,
                input: ::std::string::String,
            ) -> ::everturn_sdk::__private::Run {
                #start
            }
            ::everturn_sdk::__private::inventory::submit! {
                ::everturn_sdk::__private::Workflow { name: #name, summary: #summary, start }
            }
        };
    })
}

/// The call that begins the workflow. A result that does not fit is reported at the result's type, an input at its own.
fn start(signature: &Signature, name: &LitStr) -> TokenStream {
    let function = &signature.ident;
    let result = signature.output.span();
    match signature.inputs.iter().nth(1) {
        Some(FnArg::Typed(input)) => {
            let input_type = input.ty.as_ref();
            quote_spanned! { result =>
                ::everturn_sdk::__private::start_with_input::<#input_type, _, _, _>(#name, #function, ctx, input)
            }
        }
        _ => quote_spanned! { result => {
            ::core::mem::drop(input);
            ::everturn_sdk::__private::start_without_input(#name, #function, ctx)
        }},
    }
}

fn check(signature: &Signature) -> Result<()> {
    if signature.asyncness.is_none() {
        return Err(Error::new(signature.fn_token.span, "a workflow is an `async fn`"));
    }
    if !signature.generics.params.is_empty() {
        let message = "a workflow cannot be generic: the host starts it by name, and a name has no type parameters";
        return Err(Error::new(signature.generics.span(), message));
    }
    if let Some(receiver) = signature.receiver() {
        let message = "a workflow is a free function: it has no `self`, only a `Ctx` and its input";
        return Err(Error::new(receiver.span(), message));
    }
    check_inputs(signature)?;
    match &signature.output {
        ReturnType::Type(..) => Ok(()),
        ReturnType::Default => {
            let message = "a workflow returns a `Result`: write `-> Result<()>` when there is nothing to return";
            Err(Error::new(signature.ident.span(), message))
        }
    }
}

fn check_inputs(signature: &Signature) -> Result<()> {
    match signature.inputs.len() {
        0 => {
            let message = "a workflow takes a `Ctx` first: write `ctx: Ctx`, or `_ctx: Ctx` if it does not need it";
            return Err(Error::new(signature.ident.span(), message));
        }
        1 | 2 => {}
        _ => {
            let message = "a workflow takes a `Ctx` and one input: put several values into a struct or a tuple";
            return Err(Error::new(signature.inputs[2].span(), message));
        }
    }
    for input in &signature.inputs {
        if let FnArg::Typed(input) = input
            && let Type::Reference(reference) = input.ty.as_ref()
        {
            let message = "a workflow owns what it is given, as its caller is gone: remove the `&`";
            return Err(Error::new(reference.span(), message));
        }
    }
    Ok(())
}

/// `name = "..."`, or nothing.
fn parse_arguments(arguments: TokenStream) -> Result<Option<LitStr>> {
    let mut name = None;
    let parser = syn::meta::parser(|meta| {
        if !meta.path.is_ident("name") {
            return Err(meta.error("`#[workflow]` knows only `name = \"...\"`"));
        }
        let literal: LitStr = meta.value()?.parse()?;
        if !(1..=MAX_NAME_BYTES).contains(&literal.value().len()) {
            let message = format!("the name of a workflow has 1 to {MAX_NAME_BYTES} bytes");
            return Err(Error::new(literal.span(), message));
        }
        name = Some(literal);
        Ok(())
    });
    parser.parse2(arguments)?;
    Ok(name)
}

/// The function's name, without the `r#` that a keyword needs.
fn plain_name(signature: &Signature) -> String {
    let name = signature.ident.to_string();
    name.strip_prefix("r#").unwrap_or(&name).to_owned()
}

/// The first paragraph of the documentation, on one line.
fn summary(attributes: &[Attribute]) -> String {
    let lines: Vec<_> = attributes.iter().filter_map(doc_line).collect();
    let text = lines.join("\n");
    let lines = text.lines().map(str::trim).skip_while(|line| line.is_empty());
    lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

fn doc_line(attribute: &Attribute) -> Option<String> {
    match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(arguments: &str, function: &str) -> String {
        expand(arguments.parse().unwrap(), &function.parse().unwrap()).to_string()
    }

    #[test]
    fn mistakes_are_answered_with_what_to_do() {
        for (arguments, function, message) in [
            ("", "fn f(ctx: Ctx) -> Result<()> {}", "a workflow is an `async fn`"),
            ("", "struct S;", "`#[workflow]` belongs on an `async fn`"),
            ("", "async fn f<T>(ctx: Ctx, input: T) -> Result<()> {}", "a workflow cannot be generic"),
            ("", "async fn f<'a>(ctx: Ctx, input: &'a str) -> Result<()> {}", "a workflow cannot be generic"),
            ("", "async fn f(&self, ctx: Ctx) -> Result<()> {}", "a workflow is a free function"),
            ("", "async fn f() -> Result<()> {}", "a workflow takes a `Ctx` first"),
            ("", "async fn f(ctx: Ctx, a: u8, b: u8) -> Result<()> {}", "put several values into a struct or a tuple"),
            ("", "async fn f(ctx: &Ctx) -> Result<()> {}", "remove the `&`"),
            ("", "async fn f(ctx: Ctx) {}", "write `-> Result<()>`"),
            ("nam = \"x\"", "async fn f(ctx: Ctx) -> Result<()> {}", "knows only `name = \\\"...\\\"`"),
            ("name = \"\"", "async fn f(ctx: Ctx) -> Result<()> {}", "1 to 256 bytes"),
        ] {
            let code = expanded(arguments, function);
            assert!(code.contains("compile_error"), "{function}: {code}");
            assert!(code.contains(message), "{function}: {code}");
        }
    }

    #[test]
    fn a_workflow_stays_a_function_and_is_registered() {
        let code =
            expanded("", "/// One.\n/// Two.\n///\n/// Three.\nasync fn f(ctx: Ctx, input: u8) -> Result<()> {}");

        assert!(code.contains("async fn f"), "{code}");
        assert!(code.contains("name : \"f\" , summary : \"One. Two.\""), "{code}");
        assert!(code.contains("start_with_input"), "{code}");
    }

    #[test]
    fn a_given_name_wins_and_a_raw_name_loses_its_mark() {
        assert!(expanded("name = \"F\"", "async fn f(ctx: Ctx) -> Result<()> {}").contains("name : \"F\""));
        assert!(expanded("", "async fn r#loop(ctx: Ctx) -> Result<()> {}").contains("name : \"loop\""));
    }
}

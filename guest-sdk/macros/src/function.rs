//! `#[workflow]` and `#[activity]`: checks the function, and registers it beside itself.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Error, FnArg, Ident, ItemFn, LitStr, Result, ReturnType, Signature, Type};

use crate::names;

/// What a function becomes. The two kinds differ in words and types only.
pub(crate) struct Kind {
    /// As a sentence begins with it.
    one: &'static str,
    attribute: &'static str,
    /// Where the attribute belongs.
    place: &'static str,
    context: &'static str,
    /// The type that is registered.
    registered: &'static str,
    /// Why it owns what it is given.
    owner: &'static str,
}

/// `#[workflow]`.
pub(crate) const WORKFLOW: Kind = Kind {
    one: "a workflow",
    attribute: "workflow",
    place: "an `async fn`, or on the `impl` of a struct that is its state",
    context: "Ctx",
    registered: "Workflow",
    owner: "as its caller is gone",
};

/// `#[activity]`.
pub(crate) const ACTIVITY: Kind = Kind {
    one: "an activity",
    attribute: "activity",
    place: "an `async fn`",
    context: "ActivityCtx",
    registered: "Activity",
    owner: "as its caller is elsewhere",
};

/// The function with its registration; or, when it does not fit, the function with errors. The function stays in either
/// case, so that a mistake in its signature brings no further errors with it.
pub(crate) fn expand(kind: &Kind, arguments: TokenStream, function: &TokenStream) -> TokenStream {
    let registration = match syn::parse2::<ItemFn>(function.clone()) {
        Ok(function) => register(kind, arguments, &function),
        Err(_) => {
            let message = format!("`#[{}]` belongs on {}", kind.attribute, kind.place);
            Err(Error::new(Span::call_site(), message))
        }
    };
    let registration = registration.unwrap_or_else(Error::into_compile_error);
    quote! { #function #registration }
}

fn register(kind: &Kind, arguments: TokenStream, function: &ItemFn) -> Result<TokenStream> {
    let given_name = names::given(kind.attribute, kind.one, arguments)?;
    let signature = &function.sig;
    check(kind, signature)?;

    let name = given_name.unwrap_or_else(|| names::own(&signature.ident));
    let summary = names::summary(&function.attrs);
    let start = start(kind, signature, &name);
    let context = Ident::new(kind.context, Span::call_site());
    let registered = Ident::new(kind.registered, Span::call_site());
    Ok(quote! {
        const _: () = {
            fn start(
                ctx: ::everturn_sdk::#context,
                input: ::std::string::String,
            ) -> ::everturn_sdk::__private::Run {
                #start
            }
            ::everturn_sdk::__private::inventory::submit! {
                ::everturn_sdk::__private::#registered::new(#name, #summary, start)
            }
        };
    })
}

/// The call that begins it. A result that does not fit is reported at the result's type, an input at its own.
fn start(kind: &Kind, signature: &Signature, name: &LitStr) -> TokenStream {
    let function = &signature.ident;
    let result = signature.output.span();
    // As in "the input of workflow `greet`".
    let whose = LitStr::new(&format!("{} `{}`", kind.attribute, name.value()), name.span());
    match signature.inputs.iter().nth(1) {
        Some(FnArg::Typed(input)) => {
            let input_type = input.ty.as_ref();
            quote_spanned! { result =>
                ::everturn_sdk::__private::start_with_input::<_, #input_type, _, _, _>(#whose, #function, ctx, input)
            }
        }
        _ => quote_spanned! { result => {
            ::core::mem::drop(input);
            ::everturn_sdk::__private::start_without_input(#whose, #function, ctx)
        }},
    }
}

fn check(kind: &Kind, signature: &Signature) -> Result<()> {
    let Kind { one, context, .. } = kind;
    if signature.asyncness.is_none() {
        return Err(Error::new(signature.fn_token.span, format!("{one} is an `async fn`")));
    }
    if !signature.generics.params.is_empty() {
        let message = format!("{one} cannot be generic: the host starts it by name, and a name has no type parameters");
        return Err(Error::new(signature.generics.span(), message));
    }
    if let Some(receiver) = signature.receiver() {
        let message =
            format!("{one} is a free function: it has no `self`, only its context (`{context}`) and its input");
        return Err(Error::new(receiver.span(), message));
    }
    check_inputs(kind, signature)?;
    match &signature.output {
        ReturnType::Type(..) => Ok(()),
        ReturnType::Default => {
            let message = format!("{one} returns a `Result`: write `-> Result<()>` when there is nothing to return");
            Err(Error::new(signature.ident.span(), message))
        }
    }
}

fn check_inputs(kind: &Kind, signature: &Signature) -> Result<()> {
    let Kind { one, context, owner, .. } = kind;
    match signature.inputs.len() {
        0 => {
            let message = format!(
                "{one} takes its context first: write `ctx: {context}`, or `_ctx: {context}` if it does not need it"
            );
            return Err(Error::new(signature.ident.span(), message));
        }
        1 | 2 => {}
        _ => {
            let message = format!(
                "{one} takes its context (`{context}`) and one input: put several values into a struct or a tuple"
            );
            return Err(Error::new(signature.inputs[2].span(), message));
        }
    }
    for input in &signature.inputs {
        if let FnArg::Typed(input) = input
            && let Type::Reference(reference) = input.ty.as_ref()
        {
            let message = format!("{one} owns what it is given, {owner}: remove the `&`");
            return Err(Error::new(reference.span(), message));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(arguments: &str, function: &str) -> String {
        expand(&WORKFLOW, arguments.parse().unwrap(), &function.parse().unwrap()).to_string()
    }

    #[test]
    fn mistakes_are_answered_with_what_to_do() {
        for (arguments, function, message) in [
            ("", "fn f(ctx: Ctx) -> Result<()> {}", "a workflow is an `async fn`"),
            ("", "struct S;", "`#[workflow]` belongs on an `async fn`"),
            ("", "async fn f<T>(ctx: Ctx, input: T) -> Result<()> {}", "a workflow cannot be generic"),
            ("", "async fn f<'a>(ctx: Ctx, input: &'a str) -> Result<()> {}", "a workflow cannot be generic"),
            ("", "async fn f(&self, ctx: Ctx) -> Result<()> {}", "a workflow is a free function"),
            ("", "async fn f() -> Result<()> {}", "write `ctx: Ctx`"),
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
        assert!(code.contains("Workflow :: new (\"f\" , \"One. Two.\""), "{code}");
        assert!(code.contains("start_with_input"), "{code}");
    }

    #[test]
    fn an_activity_is_held_to_the_same_in_its_own_words() {
        for (function, message) in [
            ("fn f(ctx: ActivityCtx) -> Result<()> {}", "an activity is an `async fn`"),
            ("struct S;", "`#[activity]` belongs on an `async fn`"),
            ("async fn f<T>(ctx: ActivityCtx, input: T) -> Result<()> {}", "an activity cannot be generic"),
            ("async fn f() -> Result<()> {}", "write `ctx: ActivityCtx`"),
            ("async fn f(ctx: ActivityCtx) {}", "an activity returns a `Result`"),
        ] {
            let code = expand(&ACTIVITY, TokenStream::new(), &function.parse().unwrap()).to_string();
            assert!(code.contains("compile_error"), "{function}: {code}");
            assert!(code.contains(message), "{function}: {code}");
        }
        let function = "async fn f(ctx: ActivityCtx, input: u8) -> Result<()> {}";
        let code = expand(&ACTIVITY, TokenStream::new(), &function.parse().unwrap()).to_string();
        assert!(code.contains("Activity :: new (\"f\""), "{code}");
        assert!(code.contains("\"activity `f`\""), "{code}");
    }

    #[test]
    fn a_given_name_wins_and_a_raw_name_loses_its_mark() {
        assert!(expanded("name = \"F\"", "async fn f(ctx: Ctx) -> Result<()> {}").contains("Workflow :: new (\"F\""));
        assert!(expanded("", "async fn r#loop(ctx: Ctx) -> Result<()> {}").contains("Workflow :: new (\"loop\""));
    }
}

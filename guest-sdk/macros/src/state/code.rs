//! The registration of a workflow with state, as code.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::{LitStr, Type};

use super::check::{Parts, Update};
use super::method::{Context, Method, Output};

pub(super) fn registration(name: &LitStr, summary: &LitStr, state: &Type, parts: &Parts) -> TokenStream {
    let whose = LitStr::new(&format!("workflow `{}`", name.value()), name.span());
    let input = [Some(&parts.run), parts.init.as_ref()].into_iter().flatten().find_map(|method| method.input.as_ref());
    let input = match input {
        Some(input) => quote_spanned! { Span::mixed_site() => #input },
        None => quote_spanned! { Span::mixed_site() => () },
    };
    let init = init(state, parts.init.as_ref());
    let run = waiting(state, &parts.run, |call| quote_spanned! { Span::mixed_site() => #call });
    let signals = parts.signals.iter().map(|method| signal(state, method));
    let queries = parts.queries.iter().map(|method| query(state, method));
    let updates = parts.updates.iter().map(|update| self::update(state, update));
    let signal_names = parts.signals.iter().map(conditional_name);
    let query_names = parts.queries.iter().map(conditional_name);
    let update_names = parts.updates.iter().map(|update| conditional_name(&update.method));
    let result = place(parts.run.output_span);
    let start = quote_spanned! { result =>
        ::everturn_sdk::__private::start_with_state::<#state, #input, _, _, _>(#whose, &input, #init, register, #run)
    };
    quote_spanned! { Span::mixed_site() =>
        const _: () = {
            fn register(methods: &::everturn_sdk::__private::Methods<#state>) {
                let _ = methods;
                #(#signals)*
                #(#queries)*
                #(#updates)*
            }
            fn start(
                _ctx: ::everturn_sdk::Ctx,
                input: ::std::string::String,
            ) -> ::everturn_sdk::__private::Run {
                #start
            }
            ::everturn_sdk::__private::inventory::submit! {
                ::everturn_sdk::__private::Workflow {
                    name: #name,
                    summary: #summary,
                    signals: &[#(#signal_names),*],
                    updates: &[#(#update_names),*],
                    queries: &[#(#query_names),*],
                    start,
                }
            }
        };
    }
}

/// Where code points its errors, while lints know that nobody wrote it.
fn place(span: Span) -> Span {
    Span::mixed_site().located_at(span)
}

/// Code that is there when the method is.
fn conditional(method: &Method, code: TokenStream) -> TokenStream {
    match &method.condition {
        None => code,
        Some(condition) => quote_spanned! { Span::mixed_site() => #[cfg(#condition)] #code },
    }
}

fn conditional_name(method: &Method) -> TokenStream {
    let name = &method.name;
    conditional(method, quote_spanned! { Span::mixed_site() => #name })
}

fn init(state: &Type, method: Option<&Method>) -> TokenStream {
    match method {
        None => quote_spanned! { Span::mixed_site() => |_, _| <#state as ::core::default::Default>::default() },
        Some(method) => {
            let place = place(method.function.span());
            let (context, input) = (given_context(method), given_input(method));
            let function = &method.function;
            quote_spanned! { place => |_ctx, _input| <#state>::#function(#context #input) }
        }
    }
}

/// What a method that does not wait is given for its context, with a comma.
fn given_context(method: &Method) -> TokenStream {
    match method.context {
        Context::None => TokenStream::new(),
        Context::Plain => quote_spanned! { Span::mixed_site() => &_ctx.plain(), },
        Context::OfState => quote_spanned! { Span::mixed_site() => _ctx, },
    }
}

fn given_input(method: &Method) -> TokenStream {
    match method.input {
        None => TokenStream::new(),
        Some(_) => quote_spanned! { Span::mixed_site() => _input },
    }
}

/// A closure around a method that looks at or changes the state.
fn immediate(state: &Type, method: &Method) -> TokenStream {
    let place = place(method.output_span);
    let (context, input) = (given_context(method), given_input(method));
    let function = &method.function;
    let call = quote_spanned! { place => <#state>::#function(_state, #context #input) };
    let outcome = outcome(place, method, &call);
    quote_spanned! { place => |_state, _ctx, _input| #outcome }
}

/// A closure around a method that waits.
fn waiting(state: &Type, method: &Method, outcome: impl FnOnce(&TokenStream) -> TokenStream) -> TokenStream {
    let place = place(method.output_span);
    let context = match method.context {
        Context::Plain => quote_spanned! { Span::mixed_site() => _ctx.plain(), },
        _ => quote_spanned! { Span::mixed_site() => _ctx, },
    };
    let input = given_input(method);
    let function = &method.function;
    let call = quote_spanned! { place => <#state>::#function(#context #input) };
    let outcome = outcome(&call);
    quote_spanned! { place => |_ctx, _input| #outcome }
}

/// A call as a `Result` of the SDK.
fn outcome(place: Span, method: &Method, call: &TokenStream) -> TokenStream {
    match method.output {
        Output::Result => quote_spanned! { place => ::everturn_sdk::__private::converted(#call) },
        Output::Nothing | Output::Value => quote_spanned! { place => ::core::result::Result::Ok(#call) },
    }
}

fn awaited(state: &Type, method: &Method) -> TokenStream {
    let place = place(method.output_span);
    waiting(state, method, |call| {
        let outcome = outcome(place, method, &quote_spanned! { place => #call.await });
        quote_spanned! { place => async move { #outcome } }
    })
}

fn input_type(method: &Method) -> TokenStream {
    match &method.input {
        Some(input) => quote_spanned! { Span::mixed_site() => #input },
        None => quote_spanned! { Span::mixed_site() => () },
    }
}

fn signal(state: &Type, method: &Method) -> TokenStream {
    let (name, input) = (&method.name, input_type(method));
    let place = place(method.output_span);
    let code = if method.is_async {
        let closure = awaited(state, method);
        quote_spanned! { place => methods.async_signal::<#input, _>(#name, #closure); }
    } else {
        let closure = immediate(state, method);
        quote_spanned! { place => methods.signal::<#input>(#name, #closure); }
    };
    conditional(method, code)
}

fn query(state: &Type, method: &Method) -> TokenStream {
    let (name, input, closure) = (&method.name, input_type(method), immediate(state, method));
    let place = place(method.output_span);
    conditional(method, quote_spanned! { place => methods.query::<#input, _>(#name, #closure); })
}

fn update(state: &Type, update: &Update) -> TokenStream {
    let method = &update.method;
    let (name, input) = (&method.name, input_type(method));
    let unchecked = quote_spanned! { Span::mixed_site() => |_, _, _| ::core::result::Result::Ok(()) };
    let place = place(method.output_span);
    let registered = |validator: &TokenStream| {
        let code = if method.is_async {
            let closure = awaited(state, method);
            quote_spanned! { place => methods.async_update::<#input, _, _>(#name, #validator, #closure); }
        } else {
            let closure = immediate(state, method);
            quote_spanned! { place => methods.update::<#input, _>(#name, #validator, #closure); }
        };
        conditional(method, code)
    };
    let Some(validator) = &update.validator else {
        return registered(&unchecked);
    };
    let checked = registered(&immediate(state, validator));
    match &validator.condition {
        None => checked,
        Some(condition) => {
            let unchecked = registered(&unchecked);
            quote_spanned! { Span::mixed_site() => #[cfg(#condition)] #checked #[cfg(not(#condition))] #unchecked }
        }
    }
}

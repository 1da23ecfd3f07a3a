//! One marked method: what it is, what it takes and what it gives, with help for what does not fit.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::spanned::Spanned;
use syn::{
    Attribute, Error, FnArg, Ident, ImplItemFn, LitStr, Meta, PathArguments, Receiver, Result, ReturnType, Signature,
    Type,
};

use crate::names;

/// What a method is marked as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Init,
    Run,
    Signal,
    Query,
    Update,
    Validate,
}

/// How a method wants its context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    None,
    /// `Ctx`.
    Plain,
    /// `Ctx<Self>`.
    OfState,
}

/// What a method gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Output {
    Nothing,
    Value,
    Result,
}

/// A marked method.
pub(super) struct Method {
    pub(super) mark: Mark,
    pub(super) function: Ident,
    /// The name that senders use; of a validator, the method that it belongs to.
    pub(super) name: LitStr,
    pub(super) summary: String,
    pub(super) is_async: bool,
    pub(super) context: Context,
    /// The type of its input, without a `&`.
    pub(super) input: Option<Type>,
    pub(super) output: Output,
    /// Where to report what does not fit its result.
    pub(super) output_span: Span,
    /// When it is there at all: what its `#[cfg]`s say. None: always.
    pub(super) condition: Option<TokenStream>,
}

/// Which mark an attribute is, if it is one.
pub(super) fn mark(attribute: &Attribute) -> Option<Mark> {
    let name = attribute.path().get_ident()?.to_string();
    Some(match name.as_str() {
        "init" => Mark::Init,
        "run" => Mark::Run,
        "signal" => Mark::Signal,
        "query" => Mark::Query,
        "update" => Mark::Update,
        "validate" => Mark::Validate,
        _ => return None,
    })
}

impl Mark {
    /// As a sentence begins with it.
    pub(super) fn one(self) -> &'static str {
        match self {
            Self::Init => "`#[init]`",
            Self::Run => "`#[run]`",
            Self::Signal => "a signal",
            Self::Query => "a query",
            Self::Update => "an update",
            Self::Validate => "a validator",
        }
    }

    fn attribute(self) -> &'static str {
        match self {
            Self::Init => "init",
            Self::Run => "run",
            Self::Signal => "signal",
            Self::Query => "query",
            Self::Update => "update",
            Self::Validate => "validate",
        }
    }
}

impl Method {
    /// Reads a method. None: it has no mark, and is none of our business.
    pub(super) fn read(function: &ImplItemFn) -> Result<Option<Self>> {
        let mut marks = function.attrs.iter().filter_map(|attribute| Some((mark(attribute)?, attribute)));
        let Some((mark, attribute)) = marks.next() else {
            return Ok(None);
        };
        if let Some((_, second)) = marks.next() {
            return Err(Error::new(second.span(), "a method has one of these marks: write two methods"));
        }
        let signature = &function.sig;
        let name = name(mark, attribute, &signature.ident)?;
        let condition = condition(mark, &function.attrs)?;
        if !signature.generics.params.is_empty() {
            let message = format!("{} cannot be generic: its input is read from JSON, as one type", mark.one());
            return Err(Error::new(signature.generics.span(), message));
        }
        check_receiver(mark, signature)?;
        let (context, input) = inputs(mark, signature)?;
        let output = output(&signature.output);
        check_output(mark, signature, output)?;
        Ok(Some(Self {
            mark,
            function: signature.ident.clone(),
            name,
            summary: names::summary(&function.attrs),
            is_async: signature.asyncness.is_some(),
            context,
            input,
            output,
            output_span: match output {
                Output::Nothing => signature.ident.span(),
                _ => signature.output.span(),
            },
            condition,
        }))
    }
}

fn name(mark: Mark, attribute: &Attribute, function: &Ident) -> Result<LitStr> {
    let arguments = match &attribute.meta {
        Meta::List(list) => list.tokens.clone(),
        _ => TokenStream::new(),
    };
    match mark {
        Mark::Init | Mark::Run if !arguments.is_empty() => {
            let message = format!("`#[{}]` takes nothing: the name is given to `#[workflow]`", mark.attribute());
            Err(Error::new(arguments.span(), message))
        }
        Mark::Init | Mark::Run => Ok(names::own(function)),
        Mark::Validate => match syn::parse2::<Ident>(arguments) {
            Ok(update) => Ok(names::own(&update)),
            Err(_) => {
                Err(Error::new(attribute.span(), "say which update it checks: `#[validate(name_of_the_method)]`"))
            }
        },
        _ => {
            let given = names::given(mark.attribute(), mark.one(), arguments)?;
            Ok(given.unwrap_or_else(|| names::own(function)))
        }
    }
}

/// What the `#[cfg]`s of a method say together. The compiler looks at them only after this macro.
fn condition(mark: Mark, attributes: &[Attribute]) -> Result<Option<TokenStream>> {
    let mut conditions = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")) {
        let instead = match mark {
            Mark::Run => "put the `#[cfg]` on the whole workflow, above `#[workflow]`",
            Mark::Init => "put the `#[cfg]` inside of it",
            _ => {
                conditions.push(attribute.meta.require_list()?.tokens.clone());
                continue;
            }
        };
        return Err(Error::new(attribute.span(), format!("{} is always there: {instead}", mark.one())));
    }
    Ok((!conditions.is_empty()).then(|| quote! { all(#(#conditions),*) }))
}

fn check_receiver(mark: Mark, signature: &Signature) -> Result<()> {
    let one = mark.one();
    let is_async = signature.asyncness.is_some();
    let receiver = signature.receiver();
    let wrong = |span: Span, message: String| Err(Error::new(span, message));
    match (mark, receiver) {
        (Mark::Init, _) if is_async => {
            wrong(signature.span(), "`#[init]` makes the state and cannot wait: remove `async`".into())
        }
        (Mark::Query | Mark::Validate, _) if is_async => {
            wrong(signature.span(), format!("{one} only looks and cannot wait: remove `async`"))
        }
        (Mark::Run, _) if !is_async => wrong(signature.fn_token.span, "`#[run]` is an `async fn`".into()),
        (Mark::Init, Some(receiver)) => wrong(
            receiver.span(),
            "`#[init]` makes the state, so it has no `self`: write `fn new(input: &Input) -> Self`".into(),
        ),
        (Mark::Run, Some(receiver)) => {
            let why = "handlers change the state while it waits";
            wrong(
                receiver.span(),
                format!(
                    "`#[run]` has no `self`, as {why}: write `ctx: Ctx<Self>`, and use `ctx.read` and `ctx.change`"
                ),
            )
        }
        (Mark::Signal | Mark::Update, Some(receiver)) if is_async => {
            let why = "others change the state while it waits";
            wrong(
                receiver.span(),
                format!(
                    "{one} that waits has no `self`, as {why}: write `ctx: Ctx<Self>`, and use `ctx.read` and `ctx.change`"
                ),
            )
        }
        (Mark::Query | Mark::Validate, Some(receiver)) if !is_shared(receiver) => {
            wrong(receiver.span(), format!("{one} only looks: write `&self`"))
        }
        (Mark::Query | Mark::Validate, None) => {
            wrong(signature.ident.span(), format!("{one} looks at the state: write `&self` first"))
        }
        (Mark::Signal | Mark::Update, Some(receiver)) if receiver.reference.is_none() => {
            wrong(receiver.span(), format!("{one} leaves the state where it is: write `&mut self`"))
        }
        (Mark::Signal | Mark::Update, None) if !is_async => wrong(
            signature.ident.span(),
            format!("{one} takes `&mut self`, or is an `async fn` and takes `ctx: Ctx<Self>`"),
        ),
        _ => Ok(()),
    }
}

fn is_shared(receiver: &Receiver) -> bool {
    receiver.reference.is_some() && receiver.mutability.is_none()
}

/// The context and the input.
fn inputs(mark: Mark, signature: &Signature) -> Result<(Context, Option<Type>)> {
    let one = mark.one();
    // What waits owns what it is given; what does not, borrows its context.
    let owns_context = signature.asyncness.is_some();
    let mut types: Vec<&Type> = signature
        .inputs
        .iter()
        .filter_map(|input| match input {
            FnArg::Typed(input) => Some(input.ty.as_ref()),
            FnArg::Receiver(_) => None,
        })
        .collect();
    let context = match types.first() {
        Some(first) => context(first),
        None => Context::None,
    };
    match (context, types.first()) {
        (Context::None, _) if owns_context => {
            let message = format!(
                "{one} takes its context first: write `ctx: Ctx<Self>`, or `_ctx: Ctx<Self>` if it does not need it"
            );
            return Err(Error::new(signature.ident.span(), message));
        }
        (Context::None, _) => {}
        (_, Some(first)) if owns_context == matches!(first, Type::Reference(_)) => {
            let message = match owns_context {
                true => format!("{one} owns its context, as it waits: remove the `&`"),
                false => format!("{one} borrows its context: write `&Ctx<Self>`"),
            };
            return Err(Error::new(first.span(), message));
        }
        _ => {
            types.remove(0);
        }
    }
    if let Some(second) = types.get(1) {
        let message = format!("{one} takes one input: put several values into a struct or a tuple");
        return Err(Error::new(second.span(), message));
    }
    let borrows = matches!(mark, Mark::Init | Mark::Validate);
    match types.first() {
        None => Ok((context, None)),
        Some(Type::Reference(reference)) if borrows && reference.mutability.is_none() => {
            Ok((context, Some(reference.elem.as_ref().clone())))
        }
        Some(input) if borrows => Err(Error::new(
            input.span(),
            format!("{one} only looks at the input, which others need too: write it with a `&`"),
        )),
        Some(Type::Reference(reference)) => Err(Error::new(
            reference.span(),
            format!("{one} owns what it is given, as its sender is elsewhere: remove the `&`"),
        )),
        Some(input) => Ok((context, Some((*input).clone()))),
    }
}

/// What a type says of the context; by its name, as a macro sees no more.
fn context(of: &Type) -> Context {
    let of = match of {
        Type::Reference(reference) => reference.elem.as_ref(),
        other => other,
    };
    let Type::Path(path) = of else {
        return Context::None;
    };
    match path.path.segments.last() {
        Some(last) if last.ident == "Ctx" => match last.arguments {
            PathArguments::None => Context::Plain,
            _ => Context::OfState,
        },
        _ => Context::None,
    }
}

fn output(of: &ReturnType) -> Output {
    match of {
        ReturnType::Default => Output::Nothing,
        ReturnType::Type(_, of) => match of.as_ref() {
            Type::Tuple(tuple) if tuple.elems.is_empty() => Output::Nothing,
            Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Result") => Output::Result,
            _ => Output::Value,
        },
    }
}

fn check_output(mark: Mark, signature: &Signature, output: Output) -> Result<()> {
    let message = match (mark, output) {
        (Mark::Run, Output::Nothing | Output::Value) => {
            "`#[run]` returns a `Result`: write `-> Result<()>` when there is nothing to return"
        }
        (Mark::Init, Output::Nothing | Output::Result) => "`#[init]` makes the state: write `-> Self`",
        (Mark::Signal, Output::Value) => {
            "a signal answers nobody: it returns nothing or `Result<()>`; what answers is an `#[update]`"
        }
        (Mark::Query, Output::Nothing) => "a query answers: give it a type to return",
        (Mark::Validate, Output::Nothing | Output::Value) => {
            "a validator says whether the update may go on: write `-> Result<()>`"
        }
        _ => return Ok(()),
    };
    let span = match output {
        Output::Nothing => signature.ident.span(),
        _ => signature.output.span(),
    };
    Err(Error::new(span, message))
}

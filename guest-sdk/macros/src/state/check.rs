//! All marked methods of a workflow beside each other: one main function, and every name once.

use syn::{Error, Ident, Result};

use super::method::{Mark, Method};

/// The methods, each in its place.
pub(super) struct Parts {
    pub(super) init: Option<Method>,
    pub(super) run: Method,
    pub(super) signals: Vec<Method>,
    pub(super) queries: Vec<Method>,
    pub(super) updates: Vec<Update>,
}

/// An update with the method that checks it.
pub(super) struct Update {
    pub(super) method: Method,
    pub(super) validator: Option<Method>,
}

impl Parts {
    pub(super) fn sort(state: &Ident, methods: Vec<Method>) -> Result<Self> {
        let (mut init, mut run) = (None, None);
        let (mut signals, mut queries, mut updates, mut validators) = (vec![], vec![], vec![], vec![]);
        for method in methods {
            match method.mark {
                Mark::Init => once(&mut init, method)?,
                Mark::Run => once(&mut run, method)?,
                Mark::Signal => signals.push(method),
                Mark::Query => queries.push(method),
                Mark::Update => updates.push(method),
                Mark::Validate => validators.push(method),
            }
        }
        [&signals, &queries, &updates].into_iter().try_for_each(|methods| check_names(methods))?;
        let Some(run) = run else {
            let message =
                "a workflow has a main function: mark an `async fn run(ctx: Ctx<Self>) -> Result<..>` with `#[run]`";
            return Err(Error::new(state.span(), message));
        };
        let mut updates: Vec<_> = updates.into_iter().map(|method| Update { method, validator: None }).collect();
        validators.into_iter().try_for_each(|validator| assign(validator, &mut updates))?;
        Ok(Self { init, run, signals, queries, updates })
    }
}

fn once(place: &mut Option<Method>, method: Method) -> Result<()> {
    if place.is_some() {
        return Err(Error::new(method.function.span(), format!("a workflow has one {}", method.mark.one())));
    }
    *place = Some(method);
    Ok(())
}

fn check_names(methods: &[Method]) -> Result<()> {
    for (place, method) in methods.iter().enumerate() {
        let key = method.name.value().to_lowercase();
        if methods[..place].iter().any(|earlier| earlier.name.value().to_lowercase() == key) {
            let message = format!(
                "there is {} of the name `{}` already; names are compared without regard to case",
                method.mark.one(),
                method.name.value()
            );
            return Err(Error::new(method.name.span(), message));
        }
    }
    Ok(())
}

fn assign(validator: Method, updates: &mut [Update]) -> Result<()> {
    let wanted = validator.name.value();
    let known: Vec<_> = updates.iter().map(|update| format!("`{}`", update.method.function)).collect();
    let Some(update) = updates.iter_mut().find(|update| update.method.function == wanted) else {
        let known = match known.as_slice() {
            [] => "there is no update".to_owned(),
            known => format!("there is {}", known.join(", ")),
        };
        return Err(Error::new(validator.name.span(), format!("no update is a method `{wanted}`; {known}")));
    };
    if update.validator.is_some() {
        return Err(Error::new(validator.function.span(), format!("update `{wanted}` has a validator already")));
    }
    if validator.input.is_some() && update.method.input.is_none() {
        let message = format!("update `{wanted}` takes no input, so there is none to look at");
        return Err(Error::new(validator.function.span(), message));
    }
    update.validator = Some(validator);
    Ok(())
}

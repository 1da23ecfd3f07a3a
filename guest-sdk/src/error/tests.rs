//! Conversions into [`Error`], and what is left of an error afterwards.

use super::*;
use crate::MAX_CAUSES;

/// An error with a chain of others below it.
#[derive(Debug)]
struct Layer {
    depth: usize,
    below: Option<Box<Layer>>,
    failure: Option<Failure>,
}

impl Layer {
    fn stack(depth: usize, failure: Option<Failure>) -> Self {
        match depth {
            0 => Self { depth, below: None, failure },
            _ => Self { depth, below: Some(Box::new(Self::stack(depth - 1, failure))), failure: None },
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "layer {}", self.depth)
    }
}

impl StdError for Layer {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match (&self.below, &self.failure) {
            (Some(below), _) => Some(below.as_ref()),
            (None, Some(failure)) => Some(failure),
            (None, None) => None,
        }
    }
}

fn card_declined() -> Error {
    Error::new("CardDeclined", "the bank said no").details("code 51").not_retriable()
}

#[test]
fn an_error_takes_its_kind_from_its_type_and_its_causes_from_its_sources() {
    let error = Error::from(Layer::stack(2, None));

    assert_eq!(error.error_type, "Layer");
    assert_eq!(error.message, "layer 2");
    assert!(error.retriable);
    let causes: Vec<_> = error.causes.iter().map(|cause| cause.message.as_str()).collect();
    assert_eq!(causes, ["layer 1", "layer 0"]);
}

#[test]
fn a_failure_keeps_everything_when_it_is_converted_or_is_a_source() {
    let failure = card_declined().failure().clone();

    let converted = Error::from(failure.clone());
    let wrapped = Error::from(Layer::stack(0, Some(failure.clone())));

    assert_eq!(converted.failure(), &failure);
    assert_eq!(wrapped.causes.len(), 1);
    assert_eq!(wrapped.causes[0].error_type, "CardDeclined");
    assert_eq!(wrapped.causes[0].details.as_deref(), Some("code 51"));
}

#[test]
fn a_cause_brings_its_own_causes() {
    let middle = Error::new("PaymentFailed", "payment 3 failed").caused_by(card_declined());
    let error = Error::new("OrderFailed", "order 7 failed").caused_by(middle);

    let causes: Vec<_> = error.causes.iter().map(|cause| cause.error_type.as_str()).collect();
    assert_eq!(causes, ["PaymentFailed", "CardDeclined"]);
}

#[test]
fn a_chain_is_cut_at_its_limit() {
    let deep = Error::from(Layer::stack(MAX_CAUSES + 10, None));
    assert_eq!(deep.causes.len(), MAX_CAUSES);

    let deeper = Error::new("Deeper", "still").caused_by(deep);
    assert_eq!(deeper.causes.len(), MAX_CAUSES);
    assert_eq!(deeper.causes[0].error_type, "Layer");
}

#[test]
fn a_failure_crosses_the_border_unchanged() {
    use crate::bindings::everturn::workflow::types;

    let failure = card_declined().caused_by(fmt::Error).failure().clone();
    assert_eq!(Failure::from(types::Failure::from(failure.clone())), failure);
}

#[test]
fn a_restart_is_told_apart_from_failures() {
    let error = Error::from_restart(Restart::new("7".to_owned(), crate::ContinueOptions::new()));
    assert!(error.is_continue_as_new());
    assert!(!card_declined().is_continue_as_new());
}

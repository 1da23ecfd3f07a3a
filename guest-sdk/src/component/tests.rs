//! Workflows and activities that need no host: what goes in, what comes out, and what is said when it does not fit.

use std::collections::BTreeMap;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use super::*;
use crate::{activity, workflow};

/// Doubles a number.
///
/// And this is not part of the summary.
#[workflow]
async fn double(_ctx: Ctx, number: u32) -> Result<u32> {
    Ok(number * 2)
}

#[workflow(name = "without input")]
async fn no_input(_ctx: Ctx) -> Result<&'static str> {
    Ok("done")
}

#[workflow]
async fn takes_unit(_ctx: Ctx, nothing: ()) -> Result<()> {
    Ok(nothing)
}

#[workflow]
async fn other_error(_ctx: Ctx, text: String) -> std::result::Result<u32, std::num::ParseIntError> {
    text.parse()
}

#[workflow]
async fn unwritable(_ctx: Ctx) -> Result<BTreeMap<(u8, u8), u8>> {
    Ok(BTreeMap::from([((1, 2), 3)]))
}

/// Triples a number.
#[activity]
async fn triple_it(_ctx: ActivityCtx, number: u32) -> Result<u32> {
    Ok(number * 3)
}

// As a workflow above: the two kinds have names of their own.
#[activity(name = "double")]
async fn activity_without_input(_ctx: ActivityCtx) -> Result<(), std::fmt::Error> {
    Err(std::fmt::Error)
}

mod twins {
    use super::*;

    #[workflow(name = "twin")]
    async fn first(_ctx: Ctx) -> Result<()> {
        Ok(())
    }

    #[workflow(name = "twin")]
    async fn second(_ctx: Ctx) -> Result<()> {
        Ok(())
    }
}

fn run_now(name: &str, input: &str) -> Result<String> {
    now(run(name, input.to_owned()))
}

fn run_activity_now(name: &str, input: &str) -> Result<String> {
    now(run_activity(name, input.to_owned()))
}

fn now(run: impl Future<Output = Result<String>>) -> Result<String> {
    match pin!(run).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => outcome,
        Poll::Pending => panic!("these wait for nothing"),
    }
}

#[test]
fn input_and_output_are_json() {
    assert_eq!(run_now("double", "21").unwrap(), "42");
}

#[test]
fn a_workflow_without_input_does_not_look_at_it() {
    assert_eq!(run_now("without input", "not even JSON").unwrap(), "\"done\"");
}

#[test]
fn a_workflow_that_takes_nothing_takes_anything() {
    assert_eq!(run_now("takes_unit", "[1, 2]").unwrap(), "null");
}

#[test]
fn any_error_type_will_do() {
    assert_eq!(run_now("other_error", "\"7\"").unwrap(), "7");
    assert!(run_now("other_error", "\"x\"").unwrap_err().is("ParseIntError"));
}

#[test]
fn an_unknown_workflow_is_told_the_names_that_exist() {
    let error = run_now("triple", "1").unwrap_err();

    assert!(error.is(error_types::UNKNOWN_WORKFLOW));
    assert!(!error.retriable);
    assert_eq!(
        error.message,
        "this component has no workflow `triple`; \
         it has `double`, `full house`, `other_error`, `registers`, `takes_unit`, `tally`, `twin`, `twin`, `unwritable`, `without input`"
    );
}

#[test]
fn input_of_the_wrong_type_is_refused_for_good() {
    let error = run_now("double", "\"many\"").unwrap_err();

    assert!(error.is(error_types::INVALID_INPUT));
    assert!(!error.retriable);
    assert_eq!(
        error.message,
        "the input of workflow `double` cannot be read as a `u32`: \
         invalid type: string \"many\", expected u32 at line 1 column 6"
    );
}

#[test]
fn output_that_is_no_json_is_refused_for_good() {
    let error = run_now("unwritable", "null").unwrap_err();

    assert!(error.is(error_types::INVALID_OUTPUT));
    assert!(!error.retriable);
    assert!(
        error.message.starts_with("the result of workflow `unwritable`, a `BTreeMap<(u8, u8), u8>`"),
        "{}",
        error.message
    );
    assert!(error.message.ends_with("cannot be written as JSON: key must be a string"), "{}", error.message);
}

#[test]
fn the_summary_is_the_first_paragraph_of_the_documentation() {
    let summaries: BTreeMap<_, _> = workflows().into_iter().map(|workflow| (workflow.name, workflow.summary)).collect();

    assert_eq!(summaries["double"], "Doubles a number.");
    assert_eq!(summaries["unwritable"], "");
}

#[test]
fn two_workflows_of_one_name_are_both_listed() {
    assert_eq!(workflows().into_iter().filter(|workflow| workflow.name == "twin").count(), 2);
}

#[test]
fn activities_are_run_by_their_names_as_workflows_are() {
    assert_eq!(run_activity_now("triple_it", "7").unwrap(), "21");
    assert!(run_activity_now("double", "not even JSON").unwrap_err().is("fmt::Error"));
    assert_eq!(run_now("double", "21").unwrap(), "42");

    let described: Vec<_> = activities().into_iter().map(|activity| (activity.name, activity.summary)).collect();
    assert_eq!(described, [("double", ""), ("triple_it", "Triples a number.")]);
}

#[test]
fn mistakes_about_activities_say_so() {
    let error = run_activity_now("triple_it", "\"many\"").unwrap_err();
    assert!(error.is(error_types::INVALID_INPUT));
    assert!(error.message.starts_with("the input of activity `triple_it` cannot be read as a `u32`"), "{error}");

    let error = run_activity_now("takes_unit", "1").unwrap_err();
    assert!(error.is(error_types::UNKNOWN_ACTIVITY));
    assert_eq!(error.message, "this component has no activity `takes_unit`; it has `double`, `triple_it`");
}

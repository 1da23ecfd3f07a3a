//! Handlers as far as they go without a host: what is registered, and what queries answer.

use std::cell::Cell;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use super::*;
use crate::error_types::INVALID_INPUT;
use crate::prelude::*;
use crate::{component, instance};

struct Tally {
    count: u32,
}

/// Counts to what it is given.
#[workflow]
impl Tally {
    #[init]
    fn from(count: &u32) -> Self {
        Self { count: *count }
    }

    #[run]
    async fn run(ctx: Ctx<Self>, count: u32) -> Result<u32> {
        ctx.change(|tally| tally.count += count);
        ctx.wait_until(|tally| tally.count == 2 * count).await;
        ctx.wait_for_handlers().await;
        Ok(ctx.read(|tally| tally.count))
    }

    #[query]
    fn count(&self) -> u32 {
        self.count
    }

    #[query(name = "Times")]
    fn times(&self, _ctx: &Ctx<Self>, factor: u32) -> Result<u32> {
        match factor {
            0 => Err(Error::new("Zero", "not by nothing")),
            factor => Ok(self.count * factor),
        }
    }

    #[query]
    fn changes(&self, ctx: &Ctx<Self>) -> u32 {
        ctx.change(|tally| tally.count)
    }

    #[query]
    fn calls(&self, ctx: &Ctx) -> bool {
        drop(ctx.activity::<()>("charge", &()));
        true
    }
}

/// Only to be compiled, and listed: its handlers need a host.
#[derive(Default)]
struct Full;

#[workflow(name = "full house")]
impl Full {
    /// Does nothing.
    #[run]
    async fn run(_ctx: Ctx) -> Result<()> {
        Ok(())
    }

    #[signal]
    fn plain(&mut self) {}

    #[signal(name = "Other")]
    fn fallible(&mut self, _ctx: &Ctx<Self>, _text: String) -> Result<(), std::fmt::Error> {
        Ok(())
    }

    #[signal]
    async fn patient(_ctx: Ctx<Self>, _text: String) {}

    #[update]
    fn value(&mut self) -> u32 {
        1
    }

    #[update]
    async fn patient_value(_ctx: Ctx<Self>, number: u32) -> Result<u32, std::fmt::Error> {
        Ok(number)
    }

    #[validate(patient_value)]
    fn check(&self, _ctx: &Ctx, number: &u32) -> Result<()> {
        if *number == 0 { Err(Error::new("Zero", "nothing")) } else { Ok(()) }
    }

    #[validate(value)]
    fn check_nothing(&self) -> Result<()> {
        Ok(())
    }
}

fn run(workflow: &str, input: &str) -> Result<String> {
    match pin!(component::run(workflow, input.to_owned())).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => outcome,
        Poll::Pending => panic!("{workflow} waits"),
    }
}

#[test]
fn a_workflow_begins_with_its_state_and_its_state_outlives_it() {
    assert_eq!(run("tally", "4").unwrap(), "8");
    assert_eq!(ask("count", "null").unwrap(), "8");
    assert_eq!(ask("TIMES", "2").unwrap(), "16");
    assert!(matches!(ask("times", "0"), Err(QueryError::Failed(error)) if error.is("Zero")));
    assert!(matches!(ask("times", "\"two\""), Err(QueryError::Failed(error)) if error.is(INVALID_INPUT)));
    assert!(run("tally", "\"four\"").unwrap_err().is(INVALID_INPUT));
}

#[test]
fn an_unknown_query_is_answered_with_those_that_there_are() {
    run("tally", "1").unwrap();
    match ask("cuont", "null") {
        Err(QueryError::Unknown(names)) => assert_eq!(names, ["calls", "changes", "count", "Times"]),
        other => panic!("{other:?}"),
    }
}

#[test]
#[should_panic(expected = "a query cannot change the state: it only reads the state")]
fn a_query_that_changes_the_state_is_stopped() {
    run("tally", "1").unwrap();
    let _ = ask("changes", "null");
}

#[test]
#[should_panic(expected = "a query cannot call activity `charge`")]
fn a_query_that_calls_an_activity_is_stopped() {
    run("tally", "1").unwrap();
    let _ = ask("calls", "null");
}

#[test]
fn handlers_are_listed_by_their_names() {
    let full = component::workflows().into_iter().find(|workflow| workflow.name == "full house").unwrap();
    assert_eq!(full.summary, "Does nothing.");
    assert_eq!(full.signals, ["plain", "Other", "patient"]);
    assert_eq!(full.updates, ["value", "patient_value"]);
    assert_eq!(full.queries, [""; 0]);
}

#[test]
fn a_query_is_registered_on_the_context_and_the_last_of_a_name_counts() {
    instance::clear();
    let ctx: Ctx = Ctx::new();
    let number = Rc::new(Cell::new(1));
    ctx.on_query("Number", |()| Ok("replaced"));
    let shown = Rc::clone(&number);
    ctx.on_query("number", move |()| Ok(shown.get()));
    number.set(7);
    assert_eq!(ask("NUMBER", "{}").unwrap(), "7");
}

#[test]
fn a_condition_sees_changes_that_nobody_announced() {
    instance::clear();
    let ctx: Ctx = Ctx::new();
    let number = Cell::new(0);
    let counts = async {
        for _ in 0..3 {
            number.set(number.get() + 1);
            ctx.wait_until(|()| number.get() % 2 == 0).await;
            number.set(number.get() + 1);
        }
    };
    let follows = async {
        while number.get() < 7 {
            ctx.wait_until(|()| number.get() % 2 == 1).await;
            number.set(number.get() + 1);
        }
    };
    let both = beside_handlers(async {
        crate::select! {
            () = std::pin::pin!(futures::FutureExt::fuse(counts)) => Ok("counted"),
            () = std::pin::pin!(futures::FutureExt::fuse(follows)) => Ok("followed"),
        }
    });
    assert!(pin!(both).poll(&mut Context::from_waker(Waker::noop())).is_ready());
}

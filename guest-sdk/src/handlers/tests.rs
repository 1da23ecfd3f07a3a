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

    #[signal]
    #[cfg(any())]
    fn never(&mut self, _input: NoSuchType) {}

    #[cfg(any())]
    #[query]
    fn never_asked(&self) -> NoSuchType {}

    #[cfg(test)]
    #[cfg(not(any()))]
    #[signal]
    fn always(&mut self) {}

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

    #[update]
    fn sometimes_checked(&mut self) {}

    #[cfg(any())]
    #[validate(sometimes_checked)]
    fn check_never(&self) -> Result<NoSuchType> {}

    #[update]
    #[cfg(any())]
    fn never_updated(&mut self, _input: NoSuchType) {}

    #[validate(never_updated)]
    #[cfg(any())]
    fn check_never_updated(&self, _input: &NoSuchType) -> Result<()> {}
}

/// Registers, while it runs, what it is given: a kind and a name.
#[derive(Default)]
struct Registers;

#[workflow]
impl Registers {
    #[run]
    async fn run(ctx: Ctx<Self>, (kind, name): (String, String)) -> Result<()> {
        match kind.as_str() {
            "query" => ctx.on_query(&name, |()| Ok("registered")),
            "update" => ctx.on_update(&name, |()| Ok(())),
            _ => ctx.on_signal(&name, |()| ()),
        }
        Ok(())
    }

    #[query]
    fn declared(&self) -> &'static str {
        "declared"
    }

    #[query]
    fn other(&self) -> u32 {
        7
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
    assert_eq!(full.signals, ["plain", "always", "Other", "patient"]);
    assert_eq!(full.updates, ["value", "patient_value", "sometimes_checked"]);
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
fn a_declared_handler_is_replaced_while_the_workflow_runs_and_kinds_without_any_may_grow() {
    run("registers", "[\"query\", \"Declared\"]").unwrap();
    assert_eq!(ask("declared", "null").unwrap(), "\"registered\"");
    run("registers", "[\"update\", \"set\"]").unwrap();
    assert_eq!(instance::with(|instance| instance.registry.borrow().updates.names()), ["set"]);
}

#[test]
#[should_panic(
    expected = "query `count` cannot be registered: the workflow declares which it handles (`declared`, `other`)"
)]
fn a_handler_that_could_not_be_reached_is_not_registered() {
    let _ = run("registers", "[\"query\", \"count\"]");
}

#[test]
#[should_panic(expected = "update `restart` cannot continue as new: its caller waits for an answer")]
fn an_update_that_continues_as_new_is_stopped() {
    instance::clear();
    let ctx: Ctx = Ctx::new();
    ctx.on_update("restart", move |()| Err::<(), _>(ctx.continue_as_new(&7)));
    let restart = instance::with(|instance| instance.registry.borrow().updates.find("restart")).unwrap();
    restart("null").unwrap()();
}

#[test]
fn conditions_that_are_met_or_dropped_are_not_looked_at_any_more() {
    instance::clear();
    let ctx: Ctx = Ctx::new();
    let is_met = Cell::new(false);
    let mut context = Context::from_waker(Waker::noop());
    let (mut met, mut dropped) = (ctx.wait_until(|()| is_met.get()), ctx.wait_until(|()| false));
    for wait in [pin!(&mut met) as std::pin::Pin<&mut dyn Future<Output = ()>>, pin!(&mut dropped)] {
        assert!(wait.poll(&mut context).is_pending());
    }
    is_met.set(true);
    assert!(pin!(&mut met).poll(&mut context).is_ready());
    drop(dropped);
    assert!(!instance::with(|instance| instance.conditions.wake_all()));
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

//! The testkit on compiled guests: those of the examples, as an author would test them, and those of our own tests.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking, in its helpers too")]

mod activities;
mod approval;
mod children;
mod clock;
mod deadlines;
mod handlers;
mod histories;
mod mistakes;
mod restarts;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use everturn_test::TestComponent;

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

/// `tests/guests/approval`: a workflow that waits for events.
fn approval() -> TestComponent {
    TestComponent::of_crate(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/guests/approval"))
}

fn order() -> TestComponent {
    TestComponent::of_crate(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/order"))
}

/// `tests/guests`: workflows of our own tests.
fn guests() -> TestComponent {
    TestComponent::of_crate(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/guests"))
}

/// `tests/guests/activities`: activities of our own tests.
fn activity_guests() -> TestComponent {
    TestComponent::of_crate(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/guests/activities"))
}

/// The words with which a test fails.
fn complaint(test: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(test)).expect_err("it does not fail");
    *panic.downcast::<String>().expect("the testkit panics with text")
}

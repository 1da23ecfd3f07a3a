//! The workflow `hello` on the real engine, with a clock that jumps.

use std::time::Duration;

use everturn_test::{Run, TestHost, assert_replays, component};

const MINUTE: Duration = Duration::from_secs(60);

/// A run that has greeted Ada and waits for her answer.
fn greeted() -> Run {
    let mut run = TestHost::new(component!()).with_real_activities().start("hello", "Ada");
    run.until_blocked();
    run
}

#[test]
fn an_answer_ends_the_wait() {
    let mut run = greeted();
    run.skip(MINUTE / 2);
    run.raise_event("answer", "Good morning");
    assert_eq!(run.result(), Ok("Hello, Ada! Ada said: Good morning".to_owned()));
    run.assert_called("greet", 1);
    run.assert_no_pending_timers();
}

#[test]
fn after_a_minute_it_waits_no_longer() {
    let mut run = greeted();
    let began = run.now();
    assert_eq!(run.result(), Ok("Hello, Ada! Ada said nothing.".to_owned()));
    assert_eq!(run.now(), began + MINUTE);
}

#[test]
fn a_closure_stands_in_for_an_activity() {
    let host = TestHost::new(component!()).activity("greet", |name: String| Ok(format!("Ahoy, {name}!")));
    let mut run = host.start("hello", "Ada");
    assert_eq!(run.result(), Ok("Ahoy, Ada! Ada said nothing.".to_owned()));
    run.assert_in_order(["activity greet completed", "waits for event answer for 1m", "completed"]);
}

/// Each history stands for instances that run somewhere: code that cannot replay one would leave them stuck.
/// `everturn workflow history ID -o json > tests/histories/NAME.json` records another.
#[test]
fn what_was_recorded_still_fits_the_code() {
    assert_replays(&component!(), "tests/histories/*.json");
}

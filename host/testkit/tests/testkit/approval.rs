//! The guest `approval`, as its author would test it.

use std::time::Duration;

use everturn_test::{Failure, MockCall, Run, Status, TestHost, TimerPurpose};
use serde_json::{Value, json};

use crate::{DAY, approval};

fn request() -> Value {
    json!({"requester": "ann", "approver": "bob", "manager": "eve", "purpose": "desk", "amount": 42_000})
}

fn host() -> TestHost {
    TestHost::new(approval()).activity_returns("notify", ()).activity_returns("record", ())
}

fn start() -> Run {
    host().start("approval", &request())
}

fn decision(approved: bool, by: &str) -> Value {
    json!({"approved": approved, "by": by})
}

#[test]
fn the_approver_decides() {
    let mut run = start();
    run.skip(DAY);
    run.raise_event("decision", &decision(true, "bob"));
    assert_eq!(run.result(), Ok(decision(true, "bob")));
    assert_eq!(run.status(), Status::Completed);
    run.assert_called("notify", 1);
    run.assert_no_pending_timers();
    assert_eq!(run.calls("notify")[0].input::<(String, Value)>(), ("bob".to_owned(), request()));
}

#[test]
fn the_manager_is_asked_when_the_approver_is_silent() {
    let mut run = start();
    run.until_blocked();
    assert_eq!(run.custom_status::<String>().as_deref(), Some("waiting for bob"));
    run.skip(3 * DAY);
    assert_eq!(run.custom_status::<String>().as_deref(), Some("waiting for eve"));
    run.at(DAY, |run| run.raise_event("Decision", &decision(false, "eve")));
    assert_eq!(run.result(), Ok(decision(false, "eve")));
}

#[test]
fn nobody_decides_and_the_clock_jumps() {
    let mut run = start();
    let began = run.now();
    assert_eq!(run.result(), Ok(decision(false, "nobody")));
    assert_eq!(run.now().duration_since(began).unwrap(), 6 * DAY);
}

#[test]
fn the_limit_of_a_wait_is_a_pending_timer() {
    let mut run = start();
    let timers = run.pending_timers();
    assert_eq!(timers.len(), 1);
    assert_eq!(timers[0].fire_at, run.now() + 3 * DAY);
    assert_eq!(timers[0].purpose, TimerPurpose::EventTimeout("decision".to_owned()));
}

#[test]
fn the_record_is_tried_until_it_succeeds() {
    let host = host().activity("record", |call: MockCall, _: Value| match call.attempt {
        1..=3 => Err(Failure::new("LedgerUnavailable", "try later")),
        _ => Ok(()),
    });
    let mut run = host.start("approval", &request());
    run.raise_event("decision", &decision(true, "bob"));
    assert_eq!(run.result(), Ok(decision(true, "bob")));
    run.assert_called("record", 4);
    let pauses: Vec<_> =
        run.calls("record").windows(2).map(|pair| pair[1].at.duration_since(pair[0].at).unwrap().as_secs()).collect();
    assert_eq!(pauses, [1, 2, 4]);
}

#[test]
fn a_failure_that_is_not_tried_again_fails_the_workflow() {
    let full = Failure::new("MailboxFull", "bob reads nothing").not_retriable();
    let mut run = host().activity_fails("notify", full.clone()).start("approval", &request());
    assert_eq!(run.result::<Value>(), Err(full));
    assert_eq!(run.status(), Status::Failed);
}

#[test]
fn what_happened_can_be_read() {
    let mut run = start();
    run.until_blocked();
    run.raise_event("decision", &decision(true, "bob"));
    run.result::<Value>().unwrap();
    let story = [
        "approval started",
        "activity notify called",
        "activity notify completed",
        "waits for event decision for 3days",
        "event decision arrived",
        "activity record called",
        "activity record completed",
        "completed",
    ];
    assert_eq!(run.story(), story);
    run.assert_in_order(["activity notify called", "event decision arrived", "completed"]);
}

#[test]
fn what_is_sent_before_the_first_turn_is_there_early() {
    let mut run = start();
    run.raise_event("decision", &decision(true, "bob"));
    assert_eq!(run.result(), Ok(decision(true, "bob")));
    assert!(!run.story().iter().any(|line| line.starts_with("waits")), "{:#?}", run.story());
}

#[test]
fn a_suspended_workflow_sees_nothing_until_it_is_resumed() {
    let mut run = start();
    run.until_blocked();
    run.suspend();
    run.raise_event("decision", &decision(true, "bob"));
    run.skip(10 * DAY);
    assert_eq!(run.status(), Status::Suspended);
    run.assert_not_called("record");
    run.resume();
    assert_eq!(run.result(), Ok(decision(true, "bob")));
}

#[test]
fn a_terminated_workflow_has_no_result() {
    let mut run = start();
    run.until_blocked();
    run.terminate("nobody needs a desk");
    let failure = run.result::<Value>().unwrap_err();
    assert_eq!((failure.error_type.as_str(), failure.message.as_str()), ("Terminated", "\"nobody needs a desk\""));
    assert_eq!(run.status(), Status::Terminated);
    run.assert_no_pending_timers();
}

#[test]
fn two_runs_of_one_host_do_not_see_each_other() {
    let host = host().takes("notify", Duration::from_secs(1));
    let (mut first, mut second) = (host.start("approval", &request()), host.start("approval", &request()));
    first.result::<Value>().unwrap();
    second.until_blocked();
    first.assert_called("notify", 2);
    second.assert_called("notify", 1);
    assert!(first.now() > second.now());
}

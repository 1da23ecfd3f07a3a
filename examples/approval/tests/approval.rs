//! Requests that are approved, rejected and forgotten. Every run begins on 2026-01-01 at 09:00 UTC, and days pass in no time.

use std::time::Duration;

use everturn_test::{Failure, MockCall, Run, Status, TestHost, assert_replays, component};
use serde_json::{Value, json};

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

fn request(deadline: &str) -> Value {
    json!({"purpose": "a new desk", "approver": "Grace", "deadline": deadline})
}

fn host() -> TestHost {
    TestHost::new(component!()).activity_returns("notify", ()).activity_returns("record", "receipt 1")
}

/// A request that has three days.
fn start(host: &TestHost) -> Run {
    let mut run = host.start("approval", &request("2026-01-04T09:00:00Z"));
    run.until_blocked();
    run
}

fn status(run: &mut Run) -> Value {
    run.query("status", &())
}

#[test]
fn the_approver_says_yes() {
    let mut run = start(&host());
    assert_eq!(status(&mut run), json!({"status": "pending"}));
    run.skip(DAY);
    run.signal("approve", "Grace");
    let approved = json!({"status": "approved", "by": "Grace"});
    assert_eq!(run.result(), Ok(approved.clone()));
    assert_eq!(status(&mut run), approved, "it can be asked when all is over, too");
}

#[test]
fn the_approver_says_no() {
    let mut run = start(&host());
    run.signal("reject", "Grace");
    assert_eq!(run.result(), Ok(json!({"status": "rejected", "by": "Grace"})));
}

#[test]
fn no_answer_until_the_deadline_is_a_no() {
    let mut run = start(&host());
    run.skip(3 * DAY - Duration::from_secs(1));
    assert_eq!(run.status(), Status::Running);
    run.skip(Duration::from_secs(1));
    assert_eq!(run.result(), Ok(json!({"status": "expired"})));
}

#[test]
fn a_deadline_in_the_past_is_over_at_once() {
    for past in ["2025-12-31T00:00:00Z", "2026-01-01T09:00:00Z", "1969-12-31T00:00:00Z"] {
        let mut run = host().start("approval", &request(past));
        let began = run.now();
        assert_eq!(run.result(), Ok(json!({"status": "expired"})), "{past}");
        assert_eq!(run.now(), began, "nothing had to be waited for");
    }
}

#[test]
fn an_answer_before_anybody_was_asked_counts() {
    let mut run = host().takes("notify", HOUR).start("approval", &request("2026-01-04T09:00:00Z"));
    run.until_blocked();
    run.signal("approve", "Grace");
    assert_eq!(run.result(), Ok(json!({"status": "approved", "by": "Grace"})));
    assert!(!run.story().iter().any(|line| line.starts_with("timer")), "{:#?}", run.story());
}

#[test]
fn the_first_answer_counts() {
    let mut run = start(&host());
    run.signal("reject", "Grace");
    run.signal("approve", "Charles");
    let rejected = json!({"status": "rejected", "by": "Grace"});
    assert_eq!(run.result(), Ok(rejected.clone()));
    assert_eq!(status(&mut run), rejected);
}

#[test]
fn an_answer_after_the_deadline_changes_nothing() {
    let mut run = start(&host().takes("record", DAY));
    run.skip(3 * DAY + HOUR);
    assert_eq!(status(&mut run), json!({"status": "expired"}));
    run.signal("approve", "Grace");
    assert_eq!(run.result(), Ok(json!({"status": "expired"})));
    assert_eq!(status(&mut run), json!({"status": "expired"}));
}

#[test]
fn there_is_one_timer_and_none_after_the_answer() {
    // It is filed a week after the answer: by then the deadline has passed.
    let mut run = start(&host().takes("record", 7 * DAY));
    let timers = run.pending_timers();
    assert_eq!(timers.len(), 1);
    assert_eq!(timers[0].fire_at, run.now() + 3 * DAY);

    run.signal("approve", "Grace");
    run.until_blocked();
    run.assert_no_pending_timers();
    let events = run.history().len();
    run.skip(6 * DAY);
    assert_eq!(run.history().len(), events, "nothing woke it up");
    assert_eq!(run.result(), Ok(json!({"status": "approved", "by": "Grace"})));
}

#[test]
fn it_is_recorded_however_often_that_fails() {
    let host = host().activity("record", |call: MockCall, _: Value| match call.attempt {
        1..=3 => Err(Failure::new("ArchiveClosed", "come back later")),
        _ => Ok("receipt 4"),
    });
    let mut run = start(&host);
    run.signal("approve", "Grace");
    assert_eq!(run.result(), Ok(json!({"status": "approved", "by": "Grace"})));
    run.assert_called("record", 4);
}

#[test]
fn its_own_activities_run() {
    let host = TestHost::new(component!()).with_real_activities();
    let mut run = host.start("approval", &request("2026-01-04T09:00:00Z"));
    run.signal("approve", "Grace");
    assert_eq!(run.result(), Ok(json!({"status": "approved", "by": "Grace"})));
    run.assert_in_order(["activity notify completed", "activity record completed", "completed"]);
}

/// Instances that began with the code of yesterday must be able to go on with that of today.
#[test]
fn recorded_histories_replay() {
    assert_replays(&component!(), "tests/histories/*.json");
}

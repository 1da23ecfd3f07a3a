//! Tickets that are answered, escalated and paused. Every run begins on 2026-01-01 at 09:00 UTC, and hours pass in no time.

use std::time::Duration;

use everturn_test::{Failure, MockCall, Run, Status, TestHost, assert_replays, component};
use serde_json::{Value, json};

const MINUTE: Duration = Duration::from_secs(60);

fn host() -> TestHost {
    TestHost::new(component!()).activity_returns("escalate", ()).activity_returns("report_breach", ())
}

/// A ticket that must be answered within an hour. Then the lead has half an hour, and then the director ten minutes.
fn start(host: &TestHost) -> Run {
    let ticket = json!({
        "subject": "the printer burns",
        "answer_within_seconds": 3600,
        "escalations": [{"to": "the lead", "grace_seconds": 1800}, {"to": "the director", "grace_seconds": 600}],
    });
    let mut run = host.start("ticket", &ticket);
    run.until_blocked();
    run
}

fn state(run: &mut Run, field: &str) -> Value {
    run.query::<Value>("state", &())[field].clone()
}

fn time_left(run: &mut Run) -> Value {
    run.query("time_left", &())
}

#[test]
fn a_ticket_that_is_answered_in_time_is_not_escalated() {
    let mut run = start(&host());
    assert_eq!(time_left(&mut run), json!({"runs_out_at": "2026-01-01T10:00:00Z"}));
    run.skip(59 * MINUTE);
    run.signal("acknowledge", "Ada");
    run.until_blocked();
    assert_eq!(time_left(&mut run), "not_counted");
    run.skip(1000 * MINUTE);
    assert_eq!(run.status(), Status::Running, "it is answered, not resolved");
    run.signal("resolve", "Ada");
    let resolved = json!({
        "acknowledged_by": "Ada", "resolved_by": "Ada", "paused_for": null, "escalated_to": null, "is_breached": false,
    });
    assert_eq!(run.result(), Ok(resolved.clone()));
    assert_eq!(run.query::<Value>("state", &()), resolved);
    run.assert_not_called("escalate");
}

#[test]
fn a_ticket_that_is_resolved_need_not_be_acknowledged() {
    let mut run = start(&host());
    run.signal("resolve", "Ada");
    run.result::<Value>().unwrap();
    run.assert_not_called("escalate");
    run.assert_no_pending_timers();
}

#[test]
fn it_is_escalated_level_by_level() {
    let mut run = start(&host());
    run.skip(60 * MINUTE);
    assert_eq!(run.calls("escalate")[0].input::<Value>(), json!(["the printer burns", "the lead"]));
    assert_eq!(state(&mut run, "escalated_to"), "the lead");
    assert_eq!(time_left(&mut run), json!({"runs_out_at": "2026-01-01T10:30:00Z"}));

    run.skip(30 * MINUTE);
    assert_eq!(run.calls("escalate")[1].input::<Value>(), json!(["the printer burns", "the director"]));
    assert_eq!(time_left(&mut run), json!({"runs_out_at": "2026-01-01T10:40:00Z"}));

    run.signal("acknowledge", "the director");
    run.until_blocked();
    run.assert_no_pending_timers();
    run.assert_not_called("report_breach");
}

#[test]
fn when_nobody_answers_at_all_it_is_reported_and_still_has_to_be_resolved() {
    let mut run = start(&host());
    run.skip(100 * MINUTE);
    run.assert_called("escalate", 2);
    run.assert_called("report_breach", 1);
    assert_eq!(state(&mut run, "is_breached"), true);
    assert_eq!(time_left(&mut run), "not_counted");
    run.at(MINUTE, |run| run.signal("resolve", "Ada"));
    let resolved: Value = run.result().unwrap();
    assert_eq!((&resolved["is_breached"], &resolved["resolved_by"]), (&json!(true), &json!("Ada")));
}

#[test]
fn the_grace_begins_when_they_have_been_told() {
    let host = host().activity("escalate", |call: MockCall, _: Value| match call.attempt {
        1 | 2 => Err(Failure::new("Engaged", "the line is busy")),
        _ => Ok(()),
    });
    let mut run = start(&host);
    // One attempt at 10:00:00, one after a second, one after two more.
    run.skip(61 * MINUTE);
    run.assert_called("escalate", 3);
    assert_eq!(time_left(&mut run), json!({"runs_out_at": "2026-01-01T10:30:03Z"}));
}

#[test]
fn no_time_passes_while_it_is_paused() {
    let mut run = start(&host());
    run.skip(20 * MINUTE);
    run.signal("pause", "waiting for the customer");
    run.until_blocked();
    run.assert_no_pending_timers();
    let events = run.history().len();
    run.skip(1000 * MINUTE);
    assert_eq!(run.history().len(), events, "nothing woke it up");
    assert_eq!(state(&mut run, "paused_for"), "waiting for the customer");
    assert_eq!(time_left(&mut run), json!({"paused_with_seconds": 40 * 60}));

    run.signal("resume", &());
    run.until_blocked();
    assert_eq!(state(&mut run, "paused_for"), Value::Null);
    assert_eq!(run.pending_timers()[0].fire_at, run.now() + 40 * MINUTE);
    run.skip(40 * MINUTE);
    run.assert_called("escalate", 1);
}

#[test]
fn however_often_it_is_paused_there_is_one_timer() {
    let mut run = start(&host());
    for minutes_left in (40..60).rev() {
        run.skip(MINUTE);
        run.signal("pause", "lunch");
        run.signal("pause", "still lunch");
        run.skip(MINUTE);
        run.signal("resume", &());
        run.signal("resume", &());
        run.until_blocked();
        let timers = run.pending_timers();
        assert_eq!(timers.len(), 1, "{timers:?}");
        assert_eq!(timers[0].fire_at, run.now() + minutes_left * MINUTE);
    }
}

#[test]
fn a_clock_that_runs_cannot_be_resumed() {
    let mut run = start(&host());
    run.skip(20 * MINUTE);
    run.signal("resume", &());
    assert_eq!(time_left(&mut run), json!({"runs_out_at": "2026-01-01T10:00:00Z"}));
}

#[test]
fn a_paused_ticket_can_be_answered() {
    let mut run = start(&host());
    run.signal("pause", "waiting for the customer");
    run.skip(1000 * MINUTE);
    run.signal("resolve", "Ada");
    assert_eq!(run.result::<Value>().map(|state| state["resolved_by"].clone()), Ok(json!("Ada")));
}

#[test]
fn a_pause_while_somebody_is_being_told_stops_the_grace() {
    let mut run = start(&host().takes("escalate", 5 * MINUTE));
    run.skip(62 * MINUTE);
    run.signal("pause", "waiting for the customer");
    run.skip(1000 * MINUTE);
    run.assert_called("escalate", 1);
    assert_eq!(time_left(&mut run), json!({"paused_with_seconds": 30 * 60}));
}

#[test]
fn an_answer_while_somebody_is_being_told_ends_the_escalation() {
    let mut run = start(&host().takes("escalate", 5 * MINUTE));
    run.skip(62 * MINUTE);
    run.signal("acknowledge", "Ada");
    run.skip(1000 * MINUTE);
    run.assert_called("escalate", 1);
    run.assert_no_pending_timers();
}

#[test]
fn its_own_activities_run() {
    let mut run = start(&TestHost::new(component!()).with_real_activities());
    run.skip(100 * MINUTE);
    run.assert_in_order(["activity escalate completed", "activity report_breach completed"]);
}

/// Instances that began with the code of yesterday must be able to go on with that of today.
#[test]
fn recorded_histories_replay() {
    assert_replays(&component!(), "tests/histories/*.json");
}

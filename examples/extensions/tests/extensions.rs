//! A deadline that others move. Every run begins on 2026-01-01 at 09:00 UTC, and days pass in no time.

use std::time::Duration;

use everturn_test::{Run, Status, TestHost, UpdateError, assert_replays, component};
use serde_json::{Value, json};

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

/// The morning of a day in January: runs begin on that of the first.
fn morning(day: u32) -> String {
    format!("2026-01-{day:02}T09:00:00Z")
}

/// A request that has until the 4th, can be extended to the 31st, and that often.
fn start(host: &TestHost, max_extensions: usize) -> Run {
    let request = json!({
        "purpose": "a journey", "deadline": morning(4), "latest": morning(31), "max_extensions": max_extensions,
    });
    let mut run = host.start("extendable_approval", &request);
    run.until_blocked();
    run
}

fn host() -> TestHost {
    TestHost::new(component!()).activity_returns("record", ())
}

fn extend(run: &mut Run, until: &str) -> Result<String, UpdateError> {
    run.update("extend", &json!({"until": until, "by": "Ada"}))
}

/// The kind of error with which an extension is refused.
fn refusal(run: &mut Run, until: &str) -> String {
    match extend(run, until) {
        Err(UpdateError::Rejected(failure)) => failure.error_type,
        other => format!("not refused: {other:?}"),
    }
}

fn expired(extensions: usize) -> Value {
    json!({"approved_by": null, "extensions": extensions})
}

#[test]
fn without_an_extension_it_is_over_at_its_deadline() {
    let mut run = start(&host(), 3);
    let began = run.now();
    assert_eq!(run.result(), Ok(expired(0)));
    assert_eq!(run.now(), began + 3 * DAY);
}

#[test]
fn an_extension_gives_more_time() {
    let mut run = start(&host(), 3);
    let began = run.now();
    run.skip(2 * DAY);
    assert_eq!(extend(&mut run, &morning(11)), Ok(morning(11)));
    assert_eq!(run.query::<String>("deadline", &()), morning(11));
    assert_eq!(run.result(), Ok(expired(1)));
    assert_eq!(run.now(), began + 10 * DAY);
}

#[test]
fn a_deadline_can_be_shortened() {
    let mut run = start(&host(), 3);
    let began = run.now();
    assert_eq!(extend(&mut run, &morning(2)), Ok(morning(2)));
    assert_eq!(run.result(), Ok(expired(1)));
    assert_eq!(run.now(), began + DAY);
}

#[test]
fn a_month_of_extensions_has_one_timer_at_any_time() {
    let mut run = start(&host(), 100);
    let began = run.now();
    run.skip(DAY);
    for day in 3..=29 {
        run.skip(DAY);
        assert_eq!(extend(&mut run, &morning(day + 2)), Ok(morning(day + 2)));
        let timers = run.pending_timers();
        assert_eq!(timers.len(), 1, "{timers:?}");
        assert_eq!(timers[0].fire_at, began + (day + 1) * DAY);
    }
    assert_eq!(run.result(), Ok(expired(27)));
    assert_eq!(run.now(), began + 30 * DAY);
}

#[test]
fn nothing_wakes_up_at_a_deadline_that_was_moved() {
    let mut run = start(&host(), 3);
    extend(&mut run, &morning(11)).unwrap();
    extend(&mut run, &morning(21)).unwrap();
    let events = run.history().len();
    run.skip(19 * DAY);
    assert_eq!(run.history().len(), events);
    assert_eq!(run.status(), Status::Running);
}

#[test]
fn an_extension_must_be_in_the_future() {
    let mut run = start(&host(), 3);
    run.skip(DAY);
    assert_eq!(refusal(&mut run, &morning(1)), "DeadlineInThePast");
    assert_eq!(refusal(&mut run, &morning(2)), "DeadlineInThePast", "now is not in the future");
    assert_eq!(refusal(&mut run, "1969-12-31T00:00:00Z"), "DeadlineInThePast");
}

#[test]
fn an_extension_must_not_go_too_far() {
    let mut run = start(&host(), 3);
    assert_eq!(extend(&mut run, &morning(31)), Ok(morning(31)));
    assert_eq!(refusal(&mut run, "2026-01-31T09:00:01Z"), "DeadlineTooLate");
}

#[test]
fn there_are_only_so_many_extensions() {
    let mut run = start(&host(), 2);
    extend(&mut run, &morning(5)).unwrap();
    extend(&mut run, &morning(6)).unwrap();
    assert_eq!(refusal(&mut run, &morning(7)), "TooManyMoves");
    assert_eq!(run.query::<String>("deadline", &()), morning(6));
}

#[test]
fn what_is_refused_leaves_no_trace() {
    let mut run = start(&host(), 0);
    let events = run.history().len();
    assert_eq!(refusal(&mut run, &morning(7)), "TooManyMoves");
    assert_eq!(run.history().len(), events);
    assert_eq!(run.query::<Vec<Value>>("moves", &()), [] as [Value; 0]);
}

#[test]
fn nothing_is_extended_after_the_approval() {
    let mut run = start(&host().takes("record", HOUR), 3);
    run.signal("approve", "Grace");
    run.until_blocked();
    run.assert_no_pending_timers();
    assert_eq!(refusal(&mut run, &morning(11)), "TimerStopped");
    assert_eq!(run.result(), Ok(json!({"approved_by": "Grace", "extensions": 0})));
    assert_eq!(extend(&mut run, &morning(11)), Err(UpdateError::NotTaken(Status::Completed)));
}

#[test]
fn the_first_approval_counts() {
    let mut run = start(&host(), 3);
    run.signal("approve", "Grace");
    run.signal("approve", "Charles");
    assert_eq!(run.result(), Ok(json!({"approved_by": "Grace", "extensions": 0})));
    assert_eq!(run.query::<String>("approved_by", &()), "Grace");
}

#[test]
fn nothing_is_extended_or_approved_after_the_deadline() {
    let mut run = start(&host().takes("record", HOUR), 3);
    run.skip(3 * DAY);
    assert_eq!(refusal(&mut run, &morning(11)), "TimerFired");
    run.signal("approve", "Grace");
    assert_eq!(run.result(), Ok(expired(0)));
    assert_eq!(run.query::<Value>("approved_by", &()), Value::Null);
}

#[test]
fn nothing_wakes_up_at_the_deadline_after_the_approval() {
    let mut run = start(&host().takes("record", 7 * DAY), 3);
    run.signal("approve", "Grace");
    run.until_blocked();
    let events = run.history().len();
    run.skip(6 * DAY);
    assert_eq!(run.history().len(), events);
}

#[test]
fn who_moved_it_when_is_remembered() {
    let mut run = start(&host(), 3);
    run.skip(DAY);
    extend(&mut run, &morning(11)).unwrap();
    run.skip(DAY);
    run.update::<String>("extend", &json!({"until": morning(6), "by": "Grace"})).unwrap();
    // The same deadline once more is no move.
    run.update::<String>("extend", &json!({"until": morning(6), "by": "Charles"})).unwrap();
    let moves = json!([
        {"from": morning(4), "to": morning(11), "by": "Ada", "at": morning(2)},
        {"from": morning(11), "to": morning(6), "by": "Grace", "at": morning(3)},
    ]);
    assert_eq!(run.query::<Value>("moves", &()), moves);
    run.result::<Value>().unwrap();
    assert_eq!(run.query::<Value>("moves", &()), moves, "also when all is over");
}

#[test]
fn its_own_activity_runs() {
    let mut run = start(&TestHost::new(component!()).with_real_activities(), 3);
    run.signal("approve", "Grace");
    assert_eq!(run.result(), Ok(json!({"approved_by": "Grace", "extensions": 0})));
}

/// Instances that began with the code of yesterday must be able to go on with that of today.
#[test]
fn recorded_histories_replay() {
    assert_replays(&component!(), "tests/histories/*.json");
}

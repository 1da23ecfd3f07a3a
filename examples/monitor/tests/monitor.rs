//! The monitor on a virtual clock: months of checks, outages, and signals at the worst moment.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use everturn_test::{Failure, Run, Status, TestHost, assert_replays, component};
use serde_json::{Value, json};

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

/// A little more than the limit at which it begins anew: it looks at the limit between two checks.
const LONGEST_HISTORY: usize = 220;

/// Whether the address is up, for a test to change while time passes.
type Switch = Rc<Cell<bool>>;

fn host() -> (TestHost, Switch) {
    let is_up = Rc::new(Cell::new(true));
    let looked_at = Rc::clone(&is_up);
    let host = TestHost::new(component!())
        .activity("check", move |_: String| match looked_at.get() {
            true => Ok(()),
            false => Err(Failure::new("HttpFailed", "nobody answers")),
        })
        .activity_returns("alert", ());
    (host, is_up)
}

fn watch(interval: Duration) -> Value {
    json!({"url": "http://example.com/", "interval_seconds": interval.as_secs()})
}

fn start(interval: Duration) -> (Run, Switch) {
    let (host, is_up) = host();
    (host.start("monitor", &watch(interval)), is_up)
}

fn totals(run: &mut Run) -> [u64; 3] {
    let status: Value = run.query("status", &());
    ["checks", "failures", "outages"].map(|count| status["totals"][count].as_u64().unwrap_or(u64::MAX))
}

fn alerts(run: &mut Run) -> Vec<Value> {
    run.calls("alert").iter().map(|call| call.input()).collect()
}

#[test]
fn it_checks_at_its_interval_for_months_and_its_history_stays_short() {
    let (mut run, _) = start(6 * HOUR);
    run.skip(90 * DAY);
    assert_eq!(totals(&mut run), [1 + 90 * 4, 0, 0]);
    let generations = run.generation();
    assert!(generations >= 10, "it began anew {generations} times");
    let longest = run.earlier_histories().iter().map(Vec::len).max().unwrap();
    assert!(longest < LONGEST_HISTORY, "{longest} events");
    let calls = run.calls("check");
    let is_punctual = |pair: &[everturn_test::Call]| pair[1].at.duration_since(pair[0].at).unwrap() == 6 * HOUR;
    assert!(calls.windows(2).all(is_punctual), "not even a restart is in the way");
}

#[test]
fn the_interval_has_a_default() {
    let (host, _) = host();
    let mut run = host.start("monitor", &json!({"url": "http://example.com/"}));
    run.skip(HOUR);
    run.assert_called("check", 61);
}

#[test]
fn an_outage_is_told_once_however_long_it_is() {
    let (mut run, is_up) = start(MINUTE);
    run.skip(HOUR);
    is_up.set(false);
    run.skip(3 * HOUR);
    assert!(run.generation() > 1, "it began anew during the outage");
    assert_eq!(run.query::<Value>("status", &())["is_down"], true);
    let down = json!({"down": {"url": "http://example.com/", "reason": "HttpFailed: nobody answers"}});
    assert_eq!(alerts(&mut run), [down]);

    is_up.set(true);
    run.skip(HOUR);
    assert_eq!(run.query::<Value>("status", &())["is_down"], false);
    // From the third failure to the second success.
    let down_for = 3 * HOUR - MINUTE;
    let up = json!({"up": {"url": "http://example.com/", "down_for_seconds": down_for.as_secs()}});
    assert_eq!(alerts(&mut run)[1..], [up]);
    assert_eq!(totals(&mut run)[1..], [3 * 60, 1]);
}

#[test]
fn a_hiccup_is_no_outage() {
    let (mut run, is_up) = start(MINUTE);
    run.until_blocked();
    for _ in 0..10 {
        is_up.set(false);
        run.skip(2 * MINUTE);
        is_up.set(true);
        run.skip(MINUTE);
    }
    assert_eq!(totals(&mut run)[1..], [20, 0]);
    run.assert_not_called("alert");
}

#[test]
fn an_address_that_flickers_is_one_outage() {
    let (mut run, is_up) = start(MINUTE);
    is_up.set(false);
    run.skip(5 * MINUTE);
    for _ in 0..10 {
        is_up.set(true);
        run.skip(MINUTE);
        is_up.set(false);
        run.skip(MINUTE);
    }
    run.assert_called("alert", 1);
}

#[test]
fn an_alert_that_nobody_hears_does_not_stop_the_checks() {
    let (host, is_up) = host();
    is_up.set(false);
    let mut run = host.activity_fails("alert", Failure::new("PagerBroken", "no")).start("monitor", &watch(MINUTE));
    run.skip(HOUR);
    run.assert_called("alert", 5);
    run.assert_called("check", 61);
}

#[test]
fn the_interval_can_be_changed_while_it_waits() {
    let (mut run, _) = start(HOUR);
    run.skip(30 * MINUTE);
    run.assert_called("check", 1);
    run.signal("set_interval", &(10 * 60));
    run.until_blocked();
    run.assert_called("check", 2);
    run.skip(30 * MINUTE);
    run.assert_called("check", 5);

    run.signal("set_interval", &(24 * 3600));
    run.skip(DAY - Duration::from_secs(1));
    run.assert_called("check", 5);
    run.skip(Duration::from_secs(1));
    run.assert_called("check", 6);
}

#[test]
fn an_interval_that_makes_no_sense_changes_nothing() {
    let (mut run, _) = start(HOUR);
    run.signal("set_interval", &0);
    run.signal("set_interval", "often");
    assert_eq!(run.query::<Value>("status", &())["interval_seconds"], 3600);
}

#[test]
fn nothing_is_checked_during_a_pause() {
    let (mut run, _) = start(HOUR);
    run.skip(HOUR);
    run.signal("pause", &());
    run.skip(10 * DAY);
    run.assert_called("check", 2);
    run.assert_no_pending_timers();

    run.signal("resume", &());
    run.until_blocked();
    run.assert_called("check", 3);
}

#[test]
fn when_it_is_stopped_the_totals_are_its_result() {
    let (mut run, _) = start(HOUR);
    run.skip(3 * DAY);
    run.signal("stop", &());
    assert_eq!(run.result(), Ok(json!({"checks": 1 + 3 * 24, "failures": 0, "outages": 0})));
    assert_eq!(run.status(), Status::Completed);
}

#[test]
fn a_check_that_is_under_way_comes_to_its_end_before_it_stops() {
    let (host, _) = host();
    let mut run = host.takes("check", Duration::from_secs(5)).start("monitor", &watch(HOUR));
    run.until_blocked();
    run.signal("stop", &());
    assert_eq!(run.status(), Status::Running);
    assert_eq!(run.result::<Value>().unwrap()["checks"], 1);
}

#[test]
fn a_check_that_takes_too_long_has_failed() {
    let (host, _) = host();
    let mut run = host.takes("check", Duration::MAX).start("monitor", &watch(MINUTE));
    run.skip(HOUR);
    assert_eq!(alerts(&mut run).len(), 1);
    assert_eq!(totals(&mut run)[2], 1);
}

/// Brings it to the last check of its generation, which is under way.
fn on_the_brink() -> Run {
    let start = || host().0.takes("check", Duration::from_secs(1)).start("monitor", &watch(MINUTE));
    let mut ahead = start();
    while ahead.generation() == 0 {
        ahead.skip(MINUTE);
    }
    // What happens in one run happens in the next at the same time.
    let mut run = start();
    run.skip_to(ahead.now() - MINUTE);
    assert_eq!(run.generation(), 0);
    run
}

#[test]
fn signals_that_nobody_has_read_when_it_begins_anew_are_not_lost() {
    let mut run = on_the_brink();
    // While it is suspended, the answer that ends the generation and then the signals pile up.
    run.suspend();
    run.skip(MINUTE);
    for seconds in [10, 20, 30] {
        run.signal("set_interval", &seconds);
    }
    run.signal("pause", &());
    run.resume();
    run.until_blocked();
    assert_eq!(run.generation(), 1);
    let status: Value = run.query("status", &());
    assert_eq!((&status["interval_seconds"], &status["is_paused"]), (&json!(30), &json!(true)));
    let arrived = run.story().iter().filter(|line| line.ends_with("arrived")).count();
    assert_eq!(arrived, 4, "they came along: {:#?}", run.story());
}

#[test]
fn whoever_sends_many_signals_does_not_make_its_history_long() {
    let (mut run, _) = start(HOUR);
    run.signal("pause", &());
    for _ in 0..200 {
        run.signal("pause", &());
        run.until_blocked();
    }
    assert!(run.generation() > 0);
    assert!(run.history().len() < LONGEST_HISTORY);
    assert_eq!(run.query::<Value>("status", &())["is_paused"], true);
}

#[test]
fn a_crash_changes_nothing() {
    let (mut run, is_up) = start(MINUTE);
    for part in 0..24 {
        is_up.set(part % 2 == 0);
        run.restart_host();
        run.skip(10 * MINUTE);
    }
    assert_eq!(totals(&mut run), [1 + 24 * 10, 12 * 10, 12]);
    run.assert_called("alert", 23);
}

#[test]
fn a_host_that_was_not_granted_is_no_outage_but_a_mistake() {
    let host = TestHost::new(component!()).with_real_activities();
    let failure = host.start("monitor", &watch(MINUTE)).result::<Value>().unwrap_err();
    assert_eq!(failure.error_type, "HttpNotGranted");
}

#[test]
fn instances_of_the_past_go_on_with_the_code_of_today() {
    assert_replays(&component!(), "tests/histories/*.json");
}

//! Bids that are early, late, too low and too late. Every run begins on 2026-01-01 at 09:00 UTC, and an hour passes in no time.

use std::time::Duration;

use everturn_test::{Failure, MockCall, Run, Status, TestHost, UpdateError, assert_replays, component};
use serde_json::{Value, json};

const MINUTE: Duration = Duration::from_secs(60);

fn host() -> TestHost {
    TestHost::new(component!()).activity_returns("announce", ())
}

/// An auction that is open for an hour, and closes when nobody has bid for five minutes.
fn start(host: &TestHost) -> Run {
    let lot = json!({
        "item": "a painting", "seller": "Ada", "minimum": 10_000, "open_seconds": 3600, "quiet_seconds": 300,
    });
    let mut run = host.start("auction", &lot);
    run.until_blocked();
    run
}

fn bid(run: &mut Run, bidder: &str, amount: u64) -> Result<String, UpdateError> {
    run.update("bid", &json!({"bidder": bidder, "amount": amount}))
}

/// The kind of error with which a bid is refused.
fn refusal(run: &mut Run, bidder: &str, amount: u64) -> String {
    match bid(run, bidder, amount) {
        Err(UpdateError::Rejected(failure)) => failure.error_type,
        other => format!("not refused: {other:?}"),
    }
}

fn sold(bidder: &str, amount: u64) -> Value {
    json!({"item": "a painting", "winner": {"bidder": bidder, "amount": amount}})
}

#[test]
fn without_a_bid_it_closes_in_time_and_nothing_is_sold() {
    let mut run = start(&host());
    let began = run.now();
    assert_eq!(run.query::<Value>("leader", &()), Value::Null);
    let unsold = json!({"item": "a painting", "winner": null});
    assert_eq!(run.result(), Ok(unsold.clone()));
    assert_eq!(run.now(), began + 60 * MINUTE);
    assert_eq!(run.calls("announce")[0].input::<Value>(), unsold);
}

#[test]
fn the_highest_bid_wins_and_is_announced() {
    let mut run = start(&host());
    let began = run.now();
    bid(&mut run, "Grace", 10_000).unwrap();
    bid(&mut run, "Charles", 12_000).unwrap();
    assert_eq!(run.query::<Value>("leader", &()), json!({"bidder": "Charles", "amount": 12_000}));
    assert_eq!(run.result(), Ok(sold("Charles", 12_000)));
    assert_eq!(run.now(), began + 60 * MINUTE, "early bids put nothing off");
    run.assert_called("announce", 1);
    assert_eq!(run.calls("announce")[0].input::<Value>(), sold("Charles", 12_000));
}

#[test]
fn each_late_bid_puts_the_closing_off() {
    let mut run = start(&host());
    let began = run.now();
    assert_eq!(run.query::<String>("closes_at", &()), "2026-01-01T10:00:00Z");
    run.skip(58 * MINUTE);
    assert_eq!(bid(&mut run, "Grace", 10_000).unwrap(), "2026-01-01T10:03:00Z");
    run.skip(4 * MINUTE);
    assert_eq!(bid(&mut run, "Charles", 20_000).unwrap(), "2026-01-01T10:07:00Z");
    assert_eq!(run.query::<String>("closes_at", &()), "2026-01-01T10:07:00Z");
    assert_eq!(run.result(), Ok(sold("Charles", 20_000)));
    assert_eq!(run.now(), began + 67 * MINUTE);
}

#[test]
fn however_many_bid_there_is_one_timer() {
    let mut run = start(&host());
    run.skip(59 * MINUTE);
    for round in 1..=50 {
        let bidder = if round % 2 == 0 { "Grace" } else { "Charles" };
        bid(&mut run, bidder, 10_000 + round).unwrap();
        let timers = run.pending_timers();
        assert_eq!(timers.len(), 1, "{timers:?}");
        assert_eq!(timers[0].fire_at, run.now() + 5 * MINUTE);
        run.skip(MINUTE);
    }
    assert_eq!(run.result(), Ok(sold("Grace", 10_050)));
}

#[test]
fn nothing_wakes_up_at_a_closing_that_was_put_off() {
    let mut run = start(&host());
    run.skip(59 * MINUTE);
    bid(&mut run, "Grace", 10_000).unwrap();
    let events = run.history().len();
    run.skip(4 * MINUTE);
    assert_eq!(run.history().len(), events);
    assert_eq!(run.status(), Status::Running);
}

#[test]
fn a_bid_must_be_high_enough() {
    let mut run = start(&host());
    assert_eq!(refusal(&mut run, "Grace", 9_999), "BidTooLow");
    bid(&mut run, "Grace", 10_000).unwrap();
    assert_eq!(refusal(&mut run, "Charles", 10_000), "BidTooLow");
    bid(&mut run, "Charles", 10_001).unwrap();
}

#[test]
fn nobody_bids_against_themselves() {
    let mut run = start(&host());
    bid(&mut run, "Grace", 10_000).unwrap();
    assert_eq!(refusal(&mut run, "Grace", 20_000), "OwnBid");
    assert_eq!(refusal(&mut run, "Ada", 20_000), "OwnLot", "she sells it");
    assert_eq!(run.query::<Value>("leader", &()), json!({"bidder": "Grace", "amount": 10_000}));
}

#[test]
fn what_is_refused_leaves_no_trace_and_puts_nothing_off() {
    let mut run = start(&host());
    run.skip(59 * MINUTE);
    let events = run.history().len();
    assert_eq!(refusal(&mut run, "Grace", 1), "BidTooLow");
    assert_eq!(run.history().len(), events);
    assert_eq!(run.query::<String>("closes_at", &()), "2026-01-01T10:00:00Z");
}

#[test]
fn nobody_bids_after_the_end() {
    let mut run = start(&host().takes("announce", MINUTE));
    bid(&mut run, "Grace", 10_000).unwrap();
    run.skip(60 * MINUTE);
    assert_eq!(refusal(&mut run, "Charles", 20_000), "AuctionClosed");
    assert_eq!(run.result(), Ok(sold("Grace", 10_000)));
    assert_eq!(bid(&mut run, "Charles", 20_000), Err(UpdateError::NotTaken(Status::Completed)));
    assert_eq!(run.query::<Value>("leader", &()), json!({"bidder": "Grace", "amount": 10_000}));
}

#[test]
fn the_winner_is_announced_however_often_that_fails() {
    let host = host().activity("announce", |call: MockCall, _: Value| match call.attempt {
        1..=4 => Err(Failure::new("NoPaper", "the newspaper is on strike")),
        _ => Ok(()),
    });
    let mut run = start(&host);
    bid(&mut run, "Grace", 10_000).unwrap();
    assert_eq!(run.result(), Ok(sold("Grace", 10_000)));
    run.assert_called("announce", 5);
}

#[test]
fn its_own_activity_runs() {
    let mut run = start(&TestHost::new(component!()).with_real_activities());
    bid(&mut run, "Grace", 10_000).unwrap();
    assert_eq!(run.result(), Ok(sold("Grace", 10_000)));
}

/// Instances that began with the code of yesterday must be able to go on with that of today.
#[test]
fn recorded_histories_replay() {
    assert_replays(&component!(), "tests/histories/*.json");
}

//! The payment on a virtual clock: every way it can go, and a host that crashes on the way.

use std::time::Duration;

use everturn_test::{Failure, MockCall, Run, TestHost, assert_replays, component};
use serde_json::{Value, json};

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

/// A world in which everything works.
fn host() -> TestHost {
    TestHost::new(component!())
        .activity_returns("reserve", "reservation-1")
        .activity_returns("release", ())
        .activity_returns("charge", "payment-1")
        .activity_returns("refund", ())
        .activity_returns("book", "booking-1")
        .activity_returns("ask_for_card", ())
}

/// The same with a bank that declines cards whose names begin with `bad`.
fn host_with_a_strict_bank() -> TestHost {
    host().activity("charge", |charge: Value| match charge["card"].as_str() {
        Some(card) if card.starts_with("bad") => Err(Failure::new("CardDeclined", format!("{card} was declined"))),
        _ => Ok("payment-1"),
    })
}

fn purchase(card: &str) -> Value {
    json!({"order": "1", "customer": "ada", "item": "chair", "amount": 12_000, "card": card})
}

fn receipt() -> Value {
    json!({"reservation": "reservation-1", "payment": "payment-1", "booking": "booking-1"})
}

fn stage(run: &mut Run) -> String {
    run.query("stage", &())
}

/// The names of all calls so far, in order.
fn calls(run: &mut Run) -> Vec<String> {
    run.all_calls().iter().map(|call| call.name.clone()).collect()
}

#[test]
fn what_works_is_paid_and_nothing_is_taken_back() {
    let mut run = host().start("payment", &purchase("good"));
    assert_eq!(run.result(), Ok(receipt()));
    assert_eq!(calls(&mut run), ["reserve", "charge", "book"]);
    assert_eq!(run.calls("charge")[0].input::<Value>(), json!({"order": "1", "card": "good", "amount": 12_000}));
    assert_eq!(stage(&mut run), "paid");
    run.assert_no_pending_timers();
}

#[test]
fn a_bank_that_is_down_is_asked_again() {
    let host = host().activity("charge", |call: MockCall, _: Value| match call.attempt {
        1..=3 => Err(Failure::new("BankUnavailable", "try later")),
        _ => Ok("payment-1"),
    });
    let mut run = host.start("payment", &purchase("good"));
    assert_eq!(run.result(), Ok(receipt()));
    let calls = run.calls("charge");
    let pauses = calls.windows(2).map(|pair| pair[1].at.duration_since(pair[0].at).unwrap().as_secs());
    assert_eq!(pauses.collect::<Vec<_>>(), [1, 2, 4]);
}

#[test]
fn a_declined_card_is_not_tried_again_and_another_one_is() {
    let mut run = host_with_a_strict_bank().start("payment", &purchase("bad"));
    run.skip(2 * DAY);
    run.assert_called("charge", 1);
    run.assert_called("ask_for_card", 1);
    assert_eq!(stage(&mut run), "waiting_for_card");

    run.signal("use_card", "good");
    assert_eq!(run.result(), Ok(receipt()));
    assert_eq!(run.calls("charge")[1].input::<Value>()["card"], "good");
    run.assert_no_pending_timers();
}

#[test]
fn a_card_that_comes_before_it_is_asked_for_is_kept() {
    let mut run = host_with_a_strict_bank().start("payment", &purchase("bad"));
    let began = run.now();
    run.signal("use_card", "good");
    assert_eq!(run.result(), Ok(receipt()));
    assert_eq!(run.now(), began);
}

#[test]
fn without_another_card_in_time_everything_is_taken_back() {
    let mut run = host_with_a_strict_bank().start("payment", &purchase("bad"));
    let began = run.now();
    assert_eq!(run.result::<Value>().unwrap_err().error_type, "CardDeclined");
    assert_eq!(run.now().duration_since(began).unwrap(), 3 * DAY);
    assert_eq!(calls(&mut run), ["reserve", "charge", "ask_for_card", "refund", "release"]);
    assert_eq!(stage(&mut run), "taken_back");
}

#[test]
fn the_third_declined_card_is_the_last() {
    let mut run = host_with_a_strict_bank().start("payment", &purchase("bad"));
    run.at(HOUR, |run| run.signal("use_card", "bad too"));
    run.at(2 * HOUR, |run| run.signal("use_card", "bad as well"));
    let failure = run.result::<Value>().unwrap_err();
    assert_eq!(failure.message, "bad as well was declined");
    run.assert_called("charge", 3);
    run.assert_called("ask_for_card", 2);
    run.assert_called("release", 1);
}

#[test]
fn what_was_done_is_taken_back_in_reverse_order_when_a_later_step_fails() {
    let refused = Failure::new("BookingRefused", "there is no such account").not_retriable();
    let host = host().activity_fails("book", refused.clone()).takes("refund", HOUR);
    let mut run = host.start("payment", &purchase("good"));
    run.until_blocked();
    assert_eq!(stage(&mut run), "taking_back");
    run.assert_not_called("release");

    assert_eq!(run.result::<Value>(), Err(refused));
    assert_eq!(calls(&mut run), ["reserve", "charge", "book", "refund", "release"]);
    assert_eq!(run.calls("refund")[0].input::<String>(), "1");
    assert_eq!(run.calls("release")[0].input::<String>(), "reservation-1");
}

#[test]
fn what_was_never_done_is_not_taken_back() {
    let mut run = host()
        .activity_fails("reserve", Failure::new("OutOfStock", "there are no chairs").not_retriable())
        .start("payment", &purchase("good"));
    assert_eq!(run.result::<Value>().unwrap_err().error_type, "OutOfStock");
    assert_eq!(calls(&mut run), ["reserve"]);
}

#[test]
fn a_charge_whose_answer_got_lost_is_refunded() {
    let mut run = host().takes("charge", Duration::MAX).start("payment", &purchase("good"));
    assert_eq!(run.result::<Value>().unwrap_err().error_type, "StartToCloseTimeout");
    run.assert_called("charge", 5);
    run.assert_in_order(["activity refund called", "activity release called"]);
}

#[test]
fn a_compensation_is_tried_until_it_works() {
    let host = host().activity_fails("book", Failure::new("BookingRefused", "no").not_retriable()).activity(
        "refund",
        |call: MockCall, _: Value| match call.attempt {
            1..=20 => Err(Failure::new("BankUnavailable", "try later")),
            _ => Ok(()),
        },
    );
    let mut run = host.start("payment", &purchase("good"));
    let failure = run.result::<Value>().unwrap_err();
    assert!(failure.causes.is_empty(), "the refund came through: {failure}");
    run.assert_called("refund", 21);
    run.assert_called("release", 1);
}

#[test]
fn a_crash_while_it_is_taken_back_changes_nothing() {
    let host = host()
        .activity_fails("book", Failure::new("BookingRefused", "no").not_retriable())
        .activity("refund", |call: MockCall, _: Value| match call.attempt {
            1 => Err(Failure::new("BankUnavailable", "try later")),
            _ => Ok(()),
        })
        .takes("release", HOUR);
    let mut run = host.start("payment", &purchase("good"));
    run.until_blocked();
    run.assert_called("refund", 1);
    run.restart_host();
    run.skip(Duration::from_secs(1));
    run.assert_called("release", 1);
    run.restart_host();

    assert_eq!(run.result::<Value>().unwrap_err().error_type, "BookingRefused");
    assert_eq!(calls(&mut run), ["reserve", "charge", "book", "refund", "refund", "release"]);
}

#[test]
fn a_host_that_crashes_all_the_time_charges_once() {
    let mut host = host_with_a_strict_bank();
    for activity in ["reserve", "charge", "ask_for_card", "book"] {
        host = host.takes(activity, Duration::from_secs(10));
    }
    let mut run = host.start("payment", &purchase("bad"));
    run.at(DAY, |run| run.signal("use_card", "good"));
    for _ in 0..30 {
        run.restart_host();
        run.skip(HOUR);
    }
    assert_eq!(run.result(), Ok(receipt()));
    assert_eq!(calls(&mut run), ["reserve", "charge", "ask_for_card", "charge", "book"]);
}

#[test]
fn its_own_activities_can_be_tried() {
    let table = [
        ("1", "chair", "flaky-card", None),
        ("1", "unicorn", "good-card", Some("OutOfStock")),
        ("1", "chair", "declined-card", Some("CardDeclined")),
        ("odd-1", "chair", "good-card", Some("BookingRefused")),
    ];
    for (order, item, card, error_type) in table {
        let purchase = json!({"order": order, "customer": "ada", "item": item, "amount": 12_000, "card": card});
        let outcome = TestHost::new(component!()).with_real_activities().start("payment", &purchase).result::<Value>();
        assert_eq!(outcome.err().map(|failure| failure.error_type).as_deref(), error_type, "{purchase}");
    }
}

#[test]
fn instances_of_the_past_go_on_with_the_code_of_today() {
    assert_replays(&component!(), "tests/histories/*.json");
}

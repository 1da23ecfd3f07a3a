//! Orders on a virtual clock, from payment to delivery: what goes well, what fails and is taken back, who changes their mind.

use std::time::Duration;

use everturn_test::{Failure, Run, Status, TestHost, UpdateError, assert_replays, component};
use serde_json::{Value, json};

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

/// A world in which everything works.
fn host() -> TestHost {
    let mut host = TestHost::new(component!())
        .activity_returns("authorise", "authorisation-1")
        .activity_returns("charge", "charge-1")
        .activity_returns("book_carrier", "parcel-1");
    let silent =
        ["let_go", "refund", "book", "pack", "unpack", "send_tracking_number", "cancel_carrier", "send_voucher"];
    for activity in silent {
        host = host.activity_returns(activity, ());
    }
    host
}

/// An order of six items, and three days to deliver it: the clock begins on 2026-01-01 at nine.
fn order() -> Value {
    let items = ["chair", "table", "lamp", "rug", "vase", "clock"];
    json!({
        "order": "1", "customer": "ada", "items": items, "amount": 12_000, "card": "good",
        "deliver_by": "2026-01-04T09:00:00Z",
    })
}

fn start() -> Run {
    host().start("fulfilment", &order())
}

fn postpone(run: &mut Run, until: &str) -> Result<String, UpdateError> {
    run.update("postpone", &json!({"until": until, "by": "ada"}))
}

fn status(run: &mut Run) -> Value {
    run.query("status", &())
}

/// The names of all calls so far, those of the child included, in order; each one once in a row.
fn calls(run: &mut Run) -> Vec<String> {
    let mut names: Vec<_> = run.all_calls().iter().map(|call| call.name.clone()).collect();
    names.dedup();
    names
}

const PAID: [&str; 4] = ["order_payment", "authorise", "charge", "book"];

#[test]
fn an_order_is_paid_packed_shipped_and_delivered() {
    let mut run = start();
    assert_eq!(status(&mut run)["stage"], "waiting_for_carrier");
    run.at(DAY, |run| run.signal("carrier", "picked_up"));
    run.skip(DAY);
    let shipped = json!({
        "stage": "on_its_way", "packed": 6, "tracking": "parcel-1", "parcel": "picked_up",
        "deliver_by": "2026-01-04T09:00:00Z", "postponed": 0,
    });
    assert_eq!(status(&mut run), shipped);

    run.at(DAY, |run| run.signal("carrier", "delivered"));
    assert_eq!(run.result(), Ok(json!({"delivered": {"in_time": true}})));
    assert_eq!(calls(&mut run), [&PAID[..], &["pack", "book_carrier", "send_tracking_number"]].concat());
    assert_eq!(status(&mut run)["stage"], "ended");
    run.assert_no_pending_timers();
}

#[test]
fn the_payment_is_a_child_of_the_order() {
    let mut run = start();
    let payment = run.instances().into_iter().find(|instance| instance.id == "fulfilment-payment").unwrap();
    assert_eq!((payment.workflow.as_str(), payment.status), ("order_payment", Status::Completed));
    assert_eq!(run.calls("authorise")[0].input::<Value>(), json!({"order": "1", "card": "good", "amount": 12_000}));
}

#[test]
fn items_are_packed_three_at_a_time() {
    let mut run = host().takes("pack", HOUR).start("fulfilment", &order());
    run.skip(HOUR / 2);
    run.assert_called("pack", 3);
    assert_eq!(status(&mut run)["packed"], 0);
    run.skip(HOUR);
    run.assert_called("pack", 6);
    assert_eq!(status(&mut run)["packed"], 3);
    run.skip(HOUR);
    assert_eq!(status(&mut run)["stage"], "waiting_for_carrier");
}

#[test]
fn without_a_payment_nothing_is_packed() {
    let mut run =
        host().activity_fails("authorise", Failure::new("CardDeclined", "no money left")).start("fulfilment", &order());
    assert_eq!(run.result::<Value>().unwrap_err().error_type, "CardDeclined");
    assert_eq!(calls(&mut run), ["order_payment", "authorise"]);
    run.assert_called("authorise", 1);
}

#[test]
fn a_payment_that_cannot_be_booked_takes_itself_back() {
    let refused = Failure::new("BookingRefused", "there is no such account").not_retriable();
    let mut run = host().activity_fails("book", refused).start("fulfilment", &order());
    assert_eq!(run.result::<Value>().unwrap_err().error_type, "BookingRefused");
    assert_eq!(calls(&mut run), [&PAID[..], &["refund", "let_go"]].concat());
    run.assert_called("refund", 1);
}

#[test]
fn an_item_that_is_not_there_takes_all_back() {
    let host = host().activity("pack", |(_, item): (String, String)| match item.as_str() {
        "rug" => Err(Failure::new("OutOfStock", "the moths were here").not_retriable()),
        _ => Ok(()),
    });
    let mut run = host.start("fulfilment", &order());
    assert_eq!(run.result::<Value>().unwrap_err().error_type, "OutOfStock");
    assert_eq!(calls(&mut run), [&PAID[..], &["pack", "unpack", "refund"]].concat());
    assert_eq!(run.calls("refund")[0].input::<String>(), "charge-1");
}

#[test]
fn a_carrier_who_does_not_come_takes_all_back() {
    let mut run = start();
    let began = run.now();
    assert_eq!(run.result::<Value>().unwrap_err().error_type, "CarrierDidNotCome");
    assert_eq!(run.now().duration_since(began).unwrap(), 5 * DAY);
    assert_eq!(calls(&mut run)[6..], ["send_tracking_number", "cancel_carrier", "unpack", "refund"]);
}

#[test]
fn an_order_can_be_called_off_until_it_ships() {
    let all = ["send_tracking_number", "cancel_carrier", "unpack", "refund"];
    let table = [
        ("charge", "paying", vec!["refund"]),
        ("pack", "packing", vec!["pack", "unpack", "refund"]),
        // The carrier may have heard of it, although its answer is not there.
        ("book_carrier", "waiting_for_carrier", [&["pack", "book_carrier"], &all[1..]].concat()),
        ("nothing", "waiting_for_carrier", [&["pack", "book_carrier"], &all[..]].concat()),
    ];
    for (slow, stage, afterwards) in table {
        let mut run = host().takes(slow, HOUR).start("fulfilment", &order());
        run.skip(HOUR / 2);
        assert_eq!(run.update("cancel", &()), Ok(stage.to_owned()));
        assert_eq!(run.result(), Ok(json!("cancelled")), "while {stage}");
        assert_eq!(calls(&mut run), [&PAID[..], &afterwards].concat(), "while {stage}");
        run.assert_no_pending_timers();
    }
}

#[test]
fn an_order_that_has_shipped_cannot_be_called_off() {
    let mut run = start();
    run.signal("carrier", "picked_up");
    run.until_blocked();
    let events = run.history().len();
    let refused = run.update::<Value>("cancel", &()).unwrap_err();
    assert!(matches!(&refused, UpdateError::Rejected(failure) if failure.error_type == "AlreadyShipped"), "{refused}");
    assert_eq!(run.history().len(), events, "what is refused leaves no trace");
}

#[test]
fn a_mail_that_cannot_be_sent_is_no_reason_to_take_the_order_back() {
    let bounced = Failure::new("MailBounced", "there is no such address");
    let mut run = host().activity_fails("send_tracking_number", bounced).start("fulfilment", &order());
    run.skip(HOUR);
    run.assert_called("send_tracking_number", 5);
    assert_eq!(status(&mut run)["stage"], "waiting_for_carrier");
}

#[test]
fn the_deadline_can_be_moved_while_it_is_waited_for() {
    let mut run = start();
    run.signal("carrier", "picked_up");
    run.skip(2 * DAY);
    assert_eq!(postpone(&mut run, "2026-01-08T09:00:00Z"), Ok("2026-01-08T09:00:00Z".to_owned()));
    assert_eq!(run.pending_timers().len(), 1, "the old one is gone");
    run.skip(4 * DAY);
    run.assert_not_called("send_voucher");
    assert_eq!(status(&mut run)["postponed"], 1);

    run.signal("carrier", "delivered");
    assert_eq!(run.result(), Ok(json!({"delivered": {"in_time": true}})));
}

#[test]
fn a_deadline_is_not_moved_too_far_nor_when_it_is_over() {
    let mut run = start();
    run.signal("carrier", "picked_up");
    let too_far = postpone(&mut run, "2026-02-04T09:00:00Z").unwrap_err();
    assert_eq!(too_far.failure().unwrap().error_type, "DeadlineTooLate");
    run.skip(4 * DAY);
    let too_late = postpone(&mut run, "2026-01-08T09:00:00Z").unwrap_err();
    assert_eq!(too_late.failure().unwrap().error_type, "TimerFired");
    assert!(!run.story().iter().any(|line| line.starts_with("update")));
}

#[test]
fn a_late_parcel_is_made_up_for() {
    let mut run = start();
    run.signal("carrier", "picked_up");
    run.skip(3 * DAY);
    run.assert_called("send_voucher", 1);
    assert_eq!(status(&mut run)["stage"], "late");
    run.at(DAY, |run| run.signal("carrier", "delivered"));
    assert_eq!(run.result(), Ok(json!({"delivered": {"in_time": false}})));
    run.assert_not_called("refund");
}

#[test]
fn a_lost_parcel_is_refunded() {
    // The carrier says so, or says nothing.
    for says_so in [true, false] {
        let mut run = start();
        let began = run.now();
        run.signal("carrier", "picked_up");
        run.until_blocked();
        if says_so {
            run.signal("carrier", "lost");
        }
        assert_eq!(run.result(), Ok(json!("lost")));
        run.assert_called("refund", 1);
        let days = if says_so { 0 } else { 3 + 14 };
        assert_eq!(run.now().duration_since(began).unwrap(), days * DAY);
    }
}

#[test]
fn reports_of_the_carrier_may_overtake_each_other() {
    let mut run = host().takes("book_carrier", HOUR).start("fulfilment", &order());
    run.skip(HOUR / 2);
    run.signal("carrier", "delivered");
    run.signal("carrier", "picked_up");
    assert_eq!(run.result(), Ok(json!({"delivered": {"in_time": true}})));
}

#[test]
fn a_host_that_crashes_all_the_time_does_everything_once() {
    let mut host = host();
    for activity in ["authorise", "charge", "book", "pack", "book_carrier"] {
        host = host.takes(activity, 10 * SECOND);
    }
    let mut run = host.start("fulfilment", &order());
    for _ in 0..30 {
        run.restart_host();
        run.skip(3 * SECOND);
    }
    run.signal("carrier", "picked_up");
    run.restart_host();
    postpone(&mut run, "2026-01-08T09:00:00Z").unwrap();
    run.restart_host();
    run.signal("carrier", "delivered");
    assert_eq!(run.result(), Ok(json!({"delivered": {"in_time": true}})));
    for (activity, times) in [("authorise", 1), ("charge", 1), ("book", 1), ("pack", 6), ("book_carrier", 1)] {
        run.assert_called(activity, times);
    }
}

#[test]
fn a_crash_while_it_is_taken_back_changes_nothing() {
    let mut run = host().takes("cancel_carrier", HOUR).takes("unpack", HOUR).start("fulfilment", &order());
    run.until_blocked();
    run.update::<Value>("cancel", &()).unwrap();
    assert_eq!(status(&mut run)["stage"], "taking_back");
    while !run.status().is_ended() {
        run.restart_host();
        run.skip(HOUR / 2);
    }
    assert_eq!(run.result(), Ok(json!("cancelled")));
    for activity in ["cancel_carrier", "unpack", "refund"] {
        run.assert_called(activity, 1);
    }
}

#[test]
fn its_own_activities_can_be_tried() {
    let table = [
        ("1", "chair", "flaky-card", "CarrierDidNotCome"),
        ("1", "unicorn", "good-card", "OutOfStock"),
        ("1", "chair", "declined-card", "CardDeclined"),
        ("odd-1", "chair", "good-card", "BookingRefused"),
    ];
    for (number, item, card, error_type) in table {
        let mut order = order();
        (order["order"], order["items"], order["card"]) = (number.into(), json!([item]), card.into());
        let outcome = TestHost::new(component!()).with_real_activities().start("fulfilment", &order).result::<Value>();
        assert_eq!(outcome.unwrap_err().error_type, error_type, "{order}");
    }
}

#[test]
fn instances_of_the_past_go_on_with_the_code_of_today() {
    assert_replays(&component!(), "tests/histories/*.json");
}

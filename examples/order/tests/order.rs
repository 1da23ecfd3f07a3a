//! The order on a virtual clock, with a shop of closures.

use std::time::Duration;

use everturn_test::{Failure, MockCall, Run, Status, TestHost, assert_replays, component};
use serde_json::{Value, json};

/// A shop in which everything works.
fn shop() -> TestHost {
    TestHost::new(component!())
        .activity_returns("charge", "payment-1")
        .activity_returns("reserve", ())
        .activity_returns("print_label", "parcel-1")
        .activity_returns("send_receipt", ())
}

fn order() -> Value {
    json!({"customer": "ada", "items": ["chair", "lamp"], "amount": 12_000})
}

fn delivery() -> Value {
    json!({"payment": "payment-1", "label": "parcel-1", "courier": "Grace"})
}

/// An order that is packed and waits for the courier.
fn packed(shop: &TestHost) -> Run {
    let mut run = shop.start("order", &order());
    run.skip(Duration::from_secs(60));
    run
}

#[test]
fn an_order_is_paid_packed_and_delivered() {
    let mut run = packed(&shop());
    assert_eq!(run.status(), Status::Running);
    run.assert_called("reserve", 2);
    run.assert_called("send_receipt", 0);
    run.raise_event("collected", "Grace");
    assert_eq!(run.result(), Ok(delivery()));
    run.assert_called("send_receipt", 1);
    run.assert_no_pending_timers();
}

#[test]
fn a_bank_that_is_down_is_asked_again() {
    let shop = shop().activity("charge", |call: MockCall, _: Value| match call.attempt {
        1..=3 => Err(Failure::new("BankUnavailable", "try later")),
        _ => Ok("payment-1"),
    });
    let mut run = packed(&shop);
    run.assert_called("charge", 4);
    run.raise_event("collected", "Grace");
    assert_eq!(run.result(), Ok(delivery()));
}

#[test]
fn what_cannot_be_reserved_is_not_labelled() {
    let shop = shop().activity_fails("reserve", Failure::new("SoldOut", "no chairs").not_retriable());
    let mut run = shop.start("order", &order());
    assert!(run.result::<Value>().is_err());
    run.assert_called("print_label", 0);
}

/// Each history stands for instances that run somewhere: code that cannot replay one would leave them stuck.
#[test]
fn what_was_recorded_still_fits_the_code() {
    assert_replays(&component!(), "tests/histories/*.json");
}

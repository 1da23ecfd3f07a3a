//! Batches on a virtual clock: how many at a time, what of those that fail, and how far it is.

use std::time::Duration;

use everturn_test::{Failure, MockCall, Run, TestHost, assert_replays, component};
use serde_json::{Value, json};

const MINUTE: Duration = Duration::from_secs(60);

/// A world in which each invoice takes a minute. Those of customers who are called `bad` fail.
fn host() -> TestHost {
    TestHost::new(component!())
        .child("invoice", |invoice: Value| match invoice["customer"].as_str() {
            Some("bad") => Err(Failure::new("UnknownCustomer", "who is that?")),
            customer => Ok(format!("number of {}", customer.unwrap_or_default())),
        })
        .takes("invoice", MINUTE)
}

fn invoices(customers: &[&str]) -> Value {
    json!({"month": "2026-01", "customers": customers, "at_a_time": 3})
}

fn many(count: usize, at_a_time: usize) -> Value {
    let customers: Vec<_> = (1..=count).map(|number| format!("customer {number}")).collect();
    json!({"month": "2026-01", "customers": customers, "at_a_time": at_a_time})
}

fn progress(run: &mut Run) -> [u64; 4] {
    let progress: Value = run.query("progress", &());
    ["total", "under_way", "sent", "failed"].map(|count| progress[count].as_u64().unwrap_or(u64::MAX))
}

fn sent(customer: &str) -> Value {
    json!({"customer": customer, "number": format!("number of {customer}")})
}

#[test]
fn everybody_gets_an_invoice() {
    let mut run = host().start("batch", &invoices(&["ada", "bob", "eve", "joe"]));
    let report = json!({"sent": [sent("ada"), sent("bob"), sent("eve"), sent("joe")], "failed": [], "not_begun": []});
    assert_eq!(run.result(), Ok(report));
    let input = run.calls("invoice")[0].input::<Value>();
    assert_eq!(input, json!({"month": "2026-01", "customer": "ada"}));
}

#[test]
fn there_are_never_more_at_a_time_than_allowed() {
    let mut run = host().start("batch", &many(10, 3));
    let began = run.now();
    for minute in 0..4 {
        let left = 10 - 3 * minute;
        assert_eq!(progress(&mut run), [10, left.min(3), 3 * minute, 0], "in minute {minute}");
        run.skip(MINUTE);
    }
    assert_eq!(run.result::<Value>().unwrap()["sent"].as_array().map(Vec::len), Some(10));
    assert_eq!(run.now().duration_since(began).unwrap(), 4 * MINUTE);
    assert_eq!(progress(&mut run), [10, 0, 10, 0]);
}

#[test]
fn the_next_one_begins_as_soon_as_any_has_ended() {
    let host = TestHost::new(component!())
        .activity("add_up", |call: MockCall, _: Value| match call.instance_id.as_str() {
            "batch-slow" if call.attempt < 4 => Err(Failure::new("BooksBusy", "try later")),
            _ => Ok(100),
        })
        .activity("send_invoice", |(invoice, _): (Value, u64)| Ok(invoice["customer"].clone()))
        .takes("send_invoice", Duration::from_secs(1));
    let customers = ["slow", "a", "b", "c", "d"];
    let mut run = host.start("batch", &json!({"month": "2026-01", "customers": customers, "at_a_time": 2}));
    let report: Value = run.result().unwrap();
    let order: Vec<_> = report["sent"].as_array().unwrap().iter().map(|sent| sent["customer"].clone()).collect();
    assert_eq!(order, ["a", "b", "c", "d", "slow"], "the others pass by, one after the other");
}

#[test]
fn one_that_fails_holds_up_nobody_else() {
    let mut run = host().start("batch", &invoices(&["ada", "bad", "eve"]));
    run.skip(MINUTE / 2);
    assert_eq!(progress(&mut run), [3, 3, 0, 0]);
    let report: Value = run.result().unwrap();
    assert_eq!(report["sent"], json!([sent("ada"), sent("eve")]));
    let failed = json!([{"customer": "bad", "error_type": "UnknownCustomer", "message": "who is that?"}]);
    assert_eq!(report["failed"], failed);
    assert_eq!(progress(&mut run), [3, 0, 2, 1]);
}

#[test]
fn a_customer_who_is_listed_twice_gets_one_invoice() {
    let host = TestHost::new(component!()).with_real_activities();
    let mut run = host.start("batch", &invoices(&["ada", "ada"]));
    let report: Value = run.result().unwrap();
    assert_eq!(report["sent"], json!([{"customer": "ada", "number": "2026-01/ada"}]));
    assert_eq!(report["failed"][0]["error_type"], "InstanceAlreadyExists");
    run.assert_called("send_invoice", 1);
}

#[test]
fn a_batch_that_is_stopped_finishes_what_is_under_way_and_begins_no_more() {
    let mut run = host().start("batch", &invoices(&["ada", "bob", "eve", "joe", "pat"]));
    let began = run.now();
    run.at(MINUTE / 2, |run| run.signal("stop", &()));
    let report: Value = run.result().unwrap();
    assert_eq!(report["sent"], json!([sent("ada"), sent("bob"), sent("eve")]));
    assert_eq!(report["not_begun"], json!(["joe", "pat"]));
    assert_eq!(run.now().duration_since(began).unwrap(), MINUTE);
}

#[test]
fn the_report_can_be_read_before_the_end() {
    let mut run = host().start("batch", &invoices(&["ada", "bad", "eve", "joe"]));
    run.skip(MINUTE);
    let report: Value = run.query("report", &());
    assert_eq!(report["sent"], json!([sent("ada"), sent("eve")]));
    assert_eq!(report["failed"][0]["customer"], "bad");
}

#[test]
fn the_limit_has_a_default_and_its_own_limits() {
    let table = [(json!({}), 5), (json!({"at_a_time": 0}), 1), (json!({"at_a_time": 1_000}), 100)];
    for (limit, under_way) in table {
        let mut input = many(120, 0);
        match limit["at_a_time"].as_u64() {
            Some(limit) => input["at_a_time"] = limit.into(),
            None => drop(input.as_object_mut().unwrap().remove("at_a_time")),
        }
        let mut run = host().start("batch", &input);
        assert_eq!(progress(&mut run)[1], under_way, "{limit}");
    }
}

#[test]
fn a_crash_loses_and_repeats_nothing() {
    let mut run = host().start("batch", &many(10, 3));
    while !run.status().is_ended() {
        run.restart_host();
        run.skip(MINUTE / 2);
    }
    assert_eq!(progress(&mut run), [10, 0, 10, 0]);
    run.assert_called("invoice", 10);
}

#[test]
fn its_own_activities_can_be_tried() {
    let host = TestHost::new(component!()).with_real_activities();
    let mut run = host.start("batch", &invoices(&["ada", "slowpoke", "stranger"]));
    let report: Value = run.result().unwrap();
    assert_eq!(report["sent"][1], json!({"customer": "slowpoke", "number": "2026-01/slowpoke"}));
    assert_eq!(report["failed"][0]["error_type"], "UnknownCustomer");
    run.assert_called("add_up", 5);
}

#[test]
fn instances_of_the_past_go_on_with_the_code_of_today() {
    assert_replays(&component!(), "tests/histories/*.json");
}

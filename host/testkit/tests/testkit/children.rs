//! Children and other instances in the same world: the example `order`, and guests of our own.

use std::time::Duration;

use everturn_test::{Failure, MockCall, Run, Status, TestHost};
use serde_json::{Value, json};

use crate::{guests, order};

fn shop() -> TestHost {
    TestHost::new(order())
        .activity("charge", |order: Value| Ok(format!("payment of {}", order["amount"])))
        .activity("reserve", |_item: String| Ok(()))
        .activity("print_label", |items: Vec<String>| Ok(format!("parcel of {}", items.len())))
        .activity_returns("send_receipt", ())
}

fn start(host: &TestHost) -> Run {
    host.start("order", &json!({"customer": "ann", "items": ["chair", "lamp"], "amount": 120}))
}

#[test]
fn a_child_of_the_component_runs_for_real() {
    let mut run = start(&shop());
    run.skip(Duration::from_secs(3));
    run.assert_called("reserve", 2);
    run.assert_not_called("print_label");
    let child = run.instances().into_iter().find(|instance| instance.workflow == "parcel").unwrap();
    assert_eq!((child.parent.as_deref(), child.status), (Some("order"), Status::Running));
    assert!(!run.history_of(&child.id).is_empty());

    run.skip(Duration::from_secs(1));
    assert_eq!(run.custom_status::<String>().as_deref(), Some("waiting for the courier"));
    run.raise_event("collected", "the courier");
    let delivery = json!({"payment": "payment of 120", "label": "parcel of 2", "courier": "the courier"});
    assert_eq!(run.result(), Ok(delivery));
    run.assert_in_order(["child parcel called", "child parcel completed", "event collected arrived"]);
}

#[test]
fn a_child_can_be_mocked() {
    let host = shop().child("parcel", |items: Vec<String>| Ok(items.join(" and ")));
    let mut run = start(&host);
    run.raise_event("collected", "the courier");
    assert_eq!(run.result::<Value>().unwrap()["label"], "chair and lamp");
    run.assert_not_called("reserve");
    run.assert_called("parcel", 1);
    assert_eq!(run.instances().len(), 1);
}

#[test]
fn a_child_that_fails_fails_its_parent() {
    let host = shop().activity_fails("print_label", Failure::new("NoPaper", "the printer is empty"));
    let failure = start(&host).result::<Value>().unwrap_err();
    assert_eq!(failure.error_type, "NoPaper");
}

#[test]
fn a_child_that_is_tried_again_is_a_new_call() {
    let policy = json!({"first_interval": {"secs": 5, "nanos": 0}, "max_attempts": 3});
    let host = TestHost::new(guests()).child("C", |call: MockCall, (): ()| match call.count {
        3 => Ok("third time"),
        _ => Err(Failure::new("Unlucky", "try again")),
    });
    let mut run = host.start("retries_a_child", &policy);
    assert_eq!(run.result(), Ok("third time".to_owned()));
    run.assert_called("C", 3);
}

#[test]
fn children_end_with_their_parent_if_they_are_to() {
    for (terminate, status) in [(true, Status::Terminated), (false, Status::Running)] {
        let child = json!({
            "workflow": "waits_for_approval", "input": null, "instance_id": "mine", "terminate": terminate,
        });
        let mut run = TestHost::new(guests()).start("calls_one_child", &child);
        run.until_blocked();
        run.raise_event("leave", &());
        assert_eq!(run.result(), Ok("left".to_owned()));
        let child = run.instances().into_iter().find(|instance| instance.id == "mine").unwrap();
        assert_eq!(child.status, status);
    }
}

#[test]
fn other_instances_can_be_talked_to() {
    let child = json!({
        "workflow": "waits_for_approval", "input": null, "instance_id": "mine", "terminate": false,
    });
    let mut run = TestHost::new(guests()).start("calls_one_child", &child);
    run.raise_event_to("mine", "approval", &"granted");
    assert_eq!(run.result(), Ok("granted".to_owned()));
}

#[test]
fn an_id_that_is_taken_fails_the_call() {
    let child = json!({
        "workflow": "waits_for_approval", "input": null, "instance_id": "parent", "terminate": false,
    });
    let mut run = TestHost::new(guests()).instance_id("parent").start("calls_one_child", &child);
    assert_eq!(run.result(), Ok("InstanceAlreadyExists".to_owned()));
}

#[test]
fn what_is_started_apart_is_called_too() {
    let host = TestHost::new(guests()).child("D", |_: Value| Ok(())).child("E", |_: Value| Ok(()));
    let mut run = host.start("starts_detached", &json!({"secs_since_epoch": 1_900_000_000, "nanos_since_epoch": 0}));
    let (first, _): (String, String) = run.result().unwrap();
    assert_eq!(first, "survey-7");
    assert_eq!(run.calls("D")[0].input::<Value>(), json!({"order": 7}));
    run.assert_called("E", 1);
}

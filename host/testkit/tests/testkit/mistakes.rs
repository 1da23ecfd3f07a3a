//! Mistakes of authors, and the help that they get.

use std::collections::BTreeMap;
use std::time::Duration;

use everturn_test::{Run, TestComponent, TestHost};
use serde_json::{Value, json};

use crate::{approval, complaint, guests, order};

fn notes() -> Run {
    TestHost::new(guests()).activity_returns("A", ()).start("takes_notes", &json!(null))
}

#[test]
fn an_activity_that_nobody_does() {
    let host = TestHost::new(approval()).activity_returns("notifi", ());
    let request = json!({"requester": "ann", "approver": "bob", "manager": "eve", "purpose": "desk", "amount": 1});
    insta::assert_snapshot!(complaint(|| host.start("approval", &request).until_blocked()), @r#"
    the workflow called activity `notify`, and nobody does it: mock it with `.activity("notify", ..)`
      mocked: `notifi`
      in the component: none
    "#);
}

#[test]
fn an_activity_that_could_run_for_real() {
    let order_input = json!({"customer": "ann", "items": [], "amount": 1});
    insta::assert_snapshot!(complaint(|| TestHost::new(order()).start("order", &order_input).until_blocked()), @r#"
    the workflow called activity `charge`, and nobody does it: mock it with `.activity("charge", ..)`
      mocked: none
      in the component: `charge`, `print_label`, `reserve`, `send_receipt`
      or let those of the component run for real: `.with_real_activities()`
    "#);
}

#[test]
fn a_child_that_is_nowhere() {
    let host = TestHost::new(guests()).child("B", |_: Value| Ok(()));
    let said = complaint(|| host.start("child_without_options", &()).until_blocked());
    let (said, _) = said.split_once("\n  in the component").unwrap();
    insta::assert_snapshot!(said, @r#"
    the workflow called child `C`, which is not in the component: mock it with `.child("C", ..)`
      mocked: `B`
    "#);
}

#[test]
fn a_workflow_that_is_not_there() {
    insta::assert_snapshot!(complaint(|| drop(TestHost::new(order()).start("ordre", &()))), @"the component has no workflow `ordre`; it has `order`, `parcel`");
}

#[test]
fn an_input_that_has_no_json_form() {
    let input = BTreeMap::from([((1, 2), 3)]);
    insta::assert_snapshot!(complaint(|| drop(TestHost::new(order()).start("order", &input))), @"the input of workflow `order`, of type `BTreeMap<(i32, i32), i32>`, cannot be written as JSON: key must be a string; maps need keys that are text, and numbers must be finite");
}

#[test]
fn a_mock_that_takes_something_else() {
    let host = TestHost::new(guests()).activity("A", |_: u32| Ok(()));
    insta::assert_snapshot!(complaint(|| host.start("activity_without_options", &()).until_blocked()), @r#"
    the input of `A`, as the workflow gave it to the mock, cannot be read as a `u32`: invalid type: string "seven", expected u32 at line 1 column 7
      it is: "seven"
    "#);
}

#[test]
fn a_result_that_is_something_else() {
    let mut run = TestHost::new(guests()).start("sleeps_for", &Duration::from_secs(1));
    insta::assert_snapshot!(complaint(|| drop(run.result::<String>())), @r"
    the result of workflow `sleeps_for` cannot be read as a `String`: invalid type: null, expected a string at line 1 column 4
      it is: null
    ");
}

#[test]
fn handlers_that_are_not_there() {
    let mut run = notes();
    let mut said = vec![complaint(|| run.signal("nota", ""))];
    said.push(complaint(|| drop(run.query::<Value>("textes", &()))));
    said.push(complaint(|| drop(run.update::<Value>("ad", ""))));
    insta::assert_snapshot!(said.join("\n"), @r"
    workflow `takes_notes` handles no signal `nota`; it handles `note`, `Done`, `fetch`, `fail`, `begin_again`; what a workflow takes with `wait_for_event` is sent with `run.raise_event`
    workflow `takes_notes` handles no query `textes`; it handles `calls_an_activity`, `changes_the_state`, `text`, `texts`
    workflow `takes_notes` handles no update `ad`; it handles `add`, `fetch_now`, `clear`
    ");
}

#[test]
fn a_query_that_does_more_than_look() {
    let mut run = notes();
    let said = complaint(|| assert!(run.query::<bool>("calls_an_activity", &())));
    assert!(said.starts_with("query `calls_an_activity` of workflow `takes_notes` gave no answer: "), "{said}");
    assert!(said.contains("a query cannot call activity `charge`"), "{said}");
}

#[test]
fn a_query_that_fails() {
    let mut run = notes();
    insta::assert_snapshot!(complaint(|| drop(run.query::<String>("text", &7))), @"query `text` of workflow `takes_notes` gave no answer: it failed: NoSuchNote: there are fewer");
}

#[test]
fn a_workflow_that_waits_for_what_never_comes() {
    let mut run = notes();
    insta::assert_snapshot!(complaint(|| drop(run.result::<Value>())), @r"
    the end of workflow `takes_notes` never comes: all that is left at 2026-01-01T09:00:00Z waits for something that nobody sends
      `takes_notes` (instance `takes_notes`) waits for:
        a signal that it handles: `note`, `Done`, `fetch`, `fail`, `begin_again`
        an update that it handles: `add`, `fetch_now`, `clear`
    send it what it waits for before (`run.signal`, `run.raise_event`), or at a chosen time (`run.at`)
    ");

    let child = json!({
        "workflow": "waits_for_approval", "input": null, "instance_id": "mine", "terminate": false,
    });
    let mut run = TestHost::new(guests()).start("calls_one_child", &child);
    insta::assert_snapshot!(complaint(|| drop(run.result::<Value>())), @r"
    the end of workflow `calls_one_child` never comes: all that is left at 2026-01-01T09:00:00Z waits for something that nobody sends
      `calls_one_child` (instance `calls_one_child`) waits for:
        child `waits_for_approval`, instance `mine`
        event `leave`, without limit
      `waits_for_approval` (instance `mine`) waits for:
        event `Approval`, without limit
    send it what it waits for before (`run.signal`, `run.raise_event`), or at a chosen time (`run.at`)
    ");
}

#[test]
fn a_workflow_that_never_ends() {
    let host = TestHost::new(guests()).without_replays();
    insta::assert_snapshot!(complaint(|| drop(host.start("restarts_plainly", &0).result::<Value>())), @"the clock has jumped 10000 times, to 2026-01-01T11:46:40Z, and the end of workflow `restarts_plainly` is not there; a workflow that goes on for ever is tested with `run.skip`, piece by piece");
}

#[test]
fn a_workflow_that_panics() {
    let said = complaint(|| TestHost::new(guests()).start("panics", "boom").until_blocked());
    assert!(said.starts_with("workflow `panics` of instance `panics` cannot go on: the workflow panicked: "), "{said}");
    assert!(said.contains("boom"), "{said}");
}

#[test]
fn a_workflow_that_blocks_its_thread() {
    insta::assert_snapshot!(complaint(|| TestHost::new(guests()).start("sleeps_the_thread", &()).until_blocked()), @"workflow `sleeps_the_thread` of instance `sleeps_the_thread` cannot go on: the workflow put its thread to sleep; use the durable timer of the workflow context (`ctx.sleep`) instead");
}

#[test]
fn words_to_a_workflow_that_has_ended() {
    let mut run = TestHost::new(guests()).start("sleeps_for", &Duration::ZERO);
    run.result::<()>().unwrap();
    insta::assert_snapshot!(complaint(|| run.raise_event("go", &())), @"instance `sleeps_for` has ended: it is completed, so event `go` cannot reach it");
}

#[test]
fn assertions_that_do_not_hold() {
    let mut run = TestHost::new(guests()).activity_returns("A", 1).start("activity_without_options", &());
    let mut said = vec![complaint(|| run.assert_called("A", 2))];
    said.push(complaint(|| run.assert_called("B", 1)));
    said.push(complaint(|| run.assert_in_order(["completed", "activity A called"])));
    let mut run = TestHost::new(guests()).start("waits_twice", &());
    said.push(complaint(|| run.assert_no_pending_timers()));
    insta::assert_snapshot!(said.join("\n"), @r#"
    calls of `A`: 1, expected: 2
      attempt 1 at 2026-01-01T09:00:00Z: "seven"
    calls of `B`: 0, expected: 1; called were `A`
    `activity A called` did not happen, or not in this order; what happened:
      activity_without_options started
      activity A called
      activity A completed
      completed
    the workflow still waits for
      event `go` until 2026-01-01T09:00:10Z
    "#);
}

#[test]
fn a_component_that_is_none() {
    insta::assert_snapshot!(complaint(|| drop(TestComponent::from_bytes(b"no"))), @"these bytes cannot be used as a component: this is no WebAssembly; give the .wasm file of a component, for example from a build for wasm32-wasip2");
    let said = complaint(|| drop(TestComponent::of_crate(concat!(env!("CARGO_MANIFEST_DIR"), "/tests"))));
    assert!(said.contains("holds no Cargo.toml"), "{said}");
    assert!(complaint(|| drop(TestComponent::from_file("missing.wasm"))).starts_with("failed to read or write"));
}

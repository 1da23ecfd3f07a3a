//! Waiting for events: early, late, in time, and whose turn it is.

use everturn_guest::Limits;
use everturn_history::{NEVER, event};
use everturn_test_world::histories::*;
use serde_json::{Value, json};

use super::instance::{Instance, answer, asked, cancelled};

fn start(workflow: &str) -> (Instance, everturn_replay::Turn) {
    Instance::start(workflow, &Value::Null)
}

#[test]
fn names_of_events_are_compared_without_regard_to_case() {
    for name in ["Approval", "approval", "APPROVAL"] {
        let (mut instance, first) = start("waits_for_approval");
        assert_eq!(timers(&first)[0].timer_origin(), event_wait("Approval"), "as the workflow spelt it");
        assert_eq!(asked(&instance.turn(1, [raised("Approvals", "0")])), [""; 0]);
        assert_eq!(answer(&instance.turn(2, [raised(name, "{\"by\":\"Ada\"}")])), json!({"by": "Ada"}));
    }
}

#[test]
fn events_that_arrived_early_are_given_in_their_order_and_record_no_timer() {
    let (mut instance, _) = start("comes_late");
    instance.turn(1, [raised("item", "1"), raised("ITEM", "2")]);
    instance.turn(2, [raised("Item", "3")]);
    let last = instance.turn(5, [timer_fired(0)]);
    assert_eq!(answer(&last), json!([[1, 2], 3]));
}

#[test]
fn a_wait_takes_what_is_there_and_then_waits() {
    let (mut instance, _) = start("comes_late");
    instance.turn(1, [raised("item", "1")]);
    let second = instance.turn(5, [timer_fired(0)]);
    assert_eq!(asked(&second), ["wait item"]);
    assert_eq!(timers(&second)[0].fire_at, Some(NEVER));
    assert_eq!(answer(&instance.turn(6, [raised("item", "2")])), json!([[1, null], 2]));
}

#[test]
fn a_wait_that_timed_out_leaves_later_events_to_the_next() {
    let (mut instance, first) = start("waits_twice");
    assert_eq!(timers(&first)[0].fire_at, Some(at(10)));
    let second = instance.turn(11, [timer_fired(0)]);
    assert_eq!((asked(&second), cancelled(&second)), (vec!["wait go".to_owned()], vec![]));
    assert_eq!(answer(&instance.turn(12, [raised("go", "7")])), json!([null, 7]));
}

#[test]
fn a_wait_with_a_limit_beyond_all_measure_is_not_one_without_limit() {
    let (mut instance, first) = Instance::start("waits_this_long", &json!({"secs": u64::MAX, "nanos": 999_999_999}));
    assert_eq!(asked(&first), ["wait go"]);
    assert!(!timers(&first)[0].is_optional());
    assert_eq!(answer(&instance.turn(1, [raised("go", "7")])), 7);
}

#[test]
fn an_event_and_the_timeout_in_one_turn_count_in_the_order_of_their_arrival() {
    let (mut instance, _) = start("waits_twice");
    let both = instance.turn(11, [timer_fired(0), raised("go", "7")]);
    assert_eq!(result(&both), "[null,7]");

    let (mut instance, _) = start("waits_twice");
    let second = instance.turn(11, [raised("go", "7"), timer_fired(0)]);
    assert_eq!(asked(&second), ["wait go"]);
    assert_eq!(cancelled(&second), [0], "the timer is needless, and its fire comes late");
    assert_eq!(answer(&instance.turn(12, [raised("go", "8")])), json!([7, 8]));
}

#[test]
fn waits_for_one_name_are_served_in_the_order_in_which_they_were_made() {
    let (mut instance, first) = start("two_wait_for_one_name");
    assert_eq!(asked(&first), ["wait go", "wait GO"]);
    instance.turn(1, [raised("Go", "1")]);
    assert_eq!(answer(&instance.turn(2, [raised("gO", "2")])), json!([1, 2]));
}

#[test]
fn a_wait_that_has_begun_can_be_given_a_limit() {
    let (mut instance, _) = start("limits_a_wait_that_has_begun");
    let second = instance.turn(5, [timer_fired(1)]);
    assert_eq!((asked(&second), cancelled(&second)), (vec!["wait go".to_owned()], vec![0]));
    assert_eq!(timers(&second)[0].fire_at, Some(at(15)));
    assert_eq!(answer(&instance.turn(6, [raised("go", "7")])), 7);

    let (mut instance, _) = start("limits_a_wait_that_has_begun");
    instance.turn(5, [timer_fired(1)]);
    assert_eq!(answer(&instance.turn(16, [timer_fired(2)])), Value::Null);
}

#[test]
fn there_may_be_more_unread_events_than_calls_without_a_wait() {
    let many = Limits::default().calls + 1;
    let mut messages = vec![raised("item", "1"); many];
    messages.push(event::execution_started(at(0), &"instance".into(), "collects_for_a_minute", "null"));
    let (mut instance, _) = Instance::begin(messages);
    assert_eq!(answer(&instance.turn(60, [timer_fired(1)])).as_array().unwrap().len(), many);
}

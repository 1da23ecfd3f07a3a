//! Waiting for the workflow's own state, with and without a limit.

use everturn_history::text;
use everturn_test_world::histories::*;
use serde_json::{Value, json};

use super::instance::{Instance, activity, answer, asked, cancelled};

#[test]
fn a_condition_that_is_met_cancels_its_timer() {
    let (mut instance, first) = Instance::start("waits_for_votes", &json!(2));
    assert_eq!(timers(&first)[0].fire_at, Some(at(60)));
    assert_eq!(asked(&instance.turn(1, [raised("vote", "1")])), [""; 0]);
    let second = instance.turn(2, [raised("vote", "1")]);
    assert_eq!((asked(&second), cancelled(&second)), (vec!["activity count".to_owned()], vec![0]));
    assert_eq!(activity(&second, 0).input, Some(text("true")));
    assert_eq!(answer(&instance.turn(3, [task_completed(1, "1")])), json!([true, 2]));
}

#[test]
fn a_condition_that_is_not_met_in_time_says_so() {
    let (mut instance, _) = Instance::start("waits_for_votes", &json!(2));
    instance.turn(1, [raised("vote", "1")]);
    let second = instance.turn(60, [timer_fired(0)]);
    assert_eq!((asked(&second), cancelled(&second)), (vec!["activity count".to_owned()], vec![]));
    assert_eq!(activity(&second, 0).input, Some(text("false")));
    assert_eq!(answer(&instance.turn(61, [raised("vote", "1"), task_completed(1, "1")])), json!([false, 2]));
}

#[test]
fn a_condition_and_its_timeout_in_one_turn_count_in_the_order_of_their_arrival() {
    let (mut instance, _) = Instance::start("waits_for_votes", &json!(1));
    let vote_first = instance.turn(60, [raised("vote", "1"), timer_fired(0)]);
    assert_eq!(activity(&vote_first, 0).input, Some(text("true")));

    let (mut instance, _) = Instance::start("waits_for_votes", &json!(1));
    let timer_first = instance.turn(60, [timer_fired(0), raised("vote", "1")]);
    assert_eq!(activity(&timer_first, 0).input, Some(text("false")));
}

#[test]
fn a_condition_that_holds_already_makes_no_timer() {
    let (_, first) = Instance::start("waits_for_votes", &json!(0));
    assert_eq!(asked(&first), ["activity count"]);
    assert_eq!(first.actions[0].id, 0);
}

#[test]
fn a_condition_may_be_limited_to_a_time() {
    let closing = json!({"secs_since_epoch": START_SECONDS + 90, "nanos_since_epoch": 0});
    let (mut instance, first) = Instance::start("waits_for_a_vote_until", &closing);
    assert_eq!(timers(&first)[0].fire_at, Some(at(90)));
    assert_eq!(answer(&instance.turn(90, [timer_fired(0)])), json!(false));
}

#[test]
fn conditions_deep_inside_are_looked_at_after_every_change() {
    let (mut instance, first) = Instance::start("waits_in_a_crowd", &Value::Null);
    assert_eq!(asked(&first), [""; 0]);
    let order: Vec<_> = (1..=40).collect();
    assert_eq!(answer(&instance.turn(1, [raised("come", "1")])), json!(order));
}

//! Patterns: what they ask of the host, what they cancel, and that a rebuilt guest is at the same point.

use everturn_history::{event, text};
use everturn_replay::Turn;
use everturn_test_world::histories::*;
use serde_json::{Value, json};

use super::instance::{Instance, activity, answer, asked, cancelled, child, failure};

fn start(workflow: &str) -> (Instance, Turn) {
    Instance::start(workflow, &Value::Null)
}

fn given(turn: &Turn) -> String {
    activity(turn, 0).input.clone().unwrap().value
}

#[test]
fn a_scope_that_is_cancelled_calls_off_what_is_inside_and_lets_nothing_more_begin() {
    let (mut instance, first) = start("works_in_a_scope");
    assert_eq!(asked(&first), ["activity A", "timer"]);
    let second = instance.turn(1, [raised("cancel", "null")]);
    assert_eq!((asked(&second), cancelled(&second)), (vec!["activity After".to_owned()], vec![0, 1]));
    assert_eq!(given(&second), "\"it was cancelled before it ended\"");
    assert_eq!(answer(&instance.turn(2, [task_completed(0, "7"), task_completed(2, "1")])), json!(true));
}

#[test]
fn a_scope_that_is_not_cancelled_is_not_noticed() {
    let (mut instance, _) = start("works_in_a_scope");
    assert_eq!(asked(&instance.turn(1, [task_completed(0, "7")])), [""; 0]);
    let third = instance.turn(60, [timer_fired(1)]);
    assert_eq!((given(&third).as_str(), cancelled(&third)), ("\"7\"", vec![]));
    assert_eq!(asked(&instance.turn(61, [task_completed(2, "1")])), ["activity B"]);
    assert_eq!(answer(&instance.turn(62, [task_completed(3, "1")])), json!(false));
}

#[test]
fn a_scope_that_is_cancelled_from_within_ends_and_one_that_many_leave_lets_them_go() {
    let (mut instance, first) = Instance::start("cancels_its_own_scope", &json!(2));
    assert_eq!(asked(&first), ["timer", "activity A", "activity A"]);
    assert_eq!(cancelled(&first), [0]);
    assert_eq!(answer(&instance.turn(1, [task_completed(2, "1"), task_completed(1, "1")])), json!([true, 2]));
}

#[test]
fn a_limit_cancels_what_it_limits_or_its_own_timer() {
    let (mut instance, first) = start("limits_a_call");
    assert_eq!(asked(&first), ["activity A", "timer"]);
    assert_eq!(timers(&first)[0].fire_at, Some(at(60)));
    let late = instance.turn(60, [timer_fired(1)]);
    assert_eq!((failure(&late).error_type.as_str(), cancelled(&late)), ("TimedOut", vec![0]));

    let (mut instance, _) = start("limits_a_call");
    let in_time = instance.turn(59, [task_completed(0, "7")]);
    assert_eq!((answer(&in_time), cancelled(&in_time)), (json!(7), vec![1]));
}

#[test]
fn a_saga_that_succeeds_takes_nothing_back() {
    let (mut instance, _) = start("books_a_trip");
    instance.turn(1, [task_completed(0, "11")]);
    instance.turn(2, [task_completed(1, "22")]);
    assert_eq!(answer(&instance.turn(3, [task_completed(2, "1")])), json!([11, 22]));
}

#[test]
fn a_saga_that_fails_takes_its_steps_back_in_reverse_order_each_tried_by_its_policy() {
    let (mut instance, _) = start("books_a_trip");
    instance.turn(1, [task_completed(0, "11")]);
    instance.turn(2, [task_completed(1, "22")]);
    assert_eq!(asked(&instance.turn(3, [task_failed(2, "CardDeclined")])), ["activity refund_if_charged"]);
    let hotel = instance.turn(4, [task_completed(3, "1")]);
    assert_eq!((asked(&hotel), given(&hotel)), (vec!["activity cancel_hotel".to_owned()], "22".to_owned()));
    assert_eq!(asked(&instance.turn(5, [task_failed(4, "NobodyThere")])), ["timer"]);
    assert_eq!(asked(&instance.turn(15, [timer_fired(5)])), ["activity cancel_hotel"]);
    let flight = instance.turn(16, [task_completed(6, "1")]);
    assert_eq!((asked(&flight), given(&flight)), (vec!["activity cancel_flight".to_owned()], "11".to_owned()));
    assert_eq!(failure(&instance.turn(17, [task_completed(7, "1")])).error_type, "CardDeclined");
}

#[test]
fn a_compensation_that_fails_for_good_is_told_and_the_others_are_run() {
    let (mut instance, _) = start("books_a_trip");
    instance.turn(1, [task_completed(0, "11")]);
    // Booking the hotel failed: only the flight is taken back.
    assert_eq!(asked(&instance.turn(2, [task_failed(1, "FullyBooked")])), ["activity cancel_flight"]);
    instance.turn(3, [task_failed(2, "NobodyThere")]);
    instance.turn(13, [timer_fired(3)]);
    let failed = failure(&instance.turn(14, [task_failed(4, "StillNobody")]));
    assert_eq!(failed.error_type, "FullyBooked");
    assert_eq!(failed.inner_failure.unwrap().error_type, "StillNobody");
}

#[test]
fn a_limit_on_a_step_of_a_saga_takes_back_what_was_done() {
    let (mut instance, _) = Instance::start("limits_a_saga", &json!(false));
    assert_eq!(asked(&instance.turn(1, [task_completed(0, "null")])), ["activity charge", "timer"]);
    assert_eq!(asked(&instance.turn(61, [timer_fired(2)])), ["activity release"]);
    assert_eq!(failure(&instance.turn(62, [task_completed(3, "null")])).error_type, "TimedOut");
}

#[test]
fn a_fan_out_keeps_its_limit_and_gives_results_in_the_order_of_the_items() {
    let (mut instance, first) = Instance::start("fans_out", &json!(4));
    assert_eq!(asked(&first), ["child C"; 2]);
    // The second ends first, and the third takes its place.
    let second = instance.turn(1, [event::child_completed(at(1), id(1), "\"b\"")]);
    assert_eq!((asked(&second), child(&second, 0).input.clone()), (vec!["child C".to_owned()], Some(text("2"))));
    assert_eq!(asked(&instance.turn(2, [event::child_completed(at(2), id(2), "\"c\"")])), ["child C"]);
    instance.turn(3, [event::child_failed(at(3), id(3), failure_details("E"))]);
    let last = instance.turn(4, [event::child_completed(at(4), id(0), "\"a\"")]);
    assert_eq!(answer(&last), json!(["a", "b", "c", null]));
}

#[test]
fn a_fan_out_of_hundreds_is_played_and_replayed() {
    let count = 200;
    let (mut instance, first) = Instance::start("fans_out", &json!(count));
    assert_eq!(first.actions.len(), 2);
    let mut last = first;
    for number in 0..count {
        let second = i64::from(number) + 1;
        last = instance.turn(second, [event::child_completed(at(second), id(number), &number.to_string())]);
    }
    assert_eq!(answer(&last), json!((0..count).collect::<Vec<_>>()));
}

#[test]
fn a_fan_out_that_stops_at_the_first_failure_cancels_the_others() {
    let (mut instance, _) = Instance::start("fans_out_until_one_fails", &json!(5));
    assert_eq!(asked(&instance.turn(1, [task_completed(1, "1")])), ["activity A"]);
    let second = instance.turn(2, [task_failed(2, "Broken")]);
    assert_eq!((asked(&second), cancelled(&second)), (vec!["activity After".to_owned()], vec![0]));
    assert_eq!(given(&second), "\"Broken\"");
}

#[test]
fn a_burst_is_taken_when_it_is_quiet() {
    let (mut instance, first) = start("takes_bursts");
    assert_eq!(asked(&first), [""; 0]);
    let second = instance.turn(1, [raised("item", "1")]);
    assert_eq!(timers(&second)[0].fire_at, Some(at(6)));
    assert_eq!(asked(&instance.turn(3, [raised("item", "2")])), [""; 0], "no timer for each item");
    let third = instance.turn(6, [timer_fired(0)]);
    assert_eq!(timers(&third)[0].fire_at, Some(at(8)));
    let fourth = instance.turn(8, [timer_fired(1)]);
    assert_eq!((asked(&fourth), given(&fourth)), (vec!["activity take".to_owned()], "[1,2]".to_owned()));
}

#[test]
fn a_burst_without_end_is_taken_all_the_same() {
    let (mut instance, _) = start("takes_bursts");
    instance.turn(0, [raised("item", "0")]);
    instance.turn(4, [raised("item", "1")]);
    assert_eq!(timers(&instance.turn(5, [timer_fired(0)]))[0].fire_at, Some(at(9)));
    instance.turn(8, [raised("item", "2")]);
    assert_eq!(timers(&instance.turn(9, [timer_fired(1)]))[0].fire_at, Some(at(12)), "at most 12 s, not 13");
    assert_eq!(given(&instance.turn(12, [timer_fired(2)])), "[0,1,2]");
    // What comes meanwhile is the next burst.
    instance.turn(13, [raised("item", "3")]);
    let next = instance.turn(14, [task_completed(3, "1")]);
    assert_eq!(timers(&next)[0].fire_at, Some(at(18)));
}

#[test]
fn a_burst_that_two_wait_for_is_taken_once() {
    let (mut instance, _) = start("shares_bursts");
    assert_eq!(asked(&instance.turn(1, [raised("item", "1")])), ["timer"; 2]);
    let quiet = instance.turn(6, [timer_fired(0), timer_fired(1)]);
    assert_eq!((asked(&quiet), given(&quiet)), (vec!["activity take".to_owned()], "[1]".to_owned()));
    // The other one waits for the next.
    assert_eq!(asked(&instance.turn(7, [raised("item", "2")])), ["timer"]);
    assert_eq!(given(&instance.turn(12, [timer_fired(3)])), "[2]");
}

#[test]
fn calls_at_a_rate_wait_for_their_turn_and_record_nothing_when_it_is_there() {
    let (mut instance, first) = Instance::start("calls_at_a_rate", &json!(3));
    assert_eq!(asked(&first), ["activity A"]);
    assert_eq!(asked(&instance.turn(1, [task_completed(0, "1")])), ["activity A"]);
    let third = instance.turn(2, [task_completed(1, "1")]);
    assert_eq!((asked(&third), timers(&third)[0].fire_at), (vec!["timer".to_owned()], Some(at(10))));
    assert_eq!(asked(&instance.turn(10, [timer_fired(2)])), ["activity A"]);
}

#[test]
fn a_patch_that_is_deprecated_is_kept_in_history() {
    let (mut instance, first) = start("deprecates_a_patch");
    assert_eq!((first.patches.clone(), asked(&first)), (vec!["first".to_owned()], vec!["activity New".to_owned()]));
    assert_eq!(answer(&instance.turn(1, [task_completed(0, "1")])), json!(true));
}

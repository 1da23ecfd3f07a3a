//! Timers: until a time, for a time, with and without a name.

use everturn_history::history_event::EventType;
use everturn_history::{TimerOrigin, Timestamp};
use everturn_replay::LATEST;
use everturn_test_world::histories::*;
use serde_json::{Value, json};

use super::instance::{Instance, answer, only_turn};

fn time(timestamp: Timestamp) -> Value {
    json!({"secs_since_epoch": timestamp.seconds, "nanos_since_epoch": timestamp.nanos})
}

#[test]
fn a_sleep_until_a_time_is_recorded_with_that_time_and_its_name() {
    let deadline = Timestamp { seconds: START_SECONDS + 3600, nanos: 999_999_999 };
    let (mut instance, turn) = Instance::start("sleeps_until", &time(deadline));

    assert_eq!(turn.actions.len(), 1);
    assert_eq!(timers(&turn)[0].fire_at, Some(deadline));
    assert_eq!(timers(&turn)[0].timer_origin(), Some(TimerOrigin::CreateTimer));
    match instance.history.last().unwrap().event_type.as_ref() {
        Some(EventType::TimerCreated(timer)) => assert_eq!(timer.name.as_deref(), Some("deadline")),
        other => panic!("not a timer: {other:?}"),
    }
    assert_eq!(answer(&instance.turn(3601, [timer_fired(0)])), time(at(3601)));
}

#[test]
fn a_sleep_until_a_time_in_the_past_waits_for_its_timer_like_any_other() {
    let (mut instance, turn) = Instance::start("sleeps_until", &time(at(-10)));
    assert_eq!(timers(&turn)[0].fire_at, Some(at(-10)));
    assert_eq!(answer(&instance.turn(1, [timer_fired(0)])), time(at(1)));
}

#[test]
fn a_sleep_counts_from_its_turn_and_has_no_name_unless_it_is_given_one() {
    let turn = only_turn("sleeps_for", &json!({"secs": 90, "nanos": 5}));
    assert_eq!(timers(&turn)[0].fire_at, Some(Timestamp { seconds: START_SECONDS + 90, nanos: 5 }));
    assert_eq!(timers(&turn)[0].name, None);

    let none = only_turn("sleeps_for", &json!({"secs": 0, "nanos": 0}));
    assert_eq!(timers(&none)[0].fire_at, Some(at(0)), "it is a timer all the same");
}

#[test]
fn sleeps_beyond_all_measure_are_as_long_as_can_be_and_never_optional() {
    let centuries = only_turn("sleeps_for", &json!({"secs": u64::MAX, "nanos": 999_999_999}));
    let for_584_years = u64::MAX / 1_000_000_000;
    assert_eq!(
        timers(&centuries)[0].fire_at.unwrap().seconds,
        START_SECONDS + i64::try_from(for_584_years).unwrap(),
        "the longest that the contract can say"
    );

    let year_10000 = LATEST.seconds + 2;
    let forever = only_turn("sleeps_until", &json!({"secs_since_epoch": year_10000, "nanos_since_epoch": 0}));
    assert!(!timers(&forever)[0].is_optional());
}

//! A deadline that others move: what seed 001 asks of an updatable timer, but for what only a host can show.

use everturn_history::text;
use everturn_replay::Turn;
use everturn_test_world::histories::*;
use serde_json::{Value, json};

use super::instance::{Instance, activity, answer, answered, asked, cancelled, rejected};

fn time(seconds: i64) -> Value {
    json!({"secs_since_epoch": START_SECONDS + seconds, "nanos_since_epoch": 0})
}

/// An approval with a deadline in 100 s, of at most 1000 s and three moves.
fn start() -> (Instance, Turn) {
    let terms = json!({"deadline": time(100), "latest": time(1000), "max_moves": 3});
    Instance::start("approves_in_time", &terms)
}

fn extend(instance: &mut Instance, now: i64, deadline: i64) -> Turn {
    instance.update(now, "extend", &json!([time(deadline), "Ada"]))
}

#[test]
fn without_a_move_it_is_over_at_its_deadline() {
    let (mut instance, first) = start();
    assert_eq!(timers(&first)[0].fire_at, Some(at(100)));
    let second = instance.turn(100, [timer_fired(0)]);
    assert_eq!((asked(&second), cancelled(&second)), (vec!["activity record".to_owned()], vec![]));
    assert_eq!(activity(&second, 0).input, Some(text("false")));
}

#[test]
fn each_move_takes_the_old_timer_away_and_makes_one_new() {
    let (mut instance, _) = start();
    let longer = extend(&mut instance, 50, 500);
    assert_eq!(answered(&longer, "extend"), Some(Ok(time(500))));
    assert_eq!((asked(&longer), cancelled(&longer)), (vec!["timer".to_owned()], vec![0]));
    assert_eq!(timers(&longer)[0].fire_at, Some(at(500)));

    let shorter = extend(&mut instance, 60, 70);
    assert_eq!((asked(&shorter), cancelled(&shorter)), (vec!["timer".to_owned()], vec![1]));
    assert_eq!(timers(&shorter)[0].fire_at, Some(at(70)));
    // The timers of before come late, and nobody hears them.
    assert_eq!(asked(&instance.turn(65, [timer_fired(0), timer_fired(1)])), [""; 0]);
    assert_eq!(asked(&instance.turn(70, [timer_fired(2)])), ["activity record"]);
}

#[test]
fn several_moves_in_one_turn_each_count_and_one_timer_is_left() {
    let (mut instance, _) = start();
    let moved = instance.turn(1, [200, 300, 400].map(|to| raised("postpone", &time(to).to_string())));
    assert_eq!(timers(&moved).last().unwrap().fire_at, Some(at(400)));
    let made = timers(&moved).len();
    assert_eq!(cancelled(&moved).len(), made, "all but the last, and the first of all");
}

#[test]
fn a_hundred_moves_leave_one_timer() {
    let terms = json!({"deadline": time(100), "latest": null, "max_moves": null});
    let (mut instance, first) = Instance::start("approves_in_time", &terms);
    let (mut made, mut gone) = (timers(&first).len(), 0);
    for now in 1..=100 {
        let turn = instance.turn(now, [raised("postpone", &time(100 + now).to_string())]);
        made += timers(&turn).len();
        gone += cancelled(&turn).len();
    }
    assert_eq!((made, gone), (101, 100));
    assert_eq!(instance.ask("moves").as_array().unwrap().len(), 100);
}

#[test]
fn a_move_that_is_refused_says_why_and_leaves_the_deadline_where_it_is() {
    let (mut instance, _) = start();
    assert_eq!(rejected(&extend(&mut instance, 50, 50)), "DeadlineInThePast");
    assert_eq!(rejected(&extend(&mut instance, 50, 20)), "DeadlineInThePast");
    assert_eq!(rejected(&extend(&mut instance, 50, 1001)), "DeadlineTooLate");
    assert_eq!(asked(&instance.turn(51, [raised("postpone", &time(20).to_string())])), [""; 0]);
    assert_eq!(instance.ask("deadline"), time(100));
    for deadline in [1000, 200, 300] {
        assert_eq!(answered(&extend(&mut instance, 60, deadline), "extend"), Some(Ok(time(deadline))));
    }
    assert_eq!(rejected(&extend(&mut instance, 60, 400)), "TooManyMoves");
    assert_eq!(instance.ask("deadline"), time(300));
}

#[test]
fn a_timer_that_has_fired_is_not_moved() {
    let (mut instance, _) = start();
    instance.turn(100, [timer_fired(0)]);
    assert_eq!(rejected(&extend(&mut instance, 101, 500)), "TimerFired");
}

#[test]
fn a_timer_is_not_moved_when_what_it_waited_for_has_happened() {
    let (mut instance, _) = start();
    let approved = instance.turn(10, [raised("approve", "null")]);
    assert_eq!((asked(&approved), cancelled(&approved)), (vec!["activity record".to_owned()], vec![0]));
    assert_eq!(rejected(&extend(&mut instance, 11, 500)), "TimerStopped");
    instance.turn(12, [task_completed(1, "1")]);
    assert_eq!(answer(&instance.turn(13, [raised("end", "1")])), json!([true, 0]));
}

#[test]
fn the_deadline_and_who_moved_it_when_can_be_asked() {
    let (mut instance, _) = start();
    extend(&mut instance, 50, 500);
    assert_eq!(instance.ask("deadline"), time(500));
    assert_eq!(instance.ask("seconds_left"), 450);
    assert_eq!(instance.ask("moves"), json!([{"from": time(100), "to": time(500), "by": "Ada", "at": time(50)}]));
}

#[test]
fn a_deadline_that_has_passed_may_be_moved_as_long_as_its_timer_has_not_been_heard() {
    // The request was there before the timer fired, though the host had no time for it.
    let (mut instance, _) = start();
    assert_eq!(answered(&extend(&mut instance, 105, 200), "extend"), Some(Ok(time(200))));
}

//! Several things at once, and what is dropped on the way.

use everturn_history::{TimerOrigin, event, text};
use everturn_test_world::histories::*;
use serde_json::{Value, json};

use super::instance::{Instance, activity, answer, asked, cancelled, child};

fn start(workflow: &str) -> (Instance, everturn_replay::Turn) {
    Instance::start(workflow, &Value::Null)
}

#[test]
fn join_begins_all_at_once_and_gives_each_its_own_answer() {
    let (mut instance, first) = start("joins");
    assert_eq!(asked(&first), ["activity A", "activity B", "timer"]);
    assert_eq!(asked(&instance.turn(1, [task_completed(1, "2")])), [""; 0]);
    assert_eq!(asked(&instance.turn(5, [timer_fired(2)])), [""; 0]);
    let last = instance.turn(6, [task_completed(0, "1")]);
    assert_eq!(answer(&last), json!([1, 2]));
    assert_eq!(cancelled(&last), [0; 0]);
}

#[test]
fn try_join_cancels_the_others_at_the_first_failure() {
    let (mut instance, _) = start("gives_up_together");
    let second = instance.turn(1, [task_failed(1, "Broken")]);
    assert_eq!((asked(&second), cancelled(&second)), (vec!["child C".to_owned()], vec![0]));
    assert_eq!(child(&second, 0).input, Some(text("\"Broken\"")));
    // The answer to what was cancelled comes late, and nobody hears it.
    assert_eq!(asked(&instance.turn(2, [task_completed(0, "1")])), [""; 0]);
    assert_eq!(answer(&instance.turn(3, [event::child_completed(at(3), id(2), "9")])), 9);
}

#[test]
fn select_cancels_the_losers_before_its_branch_goes_on() {
    let wins = |message: everturn_history::HistoryEvent, winner: &str, losers: &[i32]| {
        let (mut instance, first) = start("races");
        assert_eq!(asked(&first), ["wait go", "activity A", "timer"]);
        let second = instance.turn(1, [message]);
        assert_eq!(asked(&second), ["activity After"], "{winner}");
        assert_eq!(activity(&second, 0).input, Some(text(format!("\"{winner}\""))));
        assert_eq!(cancelled(&second), losers, "{winner}");
    };
    wins(task_completed(1, "\"activity\""), "activity", &[0, 2]);
    wins(timer_fired(2), "nobody", &[0, 1]);
    // The timer of the wait that won is needless as well.
    wins(raised("go", "\"event\""), "event", &[0, 1, 2]);
}

#[test]
fn the_branch_whose_answer_came_first_wins_though_another_is_written_before_it() {
    let (mut instance, _) = start("races");
    let second = instance.turn(1, [task_completed(1, "\"activity\""), raised("go", "\"event\"")]);
    assert_eq!(activity(&second, 0).input, Some(text("\"activity\"")));
}

#[test]
fn a_future_that_outlives_a_select_goes_on_in_the_next() {
    let (mut instance, first) = start("collects_for_a_minute");
    assert_eq!(asked(&first), ["wait item", "timer"]);
    assert_eq!(asked(&instance.turn(1, [raised("item", "1")])), ["wait item"]);
    assert_eq!(asked(&instance.turn(2, [raised("item", "2"), raised("item", "3")])), ["wait item", "wait item"]);
    let last = instance.turn(60, [timer_fired(1)]);
    assert_eq!(answer(&last), json!([1, 2, 3]));
    assert_eq!(cancelled(&last), [4], "the wait that lost");
}

#[test]
fn futures_unordered_gives_answers_as_they_come() {
    let (mut instance, first) = Instance::start("takes_answers_as_they_come", &json!(4));
    assert_eq!(asked(&first), ["activity step"; 4]);
    let inputs: Vec<_> = (0..4).map(|place| activity(&first, place).input.clone().unwrap().value).collect();
    assert_eq!(inputs, ["0", "1", "2", "3"]);
    instance.turn(1, [task_completed(2, "20"), task_failed(0, "E")]);
    let last = instance.turn(2, [task_completed(3, "30"), task_completed(1, "10")]);
    assert_eq!(answer(&last), json!([20, null, 30, 10]));
}

#[test]
fn futures_unordered_holds_hundreds_and_yields_without_being_taken_for_stalled() {
    let count = 500;
    let (mut instance, first) = Instance::start("takes_answers_as_they_come", &json!(count));
    assert_eq!(first.actions.len(), count);
    let backwards = (0..i32::try_from(count).unwrap()).rev();
    let last = instance.turn(1, backwards.clone().map(|number| task_completed(number, &number.to_string())));
    assert_eq!(answer(&last), json!(backwards.collect::<Vec<_>>()));
}

#[test]
fn a_call_that_is_dropped_before_it_is_polled_leaves_no_trace() {
    let (mut instance, first) = start("drops_before_the_first_poll");
    assert_eq!((asked(&first), cancelled(&first)), (vec!["activity Only".to_owned()], vec![]));
    assert_eq!(first.actions[0].id, 0);
    assert_eq!(answer(&instance.turn(1, [task_completed(0, "1")])), 1);
}

#[test]
fn a_call_that_is_dropped_after_it_was_polled_is_recorded_and_cancelled() {
    let (mut instance, first) = start("drops_after_the_first_poll");
    assert_eq!(asked(&first), ["activity A", "child C", "timer", "wait e", "activity Kept"]);
    assert_eq!(cancelled(&first), [0, 1, 2, 3]);
    assert_eq!(activity(&first, 4).input, Some(text("[false,false,false,false]")));

    // All that was dropped is answered all the same, and nobody hears it.
    let late = [task_completed(0, "1"), event::child_completed(at(1), id(1), "1"), timer_fired(2), raised("e", "1")];
    let second = instance.turn(1, late);
    assert_eq!((asked(&second), cancelled(&second)), (vec![], vec![]));
    assert_eq!(answer(&instance.turn(2, [task_completed(4, "5")])), 5);
}

#[test]
fn a_call_that_is_dropped_in_a_later_turn_is_cancelled_in_that_turn() {
    let (mut instance, first) = start("drops_in_a_later_turn");
    assert_eq!((asked(&first), cancelled(&first)), (vec!["activity Late".to_owned(), "timer".to_owned()], vec![]));
    assert_eq!(timers(&first)[0].timer_origin(), Some(TimerOrigin::CreateTimer));
    let second = instance.turn(1, [timer_fired(1)]);
    assert_eq!((asked(&second), cancelled(&second)), (vec!["activity After".to_owned()], vec![0]));
}

#[test]
fn a_call_that_is_dropped_between_two_attempts_cancels_the_timer_of_the_next() {
    let (mut instance, first) = start("tries_until_stopped");
    assert_eq!(asked(&first), ["activity A", "wait stop"]);
    assert_eq!(asked(&instance.turn(1, [task_failed(0, "E")])), ["timer"]);
    let last = instance.turn(2, [raised("stop", "1")]);
    assert_eq!((answer(&last), cancelled(&last)), (json!(false), vec![1, 2]));
}

#[test]
fn a_call_that_began_early_keeps_its_answer_until_it_is_asked_for() {
    let (mut instance, first) = start("begins_early");
    assert_eq!(asked(&first), ["activity Early", "timer"]);
    assert_eq!(asked(&instance.turn(1, [task_completed(0, "\"kept\"")])), [""; 0]);
    assert_eq!(answer(&instance.turn(5, [timer_fired(1)])), "kept");

    let (mut instance, _) = start("begins_early");
    assert_eq!(asked(&instance.turn(5, [timer_fired(1)])), [""; 0]);
    assert_eq!(answer(&instance.turn(6, [task_completed(0, "\"late\"")])), "late");
}

//! Seed tests 1 to 13 with a compiled guest. With the core alone they are in `host/replay/tests`.

use everturn_history::workflow_action::ActionType;
use everturn_history::{HistoryEvent, NEVER, TimerOrigin, event};
use everturn_replay::{Turn, recorded_events};
use everturn_test_world::Player;
use everturn_test_world::histories::*;
use everturn_tests::player::Compiled;

/// Replays a start of `workflow` and `old`, then plays `new`.
fn play(workflow: &str, old: Vec<HistoryEvent>, new: Vec<HistoryEvent>) -> Turn {
    let old = started_as(workflow, "null").into_iter().chain(old).collect();
    Compiled::new().play(old, new).unwrap()
}

fn first_turn(guest: &mut Compiled, workflow: &str) -> Turn {
    guest.play(vec![], started_as(workflow, "null")).unwrap()
}

/// Commits a turn and plays the next one with this event.
fn next_turn(guest: &mut Compiled, turn: &Turn, seconds: i64, event: HistoryEvent) -> Turn {
    let new = vec![event::turn_started(at(seconds), vec![]), event];
    guest.play(recorded_events(turn, at(seconds)), new).unwrap()
}

#[test]
fn seed_01_create_timer_sets_its_origin() {
    let turn = first_turn(&mut Compiled::new(), "create_timer");
    assert_eq!(timers(&turn)[0].timer_origin(), Some(TimerOrigin::CreateTimer));
    assert_eq!(timers(&turn)[0].fire_at, Some(at(5)));
}

#[test]
fn seed_02_a_finite_wait_sets_its_origin() {
    let turn = first_turn(&mut Compiled::new(), "finite_wait");
    assert_eq!(timers(&turn)[0].timer_origin(), event_wait("myEvent"));
    assert_eq!(timers(&turn)[0].fire_at, Some(at(30)));
}

#[test]
fn seed_03_and_04_activity_retry_timers_name_the_call_at_every_attempt() {
    let mut guest = Compiled::new();
    let mut turn = first_turn(&mut guest, "activity_retry");
    let call = match turn.actions[0].action_type.as_ref() {
        Some(ActionType::ScheduleTask(task)) => task.task_execution_id.clone(),
        other => panic!("not an activity: {other:?}"),
    };
    for attempt in 0..2 {
        let delay = next_turn(&mut guest, &turn, 10 * i64::from(attempt) + 1, task_failed(2 * attempt, "E"));
        let origin = TimerOrigin::ActivityRetry { task_execution_id: call.clone() };
        assert_eq!(timers(&delay)[0].timer_origin(), Some(origin));
        turn = next_turn(&mut guest, &delay, 10 * i64::from(attempt) + 9, timer_fired(2 * attempt + 1));
    }
    let end = next_turn(&mut guest, &turn, 30, task_failed(4, "E"));
    assert_eq!(only_completion(&end).failure_details.unwrap().error_type, "E");
}

#[test]
fn seed_05_and_06_child_retry_timers_name_the_first_child_at_every_attempt() {
    let mut guest = Compiled::new();
    let mut turn = first_turn(&mut guest, "child_retry");
    let mut children = vec![];
    for attempt in 0..2 {
        children.push(match turn.actions[0].action_type.as_ref() {
            Some(ActionType::CreateChildWorkflow(child)) => child.instance_id.clone(),
            other => panic!("not a child: {other:?}"),
        });
        let failed = event::child_failed(at(0), id(2 * attempt), failure_details("E"));
        let delay = next_turn(&mut guest, &turn, 10 * i64::from(attempt) + 1, failed);
        let origin = TimerOrigin::ChildWorkflowRetry { instance_id: children[0].clone() };
        assert_eq!(timers(&delay)[0].timer_origin(), Some(origin));
        turn = next_turn(&mut guest, &delay, 10 * i64::from(attempt) + 9, timer_fired(2 * attempt + 1));
    }
    assert_ne!(children[0], children[1]);
}

#[test]
fn seed_07_an_indefinite_wait_creates_the_optional_timer() {
    let turn = first_turn(&mut Compiled::new(), "indefinite_wait");
    assert_eq!(turn.actions.len(), 1);
    assert_eq!(timers(&turn)[0].timer_origin(), event_wait("myEvent"));
    assert_eq!(timers(&turn)[0].fire_at, Some(NEVER));
}

#[test]
fn seed_08_a_wait_of_zero_creates_no_timer_and_is_answered_at_once() {
    assert_eq!(only_result(&first_turn(&mut Compiled::new(), "zero_wait")), "null");
}

#[test]
fn seed_09_a_recorded_optional_timer_matches_normally() {
    let old = vec![timer_created(0, event_wait("myEvent"), NEVER)];
    assert_eq!(only_result(&play("indefinite_wait", old, vec![raised("myEvent", "42")])), "42");
}

#[test]
fn seed_10_an_old_history_lacks_the_timer_before_an_activity() {
    let old = vec![raised("myEvent", "1"), task_scheduled(0, "A")];
    assert_eq!(only_result(&play("wait_then_activity", old, vec![task_completed(0, "\"done\"")])), "\"done\"");
}

#[test]
fn seed_11_an_old_history_lacks_the_timer_before_a_child() {
    let old = vec![raised("myEvent", "1"), child_created(0, "Child", "child-1")];
    let new = vec![event::child_completed(at(0), id(0), "\"done\"")];
    assert_eq!(only_result(&play("wait_then_child", old, new)), "\"done\"");
}

#[test]
fn seed_12_an_old_history_lacks_the_timer_before_a_timer() {
    let old = vec![raised("myEvent", "1"), timer_created(0, Some(TimerOrigin::CreateTimer), at(5))];
    assert_eq!(only_result(&play("wait_then_timer", old, vec![timer_fired(0)])), "1");
}

#[test]
fn seed_13_an_old_history_lacks_two_timers_in_sequence() {
    let old = vec![
        raised("A", "1"),
        task_scheduled(0, "ActA"),
        task_completed(0, "1"),
        raised("B", "2"),
        task_scheduled(1, "ActB"),
    ];
    assert_eq!(only_result(&play("two_waits", old, vec![task_completed(1, "2")])), "2");
}

//! Why timers exist: seed tests 1 to 6.

use std::time::Duration;

use everturn_history::workflow_action::ActionType;
use everturn_history::{HistoryEvent, TimerOrigin, event};

use everturn_replay::{ChildOptions, Turn, recorded_events};
use everturn_test_world::Player;
use everturn_test_world::guest::{Ctx, Guest};
use everturn_test_world::histories::*;

/// Commits a turn and plays the next one, which begins with these events.
fn next_turn(guest: &mut Guest, turn: &Turn, seconds: i64, events: Vec<HistoryEvent>) -> Turn {
    let new = [event::turn_started(at(seconds), vec![])].into_iter().chain(events).collect();
    guest.play(recorded_events(turn, at(seconds)), new).unwrap()
}

fn only_task_execution_id(turn: &Turn) -> String {
    match turn.actions[0].action_type.as_ref() {
        Some(ActionType::ScheduleTask(task)) => task.task_execution_id.clone(),
        other => panic!("not an activity: {other:?}"),
    }
}

fn only_child_id(turn: &Turn) -> String {
    match turn.actions[0].action_type.as_ref() {
        Some(ActionType::CreateChildWorkflow(child)) => child.instance_id.clone(),
        other => panic!("not a child: {other:?}"),
    }
}

#[test]
fn seed_01_create_timer_sets_its_origin() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        ctx.sleep(5).await;
        Ok(String::new())
    });
    let turn = guest.play(vec![], started()).unwrap();
    let timer = &timers(&turn)[0];
    assert_eq!(timer.timer_origin(), Some(TimerOrigin::CreateTimer));
    assert_eq!(timer.fire_at, Some(at(5)));
}

#[test]
fn seed_02_a_finite_wait_sets_its_origin() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        ctx.wait("myEvent", Some(Duration::from_secs(5))).await;
        Ok(String::new())
    });
    let turn = guest.play(vec![], started()).unwrap();
    let timer = &timers(&turn)[0];
    assert_eq!(timer.timer_origin(), event_wait("myEvent"));
    assert_eq!(timer.fire_at, Some(at(5)));
}

#[test]
fn seed_03_an_activity_retry_timer_names_the_call() {
    let mut guest = Guest::new(async |ctx: Ctx| ctx.activity("pay", Some(retries(2))).await);
    let scheduled = guest.play(vec![], started()).unwrap();
    let call = only_task_execution_id(&scheduled);
    assert!(!call.is_empty());

    let delayed = next_turn(&mut guest, &scheduled, 1, vec![task_failed(0, "E")]);
    let timer = &timers(&delayed)[0];
    assert_eq!(timer.timer_origin(), Some(TimerOrigin::ActivityRetry { task_execution_id: call }));
    assert_eq!(timer.fire_at, Some(at(11)));
}

#[test]
fn seed_04_the_task_execution_id_is_stable_over_attempts() {
    let mut guest = Guest::new(async |ctx: Ctx| ctx.activity("pay", Some(retries(3))).await);
    let first = guest.play(vec![], started()).unwrap();
    let call = only_task_execution_id(&first);
    let origin = Some(TimerOrigin::ActivityRetry { task_execution_id: call.clone() });

    let delay = next_turn(&mut guest, &first, 1, vec![task_failed(0, "E")]);
    assert_eq!(timers(&delay)[0].timer_origin(), origin);
    let second = next_turn(&mut guest, &delay, 11, vec![timer_fired(1)]);
    assert_eq!(only_task_execution_id(&second), call);
    let delay = next_turn(&mut guest, &second, 12, vec![task_failed(2, "E")]);
    assert_eq!(timers(&delay)[0].timer_origin(), origin);
    assert_eq!(timers(&delay)[0].fire_at, Some(at(32)), "the second delay is twice the first");
    let third = next_turn(&mut guest, &delay, 32, vec![timer_fired(3)]);
    assert_eq!(only_task_execution_id(&third), call);
    let end = next_turn(&mut guest, &third, 33, vec![task_failed(4, "E")]);
    assert_eq!(only_completion(&end).failure_details.unwrap().error_type, "E", "there is no fourth attempt");
}

#[test]
fn two_calls_have_two_task_execution_ids() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        let (left, right) = (ctx.activity("same", None), ctx.activity("same", None));
        futures::join!(left, right).0
    });
    let turn = guest.play(vec![], started()).unwrap();
    let ids: Vec<_> = (0..2)
        .map(|index| only_task_execution_id(&Turn { actions: vec![turn.actions[index].clone()], ..Turn::default() }))
        .collect();
    assert_ne!(ids[0], ids[1]);
}

#[test]
fn seed_05_a_child_retry_timer_names_the_first_child() {
    let options = || ChildOptions { retry: Some(retries(2)), ..ChildOptions::default() };
    let mut guest = Guest::new(move |ctx: Ctx| async move { ctx.child("Child", options()).await });
    let created = guest.play(vec![], started()).unwrap();
    let first = only_child_id(&created);
    assert_eq!(first, "instance:0.1");

    let failed = event::child_failed(at(1), id(0), failure_details("E"));
    let delayed = next_turn(&mut guest, &created, 1, vec![failed]);
    assert_eq!(timers(&delayed)[0].timer_origin(), Some(TimerOrigin::ChildWorkflowRetry { instance_id: first }));
}

#[test]
fn seed_06_child_retry_timers_always_name_the_first_child() {
    for explicit in [None, Some("mine")] {
        let options = move || ChildOptions {
            retry: Some(retries(3)),
            instance_id: explicit.map(Into::into),
            ..ChildOptions::default()
        };
        let mut guest = Guest::new(move |ctx: Ctx| async move { ctx.child("Child", options()).await });
        let child_failed = |sequence| event::child_failed(at(1), id(sequence), failure_details("E"));

        let created = guest.play(vec![], started()).unwrap();
        let first = only_child_id(&created);
        assert_eq!(first, explicit.unwrap_or("instance:0.1"));
        let delay = next_turn(&mut guest, &created, 1, vec![child_failed(0)]);
        let second = next_turn(&mut guest, &delay, 11, vec![timer_fired(1)]);
        assert_ne!(only_child_id(&second), first, "each attempt is an instance of its own");
        let delay = next_turn(&mut guest, &second, 12, vec![child_failed(2)]);
        assert_eq!(timers(&delay)[0].timer_origin(), Some(TimerOrigin::ChildWorkflowRetry { instance_id: first }));
    }
}

#[test]
fn retry_timers_carry_the_id_that_history_recorded() {
    let mut guest = Guest::new(async |ctx: Ctx| ctx.activity("pay", Some(retries(2))).await);
    let mut scheduled = task_scheduled(0, "pay");
    if let Some(everturn_history::history_event::EventType::TaskScheduled(task)) = &mut scheduled.event_type {
        task.task_execution_id = "chosen by another writer".into();
    }
    let turn = guest.play(started_then([scheduled]), vec![turn(1), task_failed(0, "E")]).unwrap();
    let origin = TimerOrigin::ActivityRetry { task_execution_id: "chosen by another writer".into() };
    assert_eq!(timers(&turn)[0].timer_origin(), Some(origin));
}

#[test]
fn retry_timers_of_a_replayed_child_name_the_first_child_that_history_recorded() {
    let options = || ChildOptions { retry: Some(retries(3)), ..ChildOptions::default() };
    let mut guest = Guest::new(move |ctx: Ctx| async move { ctx.child("Child", options()).await });
    let first = TimerOrigin::ChildWorkflowRetry { instance_id: "first".into() };
    let child_failed = |sequence| event::child_failed(at(1), id(sequence), failure_details("E"));
    let old = started_then([
        child_created(0, "Child", "first"),
        turn(1),
        child_failed(0),
        timer_created(1, Some(first.clone()), at(11)),
        turn(11),
        timer_fired(1),
        child_created(2, "Child", "second"),
    ]);
    let turn = guest.play(old, vec![turn(12), child_failed(2)]).unwrap();
    assert_eq!(timers(&turn)[0].timer_origin(), Some(first));
}

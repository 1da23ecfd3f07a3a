//! What an instance asks for after the end of its history was taken back is told apart from what it had asked for before.

use everturn_history::history_event::EventType;
use everturn_history::workflow_action::ActionType;
use everturn_history::{HistoryEvent, WorkflowResetEvent, event};
use everturn_replay::{ActivityOptions, ChildOptions, DetachedOptions, Turn};
use everturn_test_world::Player;
use everturn_test_world::guest::{Ctx, Guest};
use everturn_test_world::histories::*;

/// A reset by which the instance had had so many turns.
fn reset(turns: u64) -> HistoryEvent {
    let reset = WorkflowResetEvent { turns, execution_id: format!("run {turns}"), ..WorkflowResetEvent::default() };
    event::event(at(1), EventType::WorkflowReset(Box::new(reset)))
}

/// Asks, when it starts and when it is told to go, for an activity, a child and a workflow that is none.
fn asking() -> Guest {
    Guest::new(async |ctx: Ctx| {
        loop {
            ctx.with(|execution| {
                execution.call_activity("A".into(), "1".into(), ActivityOptions::default());
                execution.call_child("C".into(), "1".into(), ChildOptions::default());
                execution.start_detached("D".into(), "1".into(), DetachedOptions::default());
            });
            ctx.wait("go", None).await;
        }
    })
}

/// The ids of what a turn asks for.
fn asked(turn: &Turn) -> Vec<String> {
    let name = |action: &ActionType| match action {
        ActionType::ScheduleTask(task) => Some(task.task_execution_id.clone()),
        ActionType::CreateChildWorkflow(child) => Some(child.instance_id.clone()),
        ActionType::CreateDetachedWorkflow(other) => Some(other.instance_id.clone()),
        _ => None,
    };
    turn.actions.iter().filter_map(|action| name(action.action_type.as_ref()?)).collect()
}

#[test]
fn what_is_asked_for_after_a_reset_has_other_ids() {
    let go = |events: Vec<HistoryEvent>| {
        let mut guest = asking();
        let first = guest.play(vec![], started()).unwrap();
        let recorded = everturn_replay::recorded_events(&first, at(0));
        let second = guest.play(recorded, [vec![turn(2)], events, vec![raised("go", "1")]].concat()).unwrap();
        (asked(&first), asked(&second))
    };
    let (before, as_it_was) = go(vec![]);
    assert_eq!(before[1..], ["instance:0.1", "instance:0.2"]);
    assert_eq!(as_it_was[1..], ["instance:0.3", "instance:0.4"]);
    let (same, after) = go(vec![reset(7)]);
    assert_eq!(same, before, "what is kept is as it was");
    assert_eq!(after[1..], ["instance:0.3:reset-7", "instance:0.4:reset-7"]);
    let (_, again) = go(vec![reset(9)]);
    assert_eq!(again[1], "instance:0.3:reset-9");
    let mut calls = [&before[0], &as_it_was[0], &after[0], &again[0]];
    calls.sort();
    assert!(calls.windows(2).all(|pair| pair[0] != pair[1]), "{calls:?}");
}

#[test]
fn a_reset_before_the_start_counts_from_there_on() {
    let mut begin = started();
    begin.insert(1, reset(4));
    let anew = asked(&asking().play(vec![], begin).unwrap());
    let first = asked(&asking().play(vec![], started()).unwrap());
    assert_eq!(anew[1..], ["instance:0.1:reset-4", "instance:0.2:reset-4"]);
    assert_ne!(anew[0], first[0]);
}

#[test]
fn a_child_that_is_tried_again_after_a_reset_has_another_id() {
    let retrying = || {
        Guest::new(async |ctx: Ctx| {
            ctx.child("C", ChildOptions { retry: Some(retries(3)), ..ChildOptions::default() }).await
        })
    };
    let attempt = |events: Vec<HistoryEvent>| {
        let mut guest = retrying();
        let failed = event::child_failed(at(0), id(0), failure_details("Broken"));
        let first = guest.play(started_then([child_created(0, "C", "instance:0.1")]), vec![turn(1), failed]).unwrap();
        let recorded = everturn_replay::recorded_events(&first, at(1));
        asked(&guest.play(recorded, [vec![turn(20)], events, vec![timer_fired(1)]].concat()).unwrap())
    };
    assert_eq!(attempt(vec![]), ["instance:0.1:retry-2"]);
    assert_eq!(attempt(vec![reset(6)]), ["instance:0.1:retry-2:reset-6"]);
}

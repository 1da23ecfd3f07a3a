//! The clock, suspension, termination, restarts, patches, and what an instance knows of itself.

use everturn_history::history_event::EventType;
use everturn_history::workflow_action::ActionType;
use everturn_history::{HistoryEvent, NEVER, OrchestrationStatus, TimerOrigin, event};
use everturn_replay::{ContinueOptions, Execution, Source, recorded_events};
use everturn_test_world::Player;
use everturn_test_world::guest::{Ctx, Guest};
use everturn_test_world::histories::*;

#[test]
fn the_clock_is_the_turns_and_never_goes_back() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        let mut times = vec![];
        for _ in 0..3 {
            times.push(ctx.with(|execution| execution.now().seconds - START_SECONDS).to_string());
            ctx.wait("tick", None).await;
        }
        Ok(times.join(" "))
    });
    let first = guest.play(vec![], started()).unwrap();
    let second = guest.play(recorded_events(&first, at(0)), vec![turn(9), raised("tick", "1")]).unwrap();
    let third = guest.play(recorded_events(&second, at(9)), vec![turn(4), raised("tick", "2")]).unwrap();
    let end = guest.play(recorded_events(&third, at(4)), vec![turn(10), raised("tick", "3")]).unwrap();
    assert_eq!(only_result(&end), "0 9 9");
}

#[test]
fn a_suspended_instance_sees_nothing_until_it_is_resumed() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        let first = ctx.activity("A", None).await?;
        let second = ctx.wait("e", None).await.unwrap();
        Ok(format!("{first} {second} {}", ctx.with(|execution| execution.now().seconds - START_SECONDS)))
    });
    let old = started_then([task_scheduled(0, "A")]);
    let new = vec![turn(1), event::suspended(at(1)), task_completed(0, "1"), raised("e", "2")];
    let turn = guest.play(old, new).unwrap();
    assert!(turn.actions.is_empty(), "{turn:?}");
    assert!(guest.ctx.with(|execution| execution.is_suspended()));

    let new = vec![everturn_test_world::histories::turn(7), event::resumed(at(7))];
    let turn = guest.play(vec![], new).unwrap();
    assert_eq!(result(&turn), "1 2 7", "in order, at the time of the turn that resumed it");
}

#[test]
fn what_was_held_back_counts_as_happening_when_it_is_seen() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        ctx.wait("e", None).await;
        Ok(ctx.with(|execution| execution.is_replaying()).to_string())
    });
    // The event is in history, but the guest has not seen it.
    let old = started_then([turn(1), event::suspended(at(1)), raised("e", "1")]);
    let turn = guest.play(old, vec![turn(2), event::resumed(at(2))]).unwrap();
    assert_eq!(result(&turn), "false");
}

#[test]
fn what_a_turn_asked_for_before_it_was_suspended_is_recorded() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        ctx.activity("A", None).await?;
        ctx.activity("B", None).await
    });
    let new = vec![turn(1), task_completed(0, "1"), event::suspended(at(1))];
    let turn = guest.play(started_then([task_scheduled(0, "A")]), new).unwrap();
    assert_eq!(turn.actions.len(), 1);
    let new = vec![everturn_test_world::histories::turn(2), task_completed(1, "2"), event::resumed(at(2))];
    assert_eq!(only_result(&guest.play(recorded_events(&turn, at(1)), new).unwrap()), "2");
}

#[test]
fn an_instance_may_be_suspended_before_it_starts() {
    let mut guest = Guest::new(async |_| Ok("ran".into()));
    let first = guest.play(vec![], vec![turn(0), event::suspended(at(0)), started().remove(1)]).unwrap();
    assert!(first.actions.is_empty());
    assert_eq!(only_result(&guest.play(vec![], vec![turn(1), event::resumed(at(1))]).unwrap()), "ran");
}

#[test]
fn terminated_means_nothing_more_is_begun() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        ctx.activity("A", None).await?;
        ctx.activity("B", None).await
    });
    for suspended in [false, true] {
        let mut guest = guest.afresh();
        let mut new = vec![turn(1), task_completed(0, "1"), event::terminated(at(1), Some("\"enough\""))];
        if suspended {
            new.insert(2, event::suspended(at(1)));
        }
        new.push(raised("late", "1"));
        let turn = guest.play(started_then([task_scheduled(0, "A")]), new).unwrap();
        let end = only_completion(&turn);
        assert_eq!(end.workflow_status(), OrchestrationStatus::Terminated);
        assert_eq!(end.result.unwrap().value, "\"enough\"");
    }
    assert!(guest.play(vec![], started()).is_ok());
}

#[test]
fn a_terminated_history_replays() {
    let mut guest = Guest::new(async |ctx: Ctx| ctx.activity("A", None).await);
    let turn = guest.play(started_then([task_scheduled(0, "A")]), vec![event::terminated(at(1), None)]).unwrap();
    let mut history = started_then([task_scheduled(0, "A"), event::terminated(at(1), None)]);
    history.extend(recorded_events(&turn, at(1)));
    assert!(guest.afresh().play(history, vec![]).is_ok());
}

fn restarts(keep_unread_events: bool) -> Guest {
    Guest::new(move |ctx: Ctx| async move {
        ctx.wait("go", None).await;
        let options = ContinueOptions { keep_unread_events, version: Some("v2".into()) };
        ctx.with(|execution| execution.continue_as_new("\"again\"".into(), options));
        Ok("dropped".into())
    })
}

#[test]
fn continue_as_new_carries_unread_events_in_the_order_of_their_arrival() {
    let unread = [raised("b", "1"), raised("a", "2"), raised("B", "3")];
    // The last two arrive in the same turn after the restart was decided: they too are unread.
    let events: Vec<HistoryEvent> =
        [unread[0].clone(), raised("go", "0"), unread[1].clone(), unread[2].clone()].to_vec();
    for keep in [true, false] {
        let turn = restarts(keep).play(vec![], started_then(events.clone())).unwrap();
        let Some(ActionType::CompleteWorkflow(end)) = turn.actions.last().unwrap().action_type.clone() else {
            panic!("{turn:?}");
        };
        assert_eq!(end.workflow_status(), OrchestrationStatus::ContinuedAsNew);
        assert_eq!(end.result.unwrap().value, "\"again\"");
        assert_eq!(end.new_version.unwrap().value, "v2");
        assert_eq!(end.carryover_events, if keep { unread.to_vec() } else { vec![] });
    }
}

#[test]
fn a_failure_after_continue_as_new_counts() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        let options = ContinueOptions { keep_unread_events: true, version: None };
        ctx.with(|execution| execution.continue_as_new("1".into(), options));
        ctx.activity("A", None).await
    });
    let turn = guest.play(started_then([task_scheduled(0, "A")]), vec![turn(1), task_failed(0, "E")]).unwrap();
    assert_eq!(only_completion(&turn).workflow_status(), OrchestrationStatus::Failed);
}

fn patched() -> Guest {
    Guest::new(async |ctx: Ctx| {
        let ask = || ctx.with(|execution| execution.patched("faster")).to_string();
        let first = ask();
        ctx.activity("A", None).await?;
        Ok(format!("{first} {}", ask()))
    })
}

#[test]
fn a_new_instance_takes_a_patch_and_records_it() {
    let mut guest = patched();
    let turn = guest.play(vec![], started()).unwrap();
    assert_eq!(turn.patches, ["faster"]);

    // Replayed with the turn's record, it is still taken, and not recorded again.
    let mut history = vec![event::turn_started(at(0), turn.patches.clone())];
    history.extend(started().into_iter().skip(1).chain([task_scheduled(0, "A")]));
    let turn = guest.afresh().play(history, vec![everturn_test_world::histories::turn(1), task_completed(0, "1")]);
    let turn = turn.unwrap();
    assert_eq!((only_result(&turn).as_str(), turn.patches.len()), ("true true", 0));
}

#[test]
fn an_instance_that_had_passed_the_point_does_not_take_a_patch_even_later() {
    let old = started_then([task_scheduled(0, "A")]);
    let turn = patched().play(old, vec![turn(1), task_completed(0, "1")]).unwrap();
    assert_eq!((only_result(&turn).as_str(), turn.patches.len()), ("false false", 0));
}

#[test]
fn an_instance_that_reaches_the_point_later_takes_the_patch_then() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        ctx.activity("A", None).await?;
        Ok(ctx.with(|execution| execution.patched("faster")).to_string())
    });
    let turn = guest.play(started_then([task_scheduled(0, "A")]), vec![turn(1), task_completed(0, "1")]).unwrap();
    assert_eq!((only_result(&turn).as_str(), turn.patches.as_slice()), ("true", ["faster".to_owned()].as_slice()));
}

#[test]
fn a_patch_that_is_met_by_what_a_suspension_held_back_belongs_to_the_turn_that_ends_it() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        ctx.wait("go", None).await;
        Ok(ctx.with(|execution| execution.patched("faster")).to_string())
    });
    let mut history = started_then([timer_created(0, event_wait("go"), NEVER)]);
    history.extend([turn(1), event::suspended(at(1)), raised("go", "1")]);
    let turn = guest.play(history.clone(), vec![turn(2), event::resumed(at(2))]).unwrap();
    assert_eq!((only_result(&turn).as_str(), turn.patches.as_slice()), ("true", ["faster".to_owned()].as_slice()));

    history.extend([event::turn_started(at(2), turn.patches), event::resumed(at(2))]);
    let turn = guest.afresh().play(history, vec![]).unwrap();
    assert_eq!((only_result(&turn).as_str(), turn.patches.len()), ("true", 0));
}

#[test]
fn a_custom_status_belongs_to_the_turn_that_set_it() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        ctx.with(|execution| execution.set_custom_status("\"one\"".into()));
        ctx.with(|execution| execution.set_custom_status("\"two\"".into()));
        ctx.sleep(1).await;
        ctx.sleep(1).await;
        Ok(String::new())
    });
    let first = guest.play(vec![], started()).unwrap();
    assert_eq!(first.custom_status.as_deref(), Some("\"two\""));
    let second = guest.play(recorded_events(&first, at(0)), vec![turn(1), timer_fired(0)]).unwrap();
    assert_eq!(second.custom_status, None);
    assert_eq!(guest.ctx.with(|execution| execution.custom_status().map(str::to_owned)).unwrap(), "\"two\"");
}

#[test]
fn replaying_ends_with_history_and_counts_it() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        let state = || ctx.with(|execution| format!("{} {}", execution.is_replaying(), execution.history_length()));
        let first = state();
        ctx.sleep(1).await;
        Ok(format!("{first}, {}", state()))
    });
    let old = started_then([timer_created(0, Some(TimerOrigin::CreateTimer), at(1))]);
    assert_eq!(only_result(&guest.play(old, vec![turn(1), timer_fired(0)]).unwrap()), "true 2, false 5");
}

#[test]
fn an_instance_knows_what_it_was_started_with() {
    let mut start = event::execution_started(at(3), &"child".into(), "ship", "{}");
    if let Some(EventType::ExecutionStarted(start)) = &mut start.event_type {
        start.version = Some(everturn_history::text(""));
        start.generation = 2;
        start.tags.insert("team".into(), "red".into());
        start.parent_instance = Some(everturn_history::ParentInstanceInfo {
            name: Some(everturn_history::text("order")),
            workflow_instance: Some(everturn_history::WorkflowInstance {
                instance_id: "parent".into(),
                execution_id: None,
            }),
            ..Default::default()
        });
    }
    let mut execution = Execution::new();
    execution.push(turn(5), Source::New);
    execution.push(start, Source::New);
    execution.next_step().unwrap();
    let start = execution.start().unwrap();
    assert_eq!((start.instance_id.as_str(), start.workflow.as_str(), start.generation), ("child", "ship", 2));
    assert_eq!((start.version.as_deref(), start.input.as_str()), (None, "{}"));
    assert_eq!(start.started_at, at(5));
    let parent = start.parent.as_ref().unwrap();
    assert_eq!((parent.instance_id.as_str(), parent.workflow.as_str()), ("parent", "order"));
    assert_eq!(start.tags["team"], "red");
}

#[test]
fn events_to_others_and_detached_starts_take_their_place_in_the_sequence() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        ctx.with(|execution| execution.raise_event("other".into(), "hello".into(), "1".into()));
        let started = ctx.with(|execution| execution.start_detached("w".into(), "2".into(), Default::default()));
        ctx.activity("A", None).await?;
        Ok(started.to_string())
    });
    let turn = guest.play(vec![], started()).unwrap();
    assert_eq!(turn.actions.len(), 3);
    let events = recorded_events(&turn, at(0));
    assert_eq!(events.iter().map(|event| event.event_id).collect::<Vec<_>>(), [0, 1, 2]);
    let new = vec![everturn_test_world::histories::turn(1), task_completed(2, "1")];
    let turn = guest.afresh().play(started_then(events), new).unwrap();
    assert_eq!(only_result(&turn), "instance:0.1");
}

#[test]
fn what_arrives_in_the_turn_of_a_restart_is_not_lost_to_a_suspension() {
    let new = started_then([raised("go", "0"), event::suspended(at(0)), raised("b", "1")]);
    let end = completion(&restarts(true).play(vec![], new).unwrap());
    assert_eq!(end.carryover_events, [raised("b", "1"), event::suspended(at(0))]);

    let resumed = started_then([raised("go", "0"), event::suspended(at(0)), event::resumed(at(0))]);
    assert_eq!(completion(&restarts(true).play(vec![], resumed).unwrap()).carryover_events, []);
}

#[test]
fn who_is_terminated_in_the_turn_of_a_restart_does_not_restart() {
    let new = started_then([raised("go", "0"), event::terminated(at(0), Some("\"enough\""))]);
    let end = only_completion(&restarts(true).play(vec![], new).unwrap());
    assert_eq!(end.workflow_status(), OrchestrationStatus::Terminated);
    assert_eq!((end.result.unwrap().value.as_str(), end.carryover_events.len()), ("\"enough\"", 0));
}

#[test]
fn who_is_terminated_before_it_starts_does_not_start() {
    let mut guest = Guest::new(async |ctx: Ctx| ctx.activity("A", None).await);
    let start = started().remove(1);
    let new = vec![turn(0), event::suspended(at(0)), start, event::terminated(at(0), None), event::resumed(at(0))];
    assert_eq!(only_completion(&guest.play(vec![], new).unwrap()).workflow_status(), OrchestrationStatus::Terminated);
}

#[test]
fn the_next_generation_finds_what_came_along_when_it_begins() {
    let turn = restarts(true).play(vec![], started_then([raised("e", "7"), raised("go", "0")])).unwrap();
    let Some(EventType::ExecutionStarted(start)) = started().remove(1).event_type else { panic!("a start") };
    let next = everturn_replay::next_generation(&start, completion(&turn), Some("second".into()), at(9));

    let mut guest = Guest::new(async |ctx: Ctx| {
        let there = ctx.wait("e", Some(std::time::Duration::ZERO)).await.unwrap();
        let start = ctx.with(|execution| execution.start().unwrap().clone());
        let version = start.version.unwrap();
        Ok(format!("{there} {} {} {} {version}", start.input, start.generation, start.execution_id))
    });
    assert_eq!(only_result(&guest.play(vec![], next).unwrap()), "7 \"again\" 1 second v2");
}

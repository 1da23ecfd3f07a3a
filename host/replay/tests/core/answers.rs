//! Answers that come in time, early, late, twice or to nobody; events that wait and are waited for.

use std::time::Duration;

use everturn_history::history_event::EventType;
use everturn_history::{TimerOrigin, event};
use everturn_replay::{ActivityOptions, Resolution, recorded_events};
use everturn_test_world::Player;
use everturn_test_world::guest::{Ctx, Guest};
use everturn_test_world::histories::*;
use futures::FutureExt;

const SECONDS_5: Option<Duration> = Some(Duration::from_secs(5));

fn one_activity() -> Guest {
    Guest::new(async |ctx: Ctx| ctx.activity("A", None).await)
}

#[test]
fn the_second_answer_to_one_question_is_dropped() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        let first = ctx.activity("A", None).await?;
        let second = ctx.activity("B", None).await?;
        Ok(format!("{first} {second}"))
    });
    let old = started_then([task_scheduled(0, "A"), turn(1), task_completed(0, "1"), task_scheduled(1, "B")]);
    let new = vec![turn(2), task_completed(0, "again"), task_failed(0, "again"), task_completed(1, "2")];
    assert_eq!(only_result(&guest.play(old, new).unwrap()), "1 2");
}

#[test]
fn an_answer_before_its_question_is_on_record_waits_for_the_next_turn() {
    let mut guest = one_activity();
    let turn = guest.play(vec![], started_then([task_completed(0, "\"early\"")])).unwrap();
    assert_eq!(turn.actions.len(), 1, "the activity is asked for: {turn:?}");
    assert!(turn.wants_turn, "nothing else may ever come, and the answer is there");
    let turn = guest.play(recorded_events(&turn, at(0)), vec![everturn_test_world::histories::turn(1)]).unwrap();
    assert_eq!(only_result(&turn), "\"early\"");
    assert!(!turn.wants_turn);
}

#[test]
fn an_early_answer_replays_as_it_played() {
    let early = [task_completed(0, "\"early\""), task_scheduled(0, "A"), turn(1)];
    let turn = one_activity().play(started_then(early), vec![]).unwrap();
    assert_eq!(only_result(&turn), "\"early\"");
}

#[test]
fn an_answer_to_what_was_given_up_is_dropped() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        let slow = ctx.activity("slow", None).boxed_local();
        let quick = ctx.activity("quick", None).boxed_local();
        let winner = futures::future::select(slow, quick).await.factor_first().0?;
        let next = ctx.activity("next", None).await?;
        Ok(format!("{winner} {next}"))
    });
    let old = started_then([task_scheduled(0, "slow"), task_scheduled(1, "quick")]);
    let turn = guest.play(old, vec![turn(1), task_completed(1, "1"), task_completed(0, "late")]).unwrap();
    assert_eq!(turn.cancelled, [id(0)]);
    let new = vec![everturn_test_world::histories::turn(2), task_completed(0, "later"), task_completed(2, "2")];
    assert_eq!(only_result(&guest.play(recorded_events(&turn, at(1)), new).unwrap()), "1 2");
}

#[test]
fn what_is_given_up_before_it_is_on_record_is_recorded_and_cancelled() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        drop(ctx.awaited(|execution| execution.call_activity("A".into(), "1".into(), ActivityOptions::default())));
        ctx.sleep(1).await;
        Ok(String::new())
    });
    let turn = guest.afresh().play(vec![], started()).unwrap();
    assert_eq!(turn.actions.iter().map(|action| action.id).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(turn.cancelled, [id(0)]);

    // A replay of it finds its ids where they were.
    let timer = timer_created(1, Some(TimerOrigin::CreateTimer), at(1));
    let old = started_then([task_scheduled(0, "A"), timer]);
    let turn = guest.play(old, vec![everturn_test_world::histories::turn(1), timer_fired(1)]).unwrap();
    assert_eq!(only_result(&turn), "");
}

#[test]
fn an_event_that_nobody_awaits_is_kept_in_order() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        ctx.sleep(1).await;
        let first = ctx.wait("e", SECONDS_5).await.unwrap();
        let second = ctx.wait("E", SECONDS_5).await.unwrap();
        Ok(format!("{first} {second}"))
    });
    let old = started_then([timer_created(0, Some(TimerOrigin::CreateTimer), at(1))]);
    let new = vec![turn(1), raised("e", "1"), raised("E", "2"), timer_fired(0)];
    assert_eq!(only_result(&guest.play(old, new).unwrap()), "1 2", "and a wait that is answered at once has no timer");
}

#[test]
fn waits_of_one_name_are_served_in_the_order_they_were_made() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        let (first, second, third) = (ctx.wait("e", None), ctx.wait("E", SECONDS_5), ctx.wait("e", None));
        let (first, second, third) = futures::join!(first, second, third);
        Ok([first, second, third].map(Option::unwrap).join(" "))
    });
    let turn = guest.play(vec![], started()).unwrap();
    assert_eq!(timers(&turn).len(), 3);
    let new = vec![raised("e", "1"), raised("e", "2"), raised("e", "3")];
    let old = recorded_events(&turn, at(0)).into_iter().chain([everturn_test_world::histories::turn(1)]).collect();
    assert_eq!(only_result(&guest.play(old, new).unwrap()), "1 2 3");
}

#[test]
fn an_event_that_came_before_the_timeout_wins() {
    let mut guest = Guest::new(async |ctx: Ctx| Ok(ctx.wait("e", SECONDS_5).await.unwrap_or("timeout".into())));
    let old = || started_then([timer_created(0, event_wait("e"), at(5))]);
    let event_first = vec![turn(5), raised("e", "event"), timer_fired(0)];
    let timeout_first = vec![turn(5), timer_fired(0), raised("e", "event")];
    assert_eq!(only_result(&guest.afresh().play(old(), event_first).unwrap()), "event");
    assert_eq!(only_result(&guest.play(old(), timeout_first).unwrap()), "timeout");
}

#[test]
fn a_stale_timeout_does_not_disturb_the_next_wait() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        ctx.wait("e", SECONDS_5).await.unwrap();
        Ok(ctx.wait("e", SECONDS_5).await.unwrap_or("timeout".into()))
    });
    let old = started_then([timer_created(0, event_wait("e"), at(5))]);
    let turn = guest.play(old, vec![turn(4), raised("e", "1"), timer_fired(0)]).unwrap();
    assert_eq!((turn.cancelled.as_slice(), timers(&turn).len()), ([id(0)].as_slice(), 1));
    let new = vec![everturn_test_world::histories::turn(5), timer_fired(0), raised("e", "2")];
    assert_eq!(only_result(&guest.play(recorded_events(&turn, at(4)), new).unwrap()), "2");
}

#[test]
fn a_wait_that_was_given_up_takes_no_event() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        drop(ctx.awaited(|execution| execution.wait_for_event("e", None)));
        match ctx.awaited(|execution| execution.wait_for_event("e", SECONDS_5)).await {
            Resolution::Event(payload) => Ok(payload.unwrap()),
            other => panic!("{other:?}"),
        }
    });
    let turn = guest.play(vec![], started_then([raised("e", "1")])).unwrap();
    assert_eq!(turn.actions.len(), 3, "two timers and the end");
    assert_eq!(turn.cancelled, [id(0), id(1)]);
}

#[test]
fn failures_keep_their_causes() {
    let mut guest = Guest::new(async |ctx: Ctx| ctx.activity("A", None).await);
    let mut details = failure_details("Outer");
    details.inner_failure = Some(Box::new(failure_details("Inner")));
    details.is_non_retriable = true;
    let failed = event::task_failed(at(1), id(0), details.clone());
    let turn = guest.play(started_then([task_scheduled(0, "A")]), vec![turn(1), failed]).unwrap();
    assert_eq!(only_completion(&turn).failure_details, Some(details));
}

#[test]
fn an_answer_that_does_not_fit_its_question_is_dropped() {
    let scheduled = || started_then([task_scheduled(0, "A")]);
    let mut foreign = task_completed(0, "\"of another run\"");
    if let Some(EventType::TaskCompleted(done)) = &mut foreign.event_type {
        done.task_execution_id = "another".into();
    }
    let mut recorded = scheduled();
    if let Some(EventType::TaskScheduled(task)) = &mut recorded[2].event_type {
        task.task_execution_id = "mine".into();
    }
    let child = event::child_completed(at(1), id(0), "1");
    for (old, stray) in [(scheduled(), timer_fired(0)), (scheduled(), child), (recorded, foreign)] {
        // Live and replayed: a stray message is in history then.
        let mut guest = one_activity();
        assert_eq!(guest.play(old.clone(), vec![turn(1), stray.clone()]).unwrap().actions, []);
        assert_eq!(only_result(&guest.play(vec![], vec![turn(2), task_completed(0, "1")]).unwrap()), "1");
        let old = old.into_iter().chain([turn(1), stray]).collect();
        assert_eq!(only_result(&one_activity().play(old, vec![turn(2), task_completed(0, "1")]).unwrap()), "1");
    }
}

#[test]
fn an_early_answer_that_does_not_fit_is_dropped_when_its_time_comes() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        ctx.activity("A", None).await?;
        ctx.activity("B", None).await
    });
    let old = started_then([task_scheduled(0, "A"), turn(1), timer_fired(1)]);
    let turn = guest.play(old, vec![turn(2), task_completed(0, "1")]).unwrap();
    let new = vec![everturn_test_world::histories::turn(3), task_completed(1, "2")];
    assert_eq!(only_result(&guest.play(recorded_events(&turn, at(2)), new).unwrap()), "2");
}

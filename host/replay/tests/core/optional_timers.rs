//! Waits without limit and histories that lack their timers: seed tests 7 to 13, and what lies beyond them.

use std::time::Duration;

use everturn_history::{NEVER, TimerOrigin, Timestamp};
use futures::{FutureExt, StreamExt};

use everturn_replay::{LATEST, Moment, Resolution};
use everturn_test_world::Player;
use everturn_test_world::guest::{Ctx, Guest};
use everturn_test_world::histories::*;

fn wait_then_activity() -> Guest {
    Guest::new(async |ctx: Ctx| {
        ctx.wait("myEvent", None).await;
        ctx.activity("A", None).await
    })
}

#[test]
fn seed_07_an_indefinite_wait_creates_the_optional_timer() {
    let turn = wait_then_activity().play(vec![], started()).unwrap();
    assert_eq!(turn.actions.len(), 1);
    let timer = &timers(&turn)[0];
    assert_eq!(timer.timer_origin(), event_wait("myEvent"));
    assert_eq!(timer.fire_at, Some(Timestamp { seconds: 253_402_300_799, nanos: 999_999_999 }));
    assert!(timer.is_optional());
}

#[test]
fn seed_08_a_wait_of_zero_creates_no_timer_and_is_answered_at_once() {
    let mut guest = Guest::new(async |ctx: Ctx| match ctx.wait("myEvent", Some(Duration::ZERO)).await {
        None => Ok("cancelled".into()),
        Some(payload) => Ok(payload),
    });
    assert_eq!(only_result(&guest.play(vec![], started()).unwrap()), "cancelled");
}

#[test]
fn seed_08_a_wait_of_zero_takes_an_event_that_is_there() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        ctx.sleep(1).await;
        Ok(ctx.wait("myEvent", Some(Duration::ZERO)).await.unwrap())
    });
    let old = started_then([timer_created(0, Some(TimerOrigin::CreateTimer), at(1))]);
    let turn = guest.play(old, vec![turn(1), raised("myEvent", "7"), timer_fired(0)]).unwrap();
    assert_eq!(only_result(&turn), "7");
}

#[test]
fn seed_09_a_recorded_optional_timer_matches_normally() {
    let mut guest = Guest::new(async |ctx: Ctx| Ok(ctx.wait("myEvent", None).await.unwrap()));
    let old = started_then([timer_created(0, event_wait("myEvent"), NEVER)]);
    let turn = guest.play(old, vec![raised("myEvent", "42")]).unwrap();
    assert_eq!(only_result(&turn), "42");
    assert_eq!(turn.cancelled, [id(0)]);
}

#[test]
fn seed_10_an_old_history_lacks_the_timer_before_an_activity() {
    let old = started_then([raised("myEvent", "1"), task_scheduled(0, "A")]);
    let turn = wait_then_activity().play(old, vec![task_completed(0, "\"done\"")]).unwrap();
    assert_eq!(only_result(&turn), "\"done\"");
}

#[test]
fn seed_11_an_old_history_lacks_the_timer_before_a_child() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        ctx.wait("myEvent", None).await;
        ctx.child("Child", Default::default()).await
    });
    let old = started_then([raised("myEvent", "1"), child_created(0, "Child", "child-1")]);
    let new = vec![everturn_history::event::child_completed(at(0), id(0), "\"done\"")];
    assert_eq!(only_result(&guest.play(old, new).unwrap()), "\"done\"");
}

#[test]
fn seed_12_an_old_history_lacks_the_timer_before_a_timer() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        let payload = ctx.wait("myEvent", None).await;
        ctx.sleep(5).await;
        Ok(payload.unwrap())
    });
    for origin in [Some(TimerOrigin::CreateTimer), None] {
        let old = started_then([raised("myEvent", "1"), timer_created(0, origin, at(5))]);
        let mut guest = guest.afresh();
        assert_eq!(only_result(&guest.play(old, vec![timer_fired(0)]).unwrap()), "1");
    }
    assert!(guest.play(vec![], started()).is_ok());
}

#[test]
fn seed_13_an_old_history_lacks_two_timers_in_sequence() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        ctx.wait("A", None).await;
        ctx.activity("ActA", None).await?;
        ctx.wait("B", None).await;
        ctx.activity("ActB", None).await
    });
    let old = started_then([
        raised("A", "1"),
        task_scheduled(0, "ActA"),
        task_completed(0, "1"),
        raised("B", "2"),
        task_scheduled(1, "ActB"),
    ]);
    assert_eq!(only_result(&guest.play(old, vec![task_completed(1, "2")]).unwrap()), "2");
}

#[test]
fn optional_timers_between_activities_are_dropped_where_history_lacks_them() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        ctx.activity("first", None).await?;
        ctx.wait("a", None).await;
        ctx.wait("b", None).await;
        ctx.activity("second", None).await?;
        ctx.wait("c", None).await;
        ctx.activity("third", None).await
    });
    let old = started_then([
        task_scheduled(0, "first"),
        turn(1),
        task_completed(0, "1"),
        turn(2),
        raised("a", "1"),
        turn(3),
        raised("b", "1"),
        task_scheduled(1, "second"),
        turn(4),
        task_completed(1, "1"),
        turn(5),
        raised("c", "1"),
        task_scheduled(2, "third"),
    ]);
    assert_eq!(only_result(&guest.play(old, vec![turn(6), task_completed(2, "3")]).unwrap()), "3");
}

#[test]
fn several_indefinite_waits_in_parallel_are_dropped_together() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        let (a, b, c) = (ctx.wait("a", None), ctx.wait("b", None), ctx.wait("c", None));
        let (a, b, c, done) = futures::join!(a, b, c, ctx.activity("A", None));
        Ok(format!("{}{}{}{}", a.unwrap(), b.unwrap(), c.unwrap(), done?))
    });
    // Old code made no timers: the activity has id 0.
    let old = started_then([task_scheduled(0, "A"), turn(1), raised("b", "2"), raised("c", "3"), raised("a", "1")]);
    let turn = guest.afresh().play(old, vec![task_completed(0, "4")]).unwrap();
    assert_eq!(only_result(&turn), "1234");

    // New code makes all three; a history of it replays without a shift.
    let old = started_then([
        timer_created(0, event_wait("a"), NEVER),
        timer_created(1, event_wait("b"), NEVER),
        timer_created(2, event_wait("c"), NEVER),
        task_scheduled(3, "A"),
        everturn_test_world::histories::turn(1),
        raised("b", "2"),
        raised("c", "3"),
        raised("a", "1"),
    ]);
    let turn = guest.play(old, vec![task_completed(3, "4")]).unwrap();
    assert_eq!(only_result(&turn), "1234");
}

#[test]
fn a_timer_far_in_the_future_is_not_optional() {
    // Exactly the sentinel's time, but asked for as a timer.
    let mut guest = Guest::new(async |ctx: Ctx| {
        ctx.awaited(|execution| execution.create_timer(Moment::At(NEVER), None)).await;
        ctx.activity("A", None).await
    });
    let timer = &timers(&guest.afresh().play(vec![], started()).unwrap())[0];
    assert_eq!((timer.fire_at, timer.is_optional()), (Some(NEVER), false));
    let error = guest.play(started_then([task_scheduled(0, "A")]), vec![]).unwrap_err();
    assert!(error.to_string().contains("code now: timer"), "{error}");
}

#[test]
fn a_very_long_finite_wait_is_not_optional() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        ctx.wait("myEvent", Some(Duration::MAX)).await;
        ctx.activity("A", None).await
    });
    let timer = &timers(&guest.afresh().play(vec![], started()).unwrap())[0];
    assert_eq!((timer.fire_at, timer.is_optional()), (Some(LATEST), false));
    let old = started_then([raised("myEvent", "1"), task_scheduled(0, "A")]);
    let error = guest.play(old, vec![]).unwrap_err();
    assert!(error.to_string().contains("code now: wait for event \"myEvent\""), "{error}");
}

#[test]
fn a_sentinel_one_nanosecond_off_is_not_optional() {
    let almost = Timestamp { nanos: NEVER.nanos - 1, ..NEVER };
    let recorded = || timer_created(0, event_wait("myEvent"), almost);

    // Recorded by the code: not the optional timer that the code would make, so that one is dropped, and nothing fits.
    let error = wait_then_activity().play(started_then([recorded()]), vec![]).unwrap_err();
    assert!(error.to_string().contains("recorded: wait for event \"myEvent\""), "{error}");

    // Not created by the code any more: not ignored either.
    let mut guest = Guest::new(async |ctx: Ctx| ctx.activity("A", None).await);
    let error = guest.play(started_then([recorded(), task_scheduled(1, "A")]), vec![]).unwrap_err();
    assert!(error.to_string().contains("code now: activity \"A\""), "{error}");
}

#[test]
fn a_timer_without_origin_matches_a_finite_wait_and_a_timer() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        let event = ctx.wait("myEvent", Some(Duration::from_secs(5))).await;
        ctx.sleep(1).await;
        Ok(format!("{event:?}"))
    });
    let old = started_then([timer_created(0, None, at(5)), turn(5), timer_fired(0), timer_created(1, None, at(6))]);
    assert_eq!(only_result(&guest.play(old, vec![turn(6), timer_fired(1)]).unwrap()), "None");
}

#[test]
fn an_optional_timer_that_only_history_knows_is_ignored() {
    let guest = Guest::new(async |ctx: Ctx| {
        ctx.activity("A", None).await?;
        ctx.activity("B", None).await
    });
    let optional = |sequence| timer_created(sequence, event_wait("gone"), NEVER);

    // In front, between and behind: what follows keeps the ids that history gave it.
    let histories = [
        vec![optional(0), task_scheduled(1, "A"), turn(1), task_completed(1, "1"), task_scheduled(2, "B")],
        vec![task_scheduled(0, "A"), optional(1), turn(1), task_completed(0, "1"), task_scheduled(2, "B")],
        vec![optional(0), optional(1), task_scheduled(2, "A"), turn(1), task_completed(2, "1"), task_scheduled(3, "B")],
    ];
    for history in histories {
        let last = history.last().unwrap().event_id;
        let turn = guest.afresh().play(started_then(history), vec![turn(2), task_completed(last, "2")]).unwrap();
        assert_eq!(only_result(&turn), "2");
    }
}

#[test]
fn new_actions_get_the_ids_after_an_ignored_timer() {
    let mut guest = Guest::new(async |ctx: Ctx| ctx.activity("A", None).await);
    let old = started_then([timer_created(0, event_wait("gone"), NEVER)]);
    let turn = guest.play(old, vec![]).unwrap();
    assert_eq!(turn.actions.iter().map(|action| action.id).collect::<Vec<_>>(), [1]);
}

#[test]
fn later_tasks_move_down_with_their_handles() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        let wait = ctx.wait("myEvent", None).map(|event| format!("event {}", event.unwrap())).boxed_local();
        let call = |name| ctx.activity(name, None).map(|result| result.unwrap()).boxed_local();
        let timer = ctx.sleep(9).map(|()| "timer".to_owned()).boxed_local();
        let all = [wait, call("A"), timer, call("B")];
        let answers: Vec<String> = all.into_iter().collect::<futures::stream::FuturesUnordered<_>>().collect().await;
        Ok(answers.join(", "))
    });
    // The optional timer had id 0 in the code; in history the rest has ids 0 to 2, and more is asked for in between.
    let old = started_then([
        task_scheduled(0, "A"),
        timer_created(1, Some(TimerOrigin::CreateTimer), at(9)),
        task_scheduled(2, "B"),
    ]);
    let new = vec![turn(9), task_completed(2, "b"), timer_fired(1), raised("MYEVENT", "e"), task_completed(0, "a")];
    assert_eq!(only_result(&guest.play(old, new).unwrap()), "b, timer, event e, a");
}

#[test]
fn a_dropped_timer_leaves_the_wait_itself_alone() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        let wait = ctx.awaited(|execution| execution.wait_for_event("myEvent", None));
        ctx.activity("A", None).await?;
        match wait.await {
            Resolution::Event(Some(payload)) => Ok(payload),
            other => panic!("{other:?}"),
        }
    });
    let old = started_then([task_scheduled(0, "A"), turn(1), task_completed(0, "1")]);
    let turn = guest.play(old, vec![turn(2), raised("myEvent", "late")]).unwrap();
    assert_eq!(only_result(&turn), "late");
    assert_eq!(turn.cancelled, [], "there is no timer to cancel");
}

#[test]
fn an_optional_timer_that_history_lacks_is_written_when_nothing_is_in_its_place() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        ctx.wait("a", None).await;
        Ok(ctx.wait("b", None).await.unwrap())
    });
    // Recorded by old code: parked at the first wait without a timer.
    let turn = guest.play(started(), vec![turn(1), raised("a", "1")]).unwrap();
    let names: Vec<_> = timers(&turn).iter().map(everturn_history::CreateTimerAction::timer_origin).collect();
    assert_eq!(names, [event_wait("a"), event_wait("b")]);
    assert_eq!(turn.cancelled, [id(0)]);
}

#[test]
fn a_wait_that_got_a_limit_gets_its_timer() {
    let mut guest =
        Guest::new(async |ctx: Ctx| Ok(ctx.wait("e", Some(Duration::from_secs(5))).await.unwrap_or("timeout".into())));
    // Parked by code that waited without limit.
    let turn = guest.play(started_then([timer_created(0, event_wait("e"), NEVER)]), vec![turn(1)]).unwrap();
    assert_eq!(turn.actions.iter().map(|action| action.id).collect::<Vec<_>>(), [1]);
    assert_eq!(timers(&turn)[0].fire_at, Some(at(5)));
}

#[test]
fn a_wait_that_lost_its_limit_is_a_mismatch() {
    let error = wait_then_activity().play(started_then([timer_created(0, event_wait("myEvent"), at(5))]), vec![]);
    assert!(error.is_err(), "the recorded timeout could still fire");
}

#[test]
fn a_long_history_without_timers_costs_no_more_for_its_length() {
    // An event loop from before the timers: counted, not timed, since a square of this would not end.
    const EVENTS: usize = 50_000;
    let mut guest = Guest::new(async |ctx: Ctx| {
        for _ in 0..EVENTS {
            ctx.wait("e", None).await;
        }
        ctx.activity("A", None).await
    });
    let mut old = started();
    for _ in 0..EVENTS {
        old.extend([turn(1), raised("e", "1")]);
    }
    old.push(task_scheduled(0, "A"));
    assert_eq!(only_result(&guest.play(old, vec![turn(2), task_completed(0, "1")]).unwrap()), "1");
}

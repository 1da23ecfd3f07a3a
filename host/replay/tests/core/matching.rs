//! History and code are compared: kind and name, and nothing left over.

use std::time::Duration;

use everturn_history::history_event::EventType;
use everturn_history::{
    DetachedWorkflowInstanceCreatedEvent, EventSentEvent, ExecutionCompletedEvent, HistoryEvent, OrchestrationStatus,
    TimerCreatedEvent, TimerOrigin, event,
};
use everturn_replay::{Behaviour, Moment, Problem, ReplayError};
use everturn_test_world::Player;
use everturn_test_world::guest::{Ctx, Guest};
use everturn_test_world::histories::*;

fn recorded(kind: EventType) -> HistoryEvent {
    event::recorded(id(0), at(0), kind)
}

fn sent(name: &str) -> HistoryEvent {
    recorded(EventType::EventSent(EventSentEvent { name: name.into(), ..EventSentEvent::default() }))
}

fn detached(name: &str) -> HistoryEvent {
    let created = DetachedWorkflowInstanceCreatedEvent { instance_id: "x".into(), name: name.into() };
    recorded(EventType::DetachedWorkflowInstanceCreated(created))
}

fn named_timer(name: &str) -> HistoryEvent {
    let created = TimerCreatedEvent {
        fire_at: Some(at(5)),
        name: Some(name.into()),
        origin: Some(TimerOrigin::CreateTimer.into()),
        ..TimerCreatedEvent::default()
    };
    recorded(EventType::TimerCreated(created))
}

fn ended(status: OrchestrationStatus) -> HistoryEvent {
    let end = ExecutionCompletedEvent { workflow_status: status.into(), ..ExecutionCompletedEvent::default() };
    event::event(at(0), EventType::ExecutionCompleted(end.into()))
}

/// One workflow for each kind of call; each makes one call, named `n`.
fn guest_that_calls(kind: &'static str) -> Guest {
    Guest::new(move |ctx: Ctx| async move {
        match kind {
            "activity" => drop(ctx.activity("n", None).await),
            "child" => drop(ctx.child("n", Default::default()).await),
            "timer" => {
                let when = Moment::After(Duration::from_secs(5));
                ctx.awaited(|execution| execution.create_timer(when, Some("n".into()))).await;
            }
            "finite wait" => drop(ctx.wait("n", Some(Duration::from_secs(5))).await),
            "wait" => drop(ctx.wait("n", None).await),
            "event" => ctx.with(|execution| execution.raise_event("x".into(), "n".into(), "1".into())),
            "detached" => {
                ctx.with(|execution| execution.start_detached("n".into(), "1".into(), Default::default()));
            }
            other => panic!("no such kind: {other}"),
        }
        Ok("end".into())
    })
}

fn record_of(kind: &str, name: &str) -> HistoryEvent {
    match kind {
        "activity" => task_scheduled(0, name),
        "child" => child_created(0, name, "x"),
        "timer" => named_timer(name),
        "finite wait" => timer_created(0, event_wait(name), at(5)),
        "wait" => timer_created(0, event_wait(name), everturn_history::NEVER),
        "event" => sent(name),
        "detached" => detached(name),
        other => panic!("no such kind: {other}"),
    }
}

const KINDS: [&str; 7] = ["activity", "child", "timer", "finite wait", "wait", "event", "detached"];

fn mismatch(error: ReplayError) -> everturn_replay::Mismatch {
    match error {
        ReplayError::Mismatch(mismatch) => *mismatch,
        other => panic!("not a mismatch: {other}"),
    }
}

#[test]
fn the_same_name_matches_at_every_kind() {
    for kind in KINDS {
        let result = guest_that_calls(kind).play(started_then([record_of(kind, "n")]), vec![]);
        assert!(result.is_ok(), "{kind}: {result:?}");
    }
}

#[test]
fn another_name_is_a_mismatch_at_every_kind() {
    for kind in KINDS {
        let error = guest_that_calls(kind).play(started_then([record_of(kind, "other")]), vec![]).unwrap_err();
        let mismatch = mismatch(error);
        assert_eq!((mismatch.event, mismatch.sequence_id), (3, Some(id(0))), "{kind}");
        let names = [&mismatch.recorded, &mismatch.attempted].map(|behaviour| match behaviour {
            Behaviour::Called(call) => call.name.clone(),
            other => panic!("{kind}: {other:?}"),
        });
        assert_eq!(names, ["other", "n"], "{kind}");
    }
}

#[test]
fn another_kind_is_a_mismatch_whatever_the_kinds() {
    for now in KINDS {
        for then in KINDS {
            let result = guest_that_calls(now).play(started_then([record_of(then, "n")]), vec![]);
            // An optional timer that only history knows is ignored, and one that only the code knows is dropped:
            // then nothing is left that could match.
            let fits = now == then || then == "wait";
            assert_eq!(result.is_ok(), fits, "recorded {then}, code now {now}: {result:?}");
        }
    }
}

#[test]
fn event_names_match_without_regard_to_case() {
    for kind in ["wait", "finite wait"] {
        assert!(guest_that_calls(kind).play(started_then([record_of(kind, "N")]), vec![]).is_ok(), "{kind}");
    }
    assert!(guest_that_calls("activity").play(started_then([record_of("activity", "N")]), vec![]).is_err());
}

#[test]
fn a_label_may_be_added_to_a_timer_or_taken_away() {
    let unnamed = timer_created(0, Some(TimerOrigin::CreateTimer), at(5));
    assert!(guest_that_calls("timer").play(started_then([unnamed]), vec![]).is_ok());
}

#[test]
fn the_message_says_what_was_recorded_what_happens_now_and_what_to_do() {
    let old = started_then([task_scheduled(0, "charge"), turn(1), task_completed(0, "1"), task_scheduled(1, "ship")]);
    let mut guest = Guest::new(async |ctx: Ctx| {
        ctx.activity("charge", None).await?;
        ctx.sleep(3).await;
        ctx.activity("ship", None).await
    });
    let error = guest.play(old, vec![]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "workflow \"workflow\" no longer fits the history of instance \"instance\" at event 6 (sequence id 1)\n  \
         recorded: activity \"ship\"\n  \
         code now: timer\n\
         Either the code was changed before this point, or it is not deterministic. Put the change behind `patched`, \
         or keep this instance on the version it ran on."
    );
}

#[test]
fn code_that_asks_for_more_than_was_recorded_is_a_mismatch() {
    let mut guest = Guest::new(async |ctx: Ctx| futures::join!(ctx.activity("A", None), ctx.activity("added", None)).0);
    let old = started_then([task_scheduled(0, "A"), turn(1), task_completed(0, "1")]);
    let mismatch = mismatch(guest.play(old, vec![]).unwrap_err());
    assert_eq!(mismatch.recorded, Behaviour::Waited);
    assert_eq!(mismatch.attempted.to_string(), "activity \"added\"");
    assert_eq!(mismatch.event, 4, "the turn in which it was not recorded ends there");
}

#[test]
fn code_that_asks_for_less_than_was_recorded_is_a_mismatch() {
    let mut waits = Guest::new(async |ctx: Ctx| Ok(ctx.wait("never", None).await.unwrap()));
    let old = started_then([timer_created(0, event_wait("never"), everturn_history::NEVER), task_scheduled(1, "A")]);
    assert_eq!(mismatch(waits.play(old, vec![]).unwrap_err()).attempted, Behaviour::Waited);

    let mut ends = Guest::new(async |_| Ok("early".into()));
    let error = mismatch(ends.play(started_then([task_scheduled(0, "A")]), vec![]).unwrap_err());
    assert_eq!(error.attempted, Behaviour::Ended { status: "completed" });
}

#[test]
fn an_end_is_compared_by_how_not_by_its_result() {
    let ends = Guest::new(async |_| Ok("another result".into()));
    let completed = ended(OrchestrationStatus::Completed);
    let turn = ends.afresh().play(started_then([completed.clone()]), vec![]).unwrap();
    assert_eq!(turn.actions, [], "an end that is on record is not asked for again");
    let failed = started_then([ended(OrchestrationStatus::Failed)]);
    let error = mismatch(ends.afresh().play(failed, vec![]).unwrap_err());
    assert_eq!(error.recorded, Behaviour::Ended { status: "failed" });
    assert_eq!(error.attempted, Behaviour::Ended { status: "completed" });

    let mut waits = guest_that_calls("activity");
    let old = started_then([task_scheduled(0, "n"), completed]);
    assert_eq!(mismatch(waits.play(old, vec![]).unwrap_err()).attempted, Behaviour::Waited);
}

#[test]
fn an_end_that_asks_for_more_than_was_recorded_is_a_mismatch() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        ctx.with(|execution| execution.raise_event("x".into(), "added".into(), "1".into()));
        Ok(String::new())
    });
    let old = started_then([ended(OrchestrationStatus::Completed)]);
    assert_eq!(mismatch(guest.play(old, vec![]).unwrap_err()).attempted.to_string(), "sent event \"added\"");
}

#[test]
fn an_execution_that_failed_to_replay_stays_failed() {
    let mut guest = guest_that_calls("activity");
    let error = guest.play(started_then([task_scheduled(0, "other")]), vec![]).unwrap_err();
    assert_eq!(guest.play(vec![], vec![task_completed(0, "1")]).unwrap_err(), error);
}

#[test]
fn a_history_that_is_wrong_by_itself_is_told_apart_from_changed_code() {
    let no_kind = HistoryEvent { event_type: None, ..turn(0) };
    let nameless = event::execution_started(at(0), &"instance".into(), "", "1");
    let table = [
        (vec![turn(0), no_kind], 2, Problem::NoKind),
        (vec![turn(0), task_scheduled(0, "n")], 2, Problem::BeforeStart),
        (started_then(started().into_iter().skip(1)), 3, Problem::StartedTwice),
        (vec![turn(0), nameless], 2, Problem::IncompleteStart { missing: "workflow" }),
        (started_then([task_scheduled(0, "n"), task_scheduled(0, "n")]), 4, Problem::RecordedTwice { id: id(0) }),
        (started_then([task_scheduled(-1, "n")]), 3, Problem::NoSequenceId { id: id(-1) }),
    ];
    for (history, event, problem) in table {
        match guest_that_calls("activity").play(history, vec![]).unwrap_err() {
            ReplayError::InvalidHistory(invalid) => assert_eq!((invalid.event, invalid.problem), (event, problem)),
            other => panic!("{problem}: {other}"),
        }
    }
}

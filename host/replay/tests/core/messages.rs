//! Signals and updates: what a workflow handles while it goes on. Neither takes a sequence id.

use everturn_history::history_event::EventType;
use everturn_history::{HistoryEvent, UpdateAcceptedEvent, event, text};
use everturn_replay::{
    CompletedUpdate, Failure, ReplayError, Resolution, UpdateAnswer, UpdateVerdict, recorded_events,
};
use everturn_test_world::Player;
use everturn_test_world::guest::{Ctx, Guest};
use everturn_test_world::histories::*;

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

async fn signal(ctx: &Ctx, of: &[&str]) -> String {
    match ctx.awaited(|execution| execution.next_signal(&names(of))).await {
        Resolution::Signal { name, input } => format!("{name}={input}"),
        other => panic!("a signal was answered by {other:?}"),
    }
}

fn update(id: &str, name: &str, input: &str) -> HistoryEvent {
    let update = UpdateAcceptedEvent { id: id.to_owned(), name: name.to_owned(), input: Some(text(input)) };
    event::event(at(1), EventType::UpdateAccepted(update))
}

fn refusal(message: &str) -> Failure {
    Failure {
        error_type: "Refused".to_owned(),
        message: message.to_owned(),
        details: None,
        causes: Vec::new(),
        retriable: false,
    }
}

/// What the core knows of an update.
fn known(guest: &Guest, id: &str) -> Option<Option<UpdateAnswer>> {
    guest.ctx.with(|execution| execution.known_update(id).map(Option::<&_>::cloned))
}

/// Takes updates `set` until one says "end", refuses those that say "no", and ends with what it took.
async fn takes_updates(ctx: Ctx) -> Result<String, Failure> {
    let mut taken = Vec::new();
    loop {
        let Resolution::Update { id, input, .. } =
            ctx.awaited(|execution| execution.next_update(&names(&["set"]))).await
        else {
            panic!("no update")
        };
        if input == "no" {
            ctx.with(|execution| execution.reject_update(&id, refusal("I said no")));
            continue;
        }
        ctx.with(|execution| execution.accept_update(&id));
        taken.push(input.clone());
        ctx.with(|execution| execution.complete_update(&id, Ok(taken.len().to_string())));
        if input == "end" {
            return Ok(taken.join(" "));
        }
    }
}

#[test]
fn signals_come_in_the_order_of_their_arrival_over_all_names() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        let mut seen = Vec::new();
        for _ in 0..3 {
            seen.push(signal(&ctx, &["a", "B"]).await);
        }
        let other = ctx.wait("other", None).await.unwrap();
        Ok(format!("{} {other}", seen.join(" ")))
    });
    let new = vec![raised("b", "1"), raised("other", "9"), raised("A", "2"), raised("b", "3")];
    let turn = guest.play(vec![], started().into_iter().chain(new).collect()).unwrap();
    assert_eq!(only_result(&turn), "b=1 A=2 b=3 9", "and another event is there for who waits for it");
}

#[test]
fn a_signal_that_came_before_anybody_asked_is_there() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        ctx.activity("A", None).await?;
        Ok(format!("{} {}", signal(&ctx, &["b", "a"]).await, signal(&ctx, &["b", "a"]).await))
    });
    let old = started_then([task_scheduled(0, "A"), turn(1), raised("a", "1"), raised("b", "2")]);
    let turn = guest.play(old, vec![turn(2), task_completed(0, "null")]).unwrap();
    assert_eq!(only_result(&turn), "a=1 b=2");
}

#[test]
fn who_gives_up_waiting_for_signals_leaves_them_to_others() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        drop(ctx.awaited(|execution| execution.next_signal(&names(&["a", "b"]))));
        Ok(ctx.wait("a", None).await.unwrap())
    });
    let turn = guest.play(vec![], started().into_iter().chain([raised("a", "1")]).collect()).unwrap();
    assert_eq!(result(&turn), "1");
}

#[test]
fn an_accepted_update_is_answered_and_replays() {
    let mut guest = Guest::new(takes_updates);
    guest.play(vec![], started()).unwrap();
    let first = guest.play(vec![], vec![turn(1), update("u1", "SET", "x")]).unwrap();
    assert_eq!(first.update, Some(UpdateVerdict::Accepted));
    assert_eq!(first.completed_updates, [CompletedUpdate { id: "u1".to_owned(), outcome: Ok("1".to_owned()) }]);
    let recorded = recorded_events(&first, at(1));
    assert!(matches!(&recorded[..], [HistoryEvent { event_type: Some(EventType::UpdateCompleted(_)), .. }]));

    let old: Vec<_> = started_then([turn(1), update("u1", "SET", "x")]).into_iter().chain(recorded).collect();
    let mut again = guest.afresh();
    let second = again.play(old, vec![turn(2), update("u2", "set", "end")]).unwrap();
    assert_eq!(second.completed_updates, [CompletedUpdate { id: "u2".to_owned(), outcome: Ok("2".to_owned()) }]);
    assert_eq!(result(&second), "x end");
}

#[test]
fn a_refused_update_is_told_and_asks_for_nothing() {
    let mut guest = Guest::new(takes_updates);
    guest.play(vec![], started()).unwrap();
    let turn = guest.play(vec![], vec![turn(1), update("u1", "set", "no")]).unwrap();
    assert_eq!(turn.update, Some(UpdateVerdict::Rejected(refusal("I said no"))));
    assert_eq!((turn.actions.len(), turn.completed_updates.len()), (0, 0));
}

#[test]
fn an_update_that_nobody_takes_is_unread() {
    let mut guest = Guest::new(takes_updates);
    guest.play(vec![], started()).unwrap();
    let other = guest.play(vec![], vec![turn(1), update("u1", "unset", "x")]).unwrap();
    assert_eq!(other.update, Some(UpdateVerdict::Unread));

    let mut suspended = guest.afresh();
    suspended.play(vec![], started()).unwrap();
    let turn = suspended.play(vec![], vec![turn(1), event::suspended(at(1)), update("u1", "set", "x")]).unwrap();
    assert_eq!(turn.update, Some(UpdateVerdict::Unread));
}

#[test]
fn code_that_refuses_or_ignores_what_it_had_accepted_is_told() {
    let history = |input: &str| started_then([turn(1), update("u1", "set", input), turn(2), raised("e", "1")]);
    let refuses = Guest::new(takes_updates).play(history("no"), vec![turn(3)]).unwrap_err();
    let ReplayError::Mismatch(mismatch) = refuses else { panic!("{refuses}") };
    assert_eq!(mismatch.event, 5);
    assert!(mismatch.to_string().contains("code now: the update was rejected"), "{mismatch}");

    let mut deaf = Guest::new(async |ctx: Ctx| Ok(ctx.wait("e", None).await.unwrap()));
    let ignores = deaf.play(history("x"), vec![turn(3)]).unwrap_err();
    assert!(ignores.to_string().contains("recorded: update \"set\" was accepted"), "{ignores}");
}

#[test]
fn an_update_of_the_last_turn_that_is_refused_now_is_told_too() {
    let history = started_then([turn(1), update("u1", "set", "no")]);
    let refuses = Guest::new(takes_updates).play(history, vec![turn(2), update("u2", "set", "x")]).unwrap_err();
    assert!(refuses.to_string().contains("code now: the update was rejected"), "{refuses}");

    let undecided = async |ctx: Ctx| {
        ctx.awaited(|execution| execution.next_update(&names(&["set"]))).await;
        Ok(ctx.wait("e", None).await.unwrap())
    };
    let history = started_then([turn(1), update("u1", "set", "x"), turn(2), raised("other", "1")]);
    Guest::new(undecided).play(history, vec![turn(3)]).unwrap_err();
}

#[test]
fn an_update_that_is_asked_for_again_is_not_done_again() {
    let mut guest = Guest::new(takes_updates);
    guest.play(vec![], started()).unwrap();
    let first = guest.play(vec![], vec![turn(1), update("u1", "set", "x")]).unwrap();
    let again = guest.play(recorded_events(&first, at(1)), vec![turn(2), update("u1", "set", "x")]).unwrap();
    assert_eq!((again.update, again.completed_updates.len()), (Some(UpdateVerdict::Unread), 0));
    assert_eq!(known(&guest, "u1"), Some(Some(Ok("1".to_owned()))));
    assert_eq!(known(&guest, "u2"), None);

    // Rebuilt, it knows the same.
    let old: Vec<_> =
        started_then([turn(1), update("u1", "set", "x")]).into_iter().chain(recorded_events(&first, at(1))).collect();
    let mut rebuilt = guest.afresh();
    let again = rebuilt.play(old, vec![turn(2), update("u1", "set", "x")]).unwrap();
    assert_eq!(again.update, Some(UpdateVerdict::Unread));
    assert_eq!(known(&rebuilt, "u1"), Some(Some(Ok("1".to_owned()))));
}

#[test]
fn an_answer_that_code_of_today_gives_earlier_is_told_with_the_next_turn() {
    let history = started_then([turn(1), update("u1", "set", "x"), turn(2), raised("e", "1")]);
    let mut quicker = Guest::new(takes_updates);
    let next = quicker.play(history, vec![turn(3), raised("e", "2")]).unwrap();
    assert_eq!(next.completed_updates, [CompletedUpdate { id: "u1".to_owned(), outcome: Ok("1".to_owned()) }]);
    let after = quicker.play(recorded_events(&next, at(3)), vec![turn(4), raised("e", "3")]).unwrap();
    assert_eq!(after.completed_updates, [], "once");
}

#[test]
fn an_update_that_the_end_leaves_without_an_answer_is_named() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        let Resolution::Update { id, .. } = ctx.awaited(|execution| execution.next_update(&names(&["set"]))).await
        else {
            panic!("no update")
        };
        ctx.with(|execution| execution.accept_update(&id));
        Ok(ctx.wait("e", None).await.unwrap())
    });
    guest.play(vec![], started()).unwrap();
    let accepted = guest.play(vec![], vec![turn(1), update("u1", "set", "x")]).unwrap();
    assert_eq!(accepted.abandoned_updates, [""; 0]);
    assert!(!guest.ctx.with(|execution| execution.takes_update("set")), "nobody waits for another");
    let ended = guest.play(recorded_events(&accepted, at(1)), vec![turn(2), raised("e", "1")]).unwrap();
    assert_eq!(ended.abandoned_updates, ["u1"]);
}

#[test]
fn an_update_that_lies_undecided_counts_as_refused() {
    let mut guest = Guest::new(async |ctx: Ctx| {
        ctx.awaited(|execution| execution.next_update(&names(&["set"]))).await;
        Ok(ctx.wait("e", None).await.unwrap())
    });
    guest.play(vec![], started()).unwrap();
    let turn = guest.play(vec![], vec![turn(1), update("u1", "set", "x")]).unwrap();
    let Some(UpdateVerdict::Rejected(failure)) = turn.update else { panic!("{turn:?}") };
    assert_eq!(failure.error_type, "UpdateNotDecided");
}

//! Who gets a turn, what it is told, and what becomes of it when a worker goes.

use std::collections::BTreeMap;

use everturn_history::history_event::EventType;
use everturn_history::text;
use everturn_runtime::store::{Status, StoreError};
use everturn_runtime::{OrchestratorOptions, RequestError};

use crate::room::{self, Room, id, within};

use super::{answer, begin, call, done, kinds, orchestrator, turn};

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_is_told_the_past_and_what_is_new_and_its_ids_are_kept() {
    let room = Room::new();
    let host = room.open_empty().await;
    begin(&host, "order", "a").await;
    assert_eq!(host.instance(&id("a")).await.unwrap().instance.status, Status::Pending, "it waits for a worker");
    let mut worker = orchestrator(&host);
    let first = turn(&mut worker).await;
    assert_eq!((first.instance_id.as_str(), first.workflow.as_str(), first.known), ("a", "order", 0));
    assert_eq!((kinds(&first.past), kinds(&first.new)), (vec![], vec!["turn".to_owned(), "start".to_owned()]));
    let EventType::ExecutionStarted(start) = first.new[1].event_type.clone().unwrap() else { panic!() };
    assert_eq!(start.input, Some(text("no JSON")));
    host.complete_turn(first.token, answer(vec![call(7, "echo")])).await.unwrap();
    let second = turn(&mut worker).await;
    assert_eq!(kinds(&second.past), ["turn", "start", "call 7 echo"]);
    assert_eq!(kinds(&second.new), ["turn", "done 7"]);
    let late = host.complete_turn(first.token, done("again")).await.unwrap_err();
    assert!(matches!(late, RequestError::Store(StoreError::StaleToken { .. })), "{late}");
    host.complete_turn(second.token, done("7")).await.unwrap();
    let ended = room::end(&host, "a").await;
    assert_eq!((ended.status, ended.outcome.unwrap().result), (Status::Completed, Some(text("7"))));
    let history = host.history(&id("a")).await.unwrap();
    assert_eq!(kinds(&history), ["turn", "start", "call 7 echo", "turn", "done 7", "end"]);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_keeps_history_gets_only_what_came_since() {
    let room = Room::new();
    let host = room.open_empty().await;
    let options = OrchestratorOptions { workflows: None, capacity: 10, keeps_history: true };
    let mut worker = host.connect_orchestrator(options.clone());
    begin(&host, "order", "a").await;
    for number in 1..4 {
        let next = turn(&mut worker).await;
        let expected: Vec<String> = match number {
            1 => vec![],
            2 => ["turn", "start", "call 1 echo"].map(str::to_owned).into(),
            _ => ["turn", "done 1", "call 2 echo"].map(str::to_owned).into(),
        };
        assert_eq!((next.known, kinds(&next.past)), (if number == 3 { 3 } else { 0 }, expected), "turn {number}");
        host.complete_turn(next.token, answer(vec![call(number, "echo")])).await.unwrap();
    }
    // Another worker has nothing of it.
    let lost = turn(&mut worker).await;
    assert_eq!(lost.known, 6);
    drop(worker);
    let mut other = host.connect_orchestrator(options);
    let again = turn(&mut other).await;
    assert_eq!((again.known, again.past.len()), (0, 9));
    assert_eq!(kinds(&again.new), kinds(&lost.new));
    host.complete_turn(again.token, done("1")).await.unwrap();
    assert_eq!(room::end(&host, "a").await.status, Status::Completed);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_of_a_lost_worker_is_given_to_another_and_so_is_one_that_is_given_back() {
    let room = Room::new();
    let host = room.open_empty().await;
    let mut first = orchestrator(&host);
    begin(&host, "order", "a").await;
    let lost = turn(&mut first).await;
    drop(first);
    let mut second = orchestrator(&host);
    let again = turn(&mut second).await;
    assert_ne!(again.token, lost.token);
    let late = host.complete_turn(lost.token, done("late")).await.unwrap_err();
    assert!(matches!(late, RequestError::Store(StoreError::StaleToken { .. })), "{late}");
    assert!(host.abandon_turn(again.token));
    assert!(!host.abandon_turn(again.token), "it has it no more");
    let third = turn(&mut second).await;
    host.complete_turn(third.token, done("1")).await.unwrap();
    let ended = room::end(&host, "a").await;
    assert_eq!(ended.outcome.unwrap().result, Some(text("1")));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_whose_time_runs_out_is_given_out_again() {
    let mut room = Room::new();
    room.options.lease = std::time::Duration::from_millis(20);
    let host = room.open_empty().await;
    let mut worker = orchestrator(&host);
    begin(&host, "order", "a").await;
    let lost = turn(&mut worker).await;
    let again = turn(&mut worker).await;
    assert_ne!(again.token, lost.token);
    assert!(host.statistics().lost_leases >= 1);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn turns_wait_for_a_place_and_none_is_lost() {
    let room = Room::new();
    let host = room.open_empty().await;
    for number in 0..50 {
        begin(&host, "order", &format!("i{number}")).await;
    }
    let workflows = Some(BTreeMap::from([("order".to_owned(), vec![])]));
    let mut worker = host.connect_orchestrator(OrchestratorOptions { workflows, capacity: 3, keeps_history: false });
    begin(&host, "refund", "other").await;
    let mut had = Vec::new();
    while had.len() < 50 {
        let mut turns = Vec::new();
        while turns.len() < 3.min(50 - had.len()) {
            turns.push(turn(&mut worker).await);
        }
        assert_eq!(host.statistics().remote_turns, turns.len() as u64);
        for turn in turns {
            had.push(turn.instance_id.to_string());
            host.complete_turn(turn.token, done("1")).await.unwrap();
        }
    }
    had.sort();
    had.dedup();
    assert_eq!(had.len(), 50);
    let view = host.instance(&id("other")).await.unwrap();
    assert_eq!(view.warnings, ["it waits for a worker that has workflow `refund`; none is connected"]);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_for_a_worker_waits_through_a_restart_too() {
    let room = Room::new();
    let host = room.open_empty().await;
    let mut worker = orchestrator(&host);
    begin(&host, "order", "a").await;
    let first = turn(&mut worker).await;
    host.complete_turn(first.token, answer(vec![call(1, "echo")])).await.unwrap();
    let _out = turn(&mut worker).await;
    room::stop(host).await;
    drop(worker);
    let host = room.open_empty().await;
    let mut worker = orchestrator(&host);
    let again = turn(&mut worker).await;
    assert_eq!((again.past.len(), kinds(&again.new)), (3, vec!["turn".to_owned(), "done 1".to_owned()]));
    host.complete_turn(again.token, done("1")).await.unwrap();
    assert_eq!(room::end(&host, "a").await.status, Status::Completed);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_of_an_activity_is_kept_while_no_worker_takes_turns() {
    let room = Room::new();
    let host = room.open_empty().await;
    let mut worker = orchestrator(&host);
    begin(&host, "order", "a").await;
    let first = turn(&mut worker).await;
    host.complete_turn(first.token, answer(vec![call(1, "charge")])).await.unwrap();
    drop(worker);
    let mut activities = room::worker(&host, &["charge"], 1);
    let task = room::next(&mut activities).await;
    assert_eq!((task.execution_id.as_str(), task.scheduled.name.as_str()), (first.execution_id.as_str(), "charge"));
    // It is taken although nobody can take the turn that sees it.
    within(host.complete_task(task.token, Ok(None))).await.unwrap();
    let late = host.complete_task(task.token, Ok(None)).await.unwrap_err();
    assert!(matches!(late, RequestError::Store(StoreError::StaleToken { .. })), "{late}");
    let mut worker = orchestrator(&host);
    let second = turn(&mut worker).await;
    assert_eq!(kinds(&second.new), ["turn", "done 1"]);
    room::stop(host).await;
}

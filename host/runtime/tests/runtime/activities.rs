//! Activities: who does what, under which names and tokens, how often, and what happens when a worker is lost.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use everturn_history::history_event::EventType;
use everturn_replay::Failure;
use everturn_runtime::store::{Status, StoreError};
use everturn_runtime::{Activities, ActivityError, RequestError, Runtime, SignOfLife, Worker, WorkerOptions};
use everturn_test_guests::script::{Outcome, Seen, Step};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::room::{self, Room, activity, play, retried, wait};

fn failure(error_type: &str) -> Failure {
    Failure {
        error_type: error_type.to_owned(),
        message: "on purpose".to_owned(),
        details: None,
        causes: Vec::new(),
        retriable: true,
    }
}

fn completed(value: Value) -> Seen {
    Seen::Activity(Outcome::Completed(value))
}

pub(crate) fn is_stale(answer: &Result<(), RequestError>) -> bool {
    matches!(answer, Err(RequestError::Store(StoreError::StaleToken { .. })))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_attempt_is_new_a_call_stays_the_same_and_so_does_a_dispatch_again() {
    let room = Room::new();
    let host = room.open().await;
    let mut worker = room::worker(&host, &["A"], 1);
    let again = Step::ContinueAsNew { steps: vec![activity("A", 2)], keep_unread_events: true };
    play(&host, "order", &[retried("A", 1, 2), again]).await;

    let first = room::next(&mut worker).await;
    drop(worker);
    let mut worker = room::worker(&host, &["A"], 1);
    let dispatched_again = room::next(&mut worker).await;
    host.complete_activity(dispatched_again.token, Err(failure("Again"))).await.unwrap();
    let second = room::next(&mut worker).await;
    host.complete_activity(second.token, Ok("1".into())).await.unwrap();
    let next_generation = room::next(&mut worker).await;
    host.complete_activity(next_generation.token, Ok("2".into())).await.unwrap();
    assert_eq!(room::log(&host, "order").await, [completed(json!(2))]);

    let tasks = [first, dispatched_again, second, next_generation];
    let seen: Vec<_> = tasks.iter().map(|task| (task.call.id(), task.call.attempt, task.call.dispatch)).collect();
    let expected = [("order::0::0", 1, 1), ("order::0::0", 1, 2), ("order::2::0", 2, 1), ("order::0::1", 1, 1)];
    assert_eq!(seen, expected.map(|(id, attempt, dispatch)| (id.to_owned(), attempt, dispatch)));
    let calls: Vec<_> = tasks.iter().map(|task| &task.call.task_execution_id).collect();
    assert!(calls[0] == calls[1] && calls[1] == calls[2] && calls[2] != calls[3], "{calls:?}");
    for (index, task) in tasks.iter().enumerate() {
        assert!(tasks[..index].iter().all(|other| other.token != task.token), "a token was used twice");
    }
    assert_eq!(host.statistics().lost_leases, 1);
    room::stop(host).await;
}

/// The worker has a task and does not answer; somebody else does; then the first one comes back.
async fn zombie(host: &Runtime, worker: Worker, lose: impl AsyncFnOnce(Worker)) {
    let mut worker = worker;
    play(host, "a", &[activity("A", 1), wait("end")]).await;
    let lost = room::next(&mut worker).await;
    lose(worker).await;
    let mut other = room::worker(host, &["A"], 1);
    let taken = room::next(&mut other).await;
    assert_ne!(taken.token, lost.token);
    assert!(is_stale(&host.complete_activity(lost.token, Ok("\"zombie\"".into())).await));
    assert!(!host.heartbeat(lost.token) && host.heartbeat(taken.token));
    host.complete_activity(taken.token, Ok("\"alive\"".into())).await.unwrap();
    assert!(is_stale(&host.complete_activity(lost.token, Ok("\"zombie\"".into())).await));
    assert!(is_stale(&host.complete_activity(taken.token, Ok("\"twice\"".into())).await));
    room::raise(host, "a", "end", 1).await;
    assert_eq!(room::log(host, "a").await[0], completed(json!("alive")));
    let answers = room::history(host, "a").await;
    let answers = answers.iter().filter(|event| matches!(event, EventType::TaskCompleted(_))).count();
    let statistics = host.statistics();
    assert_eq!((answers, statistics.answers, statistics.stale_answers), (1, 1, 3));
    assert!(statistics.lost_leases >= 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_answer_of_a_worker_that_was_lost_is_refused_and_counted() {
    let room = Room::new();
    let host = room.open().await;
    let worker = room::worker(&host, &["A"], 1);
    zombie(&host, worker, async |worker| drop(worker)).await;
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_that_lapsed_is_given_to_another_and_the_late_answer_is_refused() {
    let mut room = Room::new();
    room.options.lease = Duration::from_millis(200);
    let host = room.open().await;
    let worker = room::worker(&host, &["A"], 1);
    let runtime = host.clone();
    zombie(&host, worker, async move |worker| {
        // It stays connected, and does nothing.
        room::until_true(async || runtime.statistics().lost_leases >= 1).await;
        drop(worker);
    })
    .await;
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_whose_connection_shows_that_it_is_alive_keeps_its_task() {
    let mut room = Room::new();
    room.options.lease = Duration::from_millis(50);
    let host = room.open().await;
    let names = |name: &str| Some([name.to_owned()].into());
    let connected = WorkerOptions { activities: names("A"), capacity: 1, life: SignOfLife::Connection };
    let mut connected = host.connect_worker(connected);
    play(&host, "a", &[activity("A", 1)]).await;
    let kept = room::next(&mut connected).await;
    // Another one that began later loses its task meanwhile.
    let mut silent = room::worker(&host, &["B"], 1);
    play(&host, "b", &[activity("B", 1)]).await;
    room::next(&mut silent).await;
    room::until_true(async || host.statistics().lost_leases >= 1).await;
    host.complete_activity(kept.token, Ok("1".into())).await.unwrap();
    assert_eq!(room::end(&host, "a").await.status, Status::Completed);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_of_an_instance_that_was_terminated_is_told_to_stop() {
    let room = Room::new();
    let host = room.open().await;
    let mut worker = room::worker(&host, &["A"], 1);
    play(&host, "a", &[activity("A", 1)]).await;
    let task = room::next(&mut worker).await;
    assert!(host.heartbeat(task.token));
    host.terminate(&room::id("a"), None, false).await.unwrap();
    assert_eq!(room::end(&host, "a").await.status, Status::Terminated);
    room::until_true(async || !host.heartbeat(task.token)).await;
    assert!(is_stale(&host.complete_activity(task.token, Ok("1".into())).await));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_gets_no_more_than_it_can_take() {
    let room = Room::new();
    let host = room.open().await;
    let mut worker = room::worker(&host, &["step"], 3);
    room::start(&host, "fan_out", "a", &10).await;
    let mut tasks = Vec::new();
    for _ in 0..3 {
        tasks.push(room::next(&mut worker).await);
    }
    for left in (0..10).rev() {
        assert_eq!(host.statistics().running_activities, tasks.len() as u64);
        assert_eq!(host.statistics().dispatches, 10 - left - 1 + tasks.len() as u64);
        let task = tasks.remove(0);
        host.complete_activity(task.token, Ok(task.call.input)).await.unwrap();
        if left >= 3 {
            tasks.push(room::next(&mut worker).await);
        }
    }
    assert_eq!(room::result(&host, "a").await, json!([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backlog_is_done_in_order_and_once() {
    let begun = Arc::new(Mutex::new(Vec::new()));
    let (most, now) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let activities = {
        let (begun, most, now) = (Arc::clone(&begun), Arc::clone(&most), Arc::clone(&now));
        Activities::new().with("step", move |_context, number: usize| {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            begun.lock().unwrap().push(number);
            let now = Arc::clone(&now);
            async move {
                tokio::task::yield_now().await;
                now.fetch_sub(1, Ordering::SeqCst);
                Ok::<_, ActivityError>(number)
            }
        })
    };
    let mut room = Room::with(activities);
    room.options.parallel_activities = 3;
    let host = room.open().await;
    room::start(&host, "fan_out", "a", &500).await;
    assert_eq!(room::result(&host, "a").await.as_array().unwrap().len(), 500);
    let begun = begun.lock().unwrap().clone();
    let mut sorted = begun.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, (0..500).collect::<Vec<_>>(), "each once");
    // Who is scheduled first has a place first. Of those before somebody who begins, only those have not begun that have the
    // other places, however long the machine lets them wait for a thread.
    for (place, number) in begun.iter().enumerate() {
        let behind = begun[place..].iter().filter(|later| *later < number).count();
        assert!(behind <= 2, "{behind} before {number} begin after it: {begun:?}");
    }
    assert!(most.load(Ordering::SeqCst) <= 3);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_activity_that_nobody_has_waits_for_a_worker_and_is_warned_about() {
    let room = Room::with(Activities::new());
    let host = room.open().await;
    play(&host, "a", &[activity("rare", 1)]).await;
    room::until(&host, "a", |instance| instance.turns == 1).await;
    let view = host.instance(&room::id("a")).await.unwrap();
    let offers_none = "it waits for activity `rare`, which no worker offers; workers offer none at all";
    assert_eq!(view.warnings, [offers_none]);
    let others = room::worker(&host, &["rate", "pack"], 1);
    let view = host.instance(&room::id("a")).await.unwrap();
    let offers_others = "it waits for activity `rare`, which no worker offers; they offer `pack`, `rate`";
    assert_eq!(view.warnings, [offers_others], "who misspelt it sees it");
    drop(others);
    assert_eq!(view.open.tasks.len(), 1);
    let mut worker = room::worker(&host, &["rare"], 1);
    let task = room::next(&mut worker).await;
    assert_eq!(host.instance(&room::id("a")).await.unwrap().warnings, [""; 0]);
    host.complete_activity(task.token, Ok("1".into())).await.unwrap();
    assert_eq!(room::log(&host, "a").await, [completed(json!(1))]);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_activity_that_a_stop_cut_off_is_done_again() {
    let (begun, calls) = (Arc::new(Notify::new()), Arc::new(Mutex::new(Vec::new())));
    let activities = {
        let (begun, calls) = (Arc::clone(&begun), Arc::clone(&calls));
        Activities::new().with("slow", move |context, (): ()| {
            let call = context.call().clone();
            let is_first = call.dispatch == 1;
            calls.lock().unwrap().push((call.task_execution_id, call.attempt, call.dispatch));
            begun.notify_one();
            async move {
                if is_first {
                    std::future::pending::<()>().await;
                }
                Ok::<_, ActivityError>("done")
            }
        })
    };
    let room = Room::with(activities);
    let host = room.open().await;
    play(&host, "a", &[activity("slow", Value::Null)]).await;
    room::within(begun.notified()).await;
    host.stop(Duration::from_millis(1)).await;
    let host = room.open_empty().await;
    assert_eq!(room::log(&host, "a").await, [completed(json!("done"))]);
    let calls = calls.lock().unwrap().clone();
    assert_eq!(calls.iter().map(|(_, attempt, dispatch)| (*attempt, *dispatch)).collect::<Vec<_>>(), [(1, 1), (1, 2)]);
    assert_eq!(calls[0].0, calls[1].0, "the call is the same");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_that_come_and_go_lose_nothing_and_never_fail_a_call() {
    let room = Room::with(Activities::new());
    let host = room.open().await;
    for number in 0..20 {
        room::start(&host, "sequential", &format!("s{number}"), &5).await;
    }
    let (mut answered, mut lost) = (0, 0);
    while answered < 100 {
        let mut worker = room::worker(&host, &["step"], 4);
        // Each worker answers one task, and takes the others with it.
        let task = room::next(&mut worker).await;
        match host.complete_activity(task.token, Ok("1".into())).await {
            Ok(()) => answered += 1,
            Err(error) => panic!("{error}"),
        }
        drop(worker);
        lost += 1;
    }
    for number in 0..20 {
        assert_eq!(room::result(&host, &format!("s{number}")).await, json!(5));
    }
    assert_eq!(host.statistics().answers, 100, "with {lost} workers");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_may_be_lost_on_any_thread() {
    let room = Room::with(Activities::new());
    let host = room.open().await;
    let mut worker = room::worker(&host, &["A"], 1);
    play(&host, "a", &[activity("A", 1)]).await;
    room::next(&mut worker).await;
    std::thread::spawn(move || drop(worker)).join().unwrap();
    let mut other = room::worker(&host, &["A"], 1);
    assert_eq!(room::next(&mut other).await.call.dispatch, 2);
    room::stop(host).await;
}

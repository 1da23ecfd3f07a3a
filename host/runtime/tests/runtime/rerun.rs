//! Running an instance again from some point of its history, as a new one.

use std::sync::{Arc, Mutex};

use everturn_history::SequenceId;
use everturn_history::history_event::EventType;
use everturn_runtime::store::StoreError;
use everturn_runtime::{Activities, ActivityError, RequestError, RerunRequest, Runtime};
use everturn_test_guests::script::{Seen, Step};
use serde_json::{Value, json};

use crate::room::{self, Room, activity, child, join, play, timer, wait};

/// Each call of activity `note`, with its task execution id.
type Notes = Arc<Mutex<Vec<(Value, String)>>>;

fn noting() -> (Room, Notes) {
    let notes = Notes::default();
    let noted = Arc::clone(&notes);
    let activities = Activities::new().with("note", move |context, input: Value| {
        noted.lock().unwrap().push((input.clone(), context.call().task_execution_id.clone()));
        async move { Ok::<_, ActivityError>(input) }
    });
    (Room::with(activities), notes)
}

fn again(from: i32, new_id: &str, input: Option<&str>) -> RerunRequest {
    let (from, new_id) = (SequenceId::new(from), Some(new_id.into()));
    RerunRequest { from, new_id, input: input.map(str::to_owned), ..RerunRequest::default() }
}

async fn refusal(host: &Runtime, id: &str, from: i32) -> RequestError {
    host.rerun(&room::id(id), again(from, "never", None)).await.unwrap_err()
}

#[tokio::test(flavor = "multi_thread")]
async fn from_an_activity_on_it_is_done_again_with_or_without_another_input() {
    let (room, notes) = noting();
    let host = room.open().await;
    play(&host, "a", &[Step::Uuid, activity("note", 1), activity("note", 2), Step::Uuid, activity("note", 3)]).await;
    let first = room::log(&host, "a").await;
    assert!(host.rerun(&room::id("a"), again(1, "b", None)).await.unwrap().is_new);
    assert_eq!(room::log(&host, "b").await, first, "the same code, answers and random numbers");
    host.rerun(&room::id("a"), again(1, "c", Some("20"))).await.unwrap();
    let changed = room::log(&host, "c").await;
    assert_eq!(serde_json::to_value(&changed[2]).unwrap(), json!({"activity": {"completed": 20}}));
    assert_eq!((&changed[0], &changed[3]), (&first[0], &first[3]));

    let notes = notes.lock().unwrap().clone();
    let inputs: Vec<_> = notes.iter().map(|(input, _)| input.as_i64().unwrap()).collect();
    assert_eq!(inputs, [1, 2, 3, 2, 3, 20, 3], "what was before is not done again");
    let mut calls: Vec<_> = notes.iter().map(|(_, call)| call).collect();
    calls.sort();
    calls.dedup();
    assert_eq!(calls.len(), 7, "what is done again is another call: {notes:?}");
    let names = |event: &EventType| matches!(event, EventType::TaskScheduled(task) if task.rerun_parent_instance_info.is_some());
    assert_eq!(room::history(&host, "c").await.iter().filter(|event| names(event)).count(), 1);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_done_again_survives_a_restart_and_every_turn_by_replay() {
    let (mut room, notes) = noting();
    room.options.live_guests = 0;
    let host = room.open().await;
    play(&host, "a", &[activity("note", 1), activity("note", 2), wait("go"), activity("note", 3)]).await;
    room::until(&host, "a", |instance| instance.turns == 3).await;
    room::raise(&host, "a", "go", "first").await;
    room::log(&host, "a").await;
    host.rerun(&room::id("a"), again(1, "b", None)).await.unwrap();
    room::until_true(async || notes.lock().unwrap().len() == 4).await;
    room::stop(host).await;
    let host = room.open_empty().await;
    room::raise(&host, "b", "go", "second").await;
    assert_eq!(room::log(&host, "b").await[2], Seen::Event(Some(json!("second"))));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn from_a_timer_or_a_child_on_it_is_done_again() {
    let (room, notes) = noting();
    let host = room.open().await;
    play(&host, "a", &[activity("note", 1), timer(10), child("script", json!([activity("note", 2)]))]).await;
    let first = room::log(&host, "a").await;
    host.rerun(&room::id("a"), again(1, "from timer", None)).await.unwrap();
    assert_eq!(room::log(&host, "from timer").await, first);
    host.rerun(&room::id("a"), again(2, "from child", None)).await.unwrap();
    assert_eq!(room::log(&host, "from child").await, first);
    let other = json!([activity("note", 3)]).to_string();
    host.rerun(&room::id("a"), again(2, "other child", Some(&other))).await.unwrap();
    let changed = room::log(&host, "other child").await;
    let completed = json!({"child": {"completed": [{"activity": {"completed": 3}}]}});
    assert_eq!(serde_json::to_value(&changed[2]).unwrap(), completed);
    let inputs: Vec<_> = notes.lock().unwrap().iter().map(|(input, _)| input.as_i64().unwrap()).collect();
    assert_eq!(inputs, [1, 2, 2, 2, 3]);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_begun_at_the_same_time_is_done_again_too() {
    let (room, notes) = noting();
    let host = room.open().await;
    play(&host, "a", &[join(vec![activity("note", 1), activity("note", 2), timer(5)]), activity("note", 3)]).await;
    let first = room::log(&host, "a").await;
    host.rerun(&room::id("a"), again(1, "b", None)).await.unwrap();
    assert_eq!(room::log(&host, "b").await, first);
    assert_eq!(notes.lock().unwrap().len(), 6);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_run_again_is_refused_and_nothing_is_made() {
    let (room, _) = noting();
    let host = room.open().await;
    play(&host, "open", &[activity("note", 1), wait("go")]).await;
    room::until(&host, "open", |instance| instance.turns == 2).await;
    let open = refusal(&host, "open", 0).await;
    assert!(matches!(open, RequestError::Store(StoreError::Open { .. })), "{open}");
    assert!(matches!(refusal(&host, "nobody", 0).await, RequestError::Store(StoreError::NotFound { .. })));
    room::raise(&host, "open", "go", 1).await;
    room::log(&host, "open").await;
    for from in [-1, 7] {
        let unknown = refusal(&host, "open", from).await;
        assert!(matches!(unknown, RequestError::CannotRerun { .. }), "{unknown}");
    }
    let bad = host.rerun(&room::id("open"), again(0, "never", Some("{"))).await.unwrap_err();
    assert!(matches!(bad, RequestError::InvalidPayload { .. }), "{bad}");
    let in_use = host.rerun(&room::id("open"), again(0, "open", None)).await.unwrap_err();
    assert!(matches!(in_use, RequestError::Store(StoreError::AlreadyExists { .. })), "{in_use}");
    assert!(host.instance(&room::id("never")).await.is_err());
    room::stop(host).await;
}

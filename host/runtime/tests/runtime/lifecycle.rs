//! From a start to an end, with all that a workflow may ask for on the way.

use everturn_runtime::store::Status;
use everturn_test_guests::script::{Outcome, Seen, Step};
use serde_json::{Value, json};

use crate::room::{self, Room, activity, child, play, result, retried, timer, wait};

#[tokio::test(flavor = "multi_thread")]
async fn a_workflow_runs_to_its_result() {
    let room = Room::new();
    let host = room.open().await;
    play(&host, "a", &[activity("echo", "hello"), timer(5), activity("echo", 2)]).await;
    let seen = room::log(&host, "a").await;
    let completed = |value: Value| Seen::Activity(Outcome::Completed(value));
    assert_eq!(seen, [completed(json!("hello")), Seen::Timer, completed(json!(2))]);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failing_activity_is_tried_again_and_its_failure_told() {
    let room = Room::new();
    let host = room.open().await;
    play(&host, "a", &[retried("fail", "no luck", 3)]).await;
    let failed = Outcome::Failed { error_type: "Failed".into(), message: "no luck".into() };
    assert_eq!(room::log(&host, "a").await, [Seen::Activity(failed)]);
    assert_eq!(host.statistics().dispatches, 3);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_child_answers_its_parent() {
    let room = Room::new();
    let host = room.open().await;
    let steps = vec![activity("echo", 7)];
    play(&host, "a", &[child("script", json!(steps)), child("script", json!("no script"))]).await;
    let seen = room::log(&host, "a").await;
    let completed = Seen::Child(Outcome::Completed(json!([{"activity": {"completed": 7}}])));
    assert_eq!(seen[0], completed);
    assert!(matches!(&seen[1], Seen::Child(Outcome::Failed { .. })), "{seen:?}");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn events_reach_whoever_waits_for_them() {
    let room = Room::new();
    let host = room.open().await;
    play(&host, "waiting", &[wait("go"), wait("go")]).await;
    host.raise_event(&room::id("waiting"), "GO", Some("1".into())).await.unwrap();
    let raise = Step::RaiseEvent { instance_id: "waiting".into(), event: "go".into(), data: json!(2) };
    play(&host, "raising", &[raise]).await;
    assert_eq!(room::log(&host, "waiting").await, [Seen::Event(Some(json!(1))), Seen::Event(Some(json!(2)))]);
    room::stop(host).await;
}

/// It is told from memory, to whoever waited when it came.
#[tokio::test(flavor = "multi_thread")]
async fn who_waits_for_an_end_is_told_what_is_on_disk() {
    let room = Room::new();
    let host = room.open().await;
    let id = room::id("a");
    play(&host, "a", &[activity("echo", 1), Step::CustomStatus(json!("almost")), wait("go")]).await;
    room::until(&host, "a", |instance| instance.turns == 2).await;
    let mut waiting = Box::pin(host.wait(&id));
    assert!(futures::poll!(&mut waiting).is_pending());
    room::raise(&host, "a", "go", 1).await;
    let told = waiting.await.unwrap();
    assert_eq!(told.status, Status::Completed);
    assert_eq!(told, host.wait(&id).await.unwrap(), "this one was read");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_stops_goes_on_where_it_was() {
    let room = Room::new();
    let host = room.open().await;
    play(&host, "a", &[activity("echo", 1), wait("go"), activity("echo", 2)]).await;
    room::until(&host, "a", |instance| instance.events >= 5).await;
    room::stop(host).await;
    let host = room.open_empty().await;
    host.raise_event(&room::id("a"), "go", None).await.unwrap();
    assert_eq!(room::log(&host, "a").await.len(), 3);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_workflow_that_continues_as_new_begins_again() {
    let room = Room::new();
    let host = room.open().await;
    let rest = vec![wait("go"), activity("echo", 1)];
    play(&host, "a", &[wait("begin"), Step::ContinueAsNew { steps: rest, keep_unread_events: true }]).await;
    host.raise_event(&room::id("a"), "go", Some("\"kept\"".into())).await.unwrap();
    host.raise_event(&room::id("a"), "begin", None).await.unwrap();
    let log = result(&host, "a").await;
    assert_eq!(log, json!([{"event": "kept"}, {"activity": {"completed": 1}}]));
    let view = host.instance(&room::id("a")).await.unwrap();
    assert_eq!((view.instance.generation, view.instance.status), (1, Status::Completed));
    room::stop(host).await;
}

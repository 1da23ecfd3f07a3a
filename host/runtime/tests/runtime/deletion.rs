//! How instances go away: by hand, by the many, and by themselves when their time is over.

use std::time::Duration;

use everturn_runtime::store::{Filter, Status, StoreError};
use everturn_runtime::{RequestError, Retention, Runtime};
use everturn_test_guests::script::Step;
use serde_json::json;

use crate::room::{self, Room, activity, child, play, wait};

async fn ids(host: &Runtime) -> Vec<String> {
    let page = host.list(Filter::default(), None, 100).await.unwrap();
    let mut ids: Vec<_> = page.instances.into_iter().map(|instance| instance.id.to_string()).collect();
    ids.sort();
    ids
}

fn is_open(error: &RequestError) -> bool {
    matches!(error, RequestError::Store(StoreError::Open { .. }))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_instance_is_deleted_only_by_force() {
    let room = Room::new();
    let host = room.open().await;
    let mut worker = room::worker(&host, &["A"], 1);
    play(&host, "a", &[activity("A", 1)]).await;
    let task = room::next(&mut worker).await;
    assert!(is_open(&host.purge(&room::id("a"), false, false).await.unwrap_err()));
    let waiting = tokio::spawn({
        let host = host.clone();
        async move { host.wait(&room::id("a")).await }
    });
    assert_eq!(host.purge(&room::id("a"), false, true).await.unwrap(), 1);
    let gone = room::within(waiting).await.unwrap().unwrap_err();
    assert!(matches!(gone, RequestError::Store(StoreError::NotFound { .. })), "{gone}");
    assert!(!host.heartbeat(task.token), "its worker may stop");
    assert_eq!(ids(&host).await, [""; 0]);
    play(&host, "a", &[activity("echo", 2)]).await;
    assert_eq!(room::result(&host, "a").await, json!([{"activity": {"completed": 2}}]), "the id is free");
    assert_eq!(host.purge(&room::id("a"), false, false).await.unwrap(), 1);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_family_is_deleted_as_a_whole_or_refused_as_a_whole() {
    let room = Room::new();
    let host = room.open().await;
    let grandchild = child("script", json!([wait("go")]));
    play(&host, "a", &[child("script", json!([grandchild]))]).await;
    room::until_status(&host, "a:0.1:0.1", Status::Running).await;
    host.terminate(&room::id("a"), None, false).await.unwrap();
    room::end(&host, "a").await;
    assert!(is_open(&host.purge(&room::id("a"), true, false).await.unwrap_err()), "its child is open");
    assert_eq!(ids(&host).await, ["a", "a:0.1", "a:0.1:0.1"]);
    assert_eq!(host.purge(&room::id("a"), true, true).await.unwrap(), 3);
    assert_eq!(ids(&host).await, [""; 0]);
    room::stop(host).await;
}

/// An id that was free again may have gone to a descendant of who had it.
#[tokio::test(flavor = "multi_thread")]
async fn a_family_whose_ids_go_round_in_a_circle_is_deleted() {
    let room = Room::new();
    let host = room.open().await;
    for id in ["a", "b"] {
        play(&host, id, &[]).await;
        room::log(&host, id).await;
    }
    room::stop(host).await;
    let file = rusqlite::Connection::open(room.file()).unwrap();
    file.execute("UPDATE instance SET parent_id = iif(id = 'a', 'b', 'a'), parent_execution_id = '', parent_task = 0, parent_close = 0", []).unwrap();
    drop(file);
    let host = room.open_empty().await;
    assert_eq!(room::within(host.purge(&room::id("a"), true, false)).await.unwrap(), 2);
    assert_eq!(ids(&host).await, [""; 0]);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_fits_a_filter_and_has_ended_is_deleted() {
    let room = Room::new();
    let host = room.open().await;
    for id in ["x-1", "x-2", "y-1"] {
        play(&host, id, &[]).await;
        room::log(&host, id).await;
    }
    play(&host, "x-failed", &[Step::Fail { error_type: "No".into() }]).await;
    room::end(&host, "x-failed").await;
    play(&host, "x-open", &[wait("go")]).await;
    let completed = Filter { id_prefix: Some("x-".into()), statuses: vec![Status::Completed], ..Filter::default() };
    assert_eq!(host.purge_matching(completed).await.unwrap(), 2);
    assert_eq!(ids(&host).await, ["x-failed", "x-open", "y-1"]);
    let open = Filter { statuses: vec![Status::Running], ..Filter::default() };
    assert!(matches!(host.purge_matching(open).await.unwrap_err(), RequestError::InvalidName { .. }));
    assert_eq!(host.purge_matching(Filter::default()).await.unwrap(), 2);
    assert_eq!(ids(&host).await, ["x-open"]);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn instances_are_kept_as_long_as_their_status_says() {
    let mut room = Room::new();
    let (zero, hour) = (Some(Duration::ZERO), Some(Duration::from_secs(60 * 60)));
    room.options.retention = Retention { completed: hour, failed: zero, terminated: None };
    let host = room.open().await;
    play(&host, "completed", &[]).await;
    room::log(&host, "completed").await;
    play(&host, "terminated", &[wait("go")]).await;
    host.terminate(&room::id("terminated"), None, false).await.unwrap();
    room::end(&host, "terminated").await;
    // By now it sleeps for the one that completed: what fails must wake it.
    for number in 0..3 {
        play(&host, &format!("failed-{number}"), &[Step::Fail { error_type: "No".into() }]).await;
        room::until_true(async || host.statistics().purged == number + 1).await;
    }
    assert_eq!(ids(&host).await, ["completed", "terminated"]);
    room::stop(host).await;
    room.options.retention = Retention { completed: zero, ..Retention::default() };
    let host = room.open_empty().await;
    room::until_true(async || host.statistics().purged == 1).await;
    assert_eq!(ids(&host).await, ["terminated"], "what ended long ago goes at the start");
    room::stop(host).await;
}

//! Signals, queries and updates on the durable host: through restarts, without live guests, and what they leave behind.

use everturn_history::history_event::EventType;
use everturn_runtime::store::{Status, StoreError};
use everturn_runtime::{RequestError, Runtime, UpdateOutcome};
use serde_json::{Value, json};

use crate::room::{self, Room, id, within};

/// Takes notes until it is done; its activity `A` is with a worker that never answers.
async fn takes_notes(host: &Runtime) {
    room::start(host, "takes_notes", "a", &"zero").await;
    room::until_status(host, "a", Status::Running).await;
}

async fn texts(host: &Runtime) -> Value {
    serde_json::from_str(&within(host.query(&id("a"), "texts", None)).await.unwrap()).unwrap()
}

async fn update(host: &Runtime, name: &str, input: &Value, update: Option<&str>) -> UpdateOutcome {
    let input = Some(input.to_string());
    within(host.update(&id("a"), name, input, update.map(str::to_owned))).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_tells_the_state_and_leaves_nothing_behind() {
    let room = Room::new();
    let host = room.open().await;
    takes_notes(&host).await;
    assert_eq!(texts(&host).await, json!(["zero"]));
    host.signal(&id("a"), "note", Some("\"one\"".to_owned())).await.unwrap();
    room::until_true(async || texts(&host).await == json!(["zero", "one"])).await;
    let before = host.history(&id("a")).await.unwrap();
    let place = host.query(&id("a"), "text", Some("1".to_owned())).await.unwrap();
    assert_eq!(place, "\"one\"");
    assert_eq!(host.history(&id("a")).await.unwrap(), before);
    room::stop(host).await;
    let host = room.open().await;
    assert_eq!(texts(&host).await, json!(["zero", "one"]), "it is rebuilt");
    host.terminate(&id("a"), None, false).await.unwrap();
    room::end(&host, "a").await;
    assert_eq!(texts(&host).await, json!(["zero", "one"]), "after its end too");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_sees_what_was_sent_before_it() {
    let room = Room::new();
    let host = room.open().await;
    room::start(&host, "takes_notes", "a", &"zero").await;
    assert_eq!(texts(&host).await, json!(["zero"]), "its first turn too");
    let mut expected = vec!["zero".to_owned()];
    for number in 0..20 {
        expected.push(number.to_string());
        host.signal(&id("a"), "note", Some(format!("\"{number}\""))).await.unwrap();
        assert_eq!(texts(&host).await, json!(expected));
    }
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_workflow_does_not_handle_is_refused_with_what_it_does() {
    let room = Room::new();
    let host = room.open().await;
    takes_notes(&host).await;
    let table = [
        host.query(&id("a"), "txets", None).await.map(drop).unwrap_err(),
        host.signal(&id("a"), "ntoe", None).await.map(drop).unwrap_err(),
        host.update(&id("a"), "dad", None, None).await.map(drop).unwrap_err(),
    ];
    for (error, known) in table.iter().zip(["`texts`", "`note`", "`add`"]) {
        assert!(matches!(error, RequestError::UnknownHandler { .. }), "{error}");
        assert!(error.to_string().contains(known), "{error}");
    }
    let stopped = host.query(&id("a"), "calls_an_activity", None).await.unwrap_err();
    assert!(stopped.to_string().contains("a query cannot call activity `charge`"), "{stopped}");
    assert_eq!(texts(&host).await, json!(["zero"]), "and it goes on");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_is_answered_and_in_history_and_one_that_is_refused_is_not() {
    let room = Room::new();
    let host = room.open().await;
    takes_notes(&host).await;
    let before = host.history(&id("a")).await.unwrap();
    let UpdateOutcome::Rejected(refused) = update(&host, "add", &json!(""), None).await else { panic!() };
    assert_eq!(refused.error_type, "Empty");
    assert_eq!(host.history(&id("a")).await.unwrap(), before, "no trace");
    let taken = update(&host, "add", &json!("one"), Some("u1")).await;
    assert_eq!(taken, UpdateOutcome::Completed(Ok("2".to_owned())));
    assert_eq!(update(&host, "add", &json!("one"), Some("u1")).await, taken, "the same again is not done again");
    let UpdateOutcome::Completed(Err(failed)) = update(&host, "clear", &Value::Null, None).await else { panic!() };
    assert_eq!(failed.message, "2 notes are gone");
    let kinds = room::history(&host, "a").await;
    let updates = kinds.iter().filter(|kind| matches!(kind, EventType::UpdateAccepted(_))).count();
    assert_eq!(updates, 2);
    room::stop(host).await;
    let host = room.open().await;
    assert_eq!(texts(&host).await, json!([]), "it replays");
    assert_eq!(update(&host, "add", &json!("one"), Some("u1")).await, taken, "its answer is on disk");
    host.terminate(&id("a"), None, false).await.unwrap();
    room::end(&host, "a").await;
    let over = host.update(&id("a"), "add", None, None).await.unwrap_err();
    assert!(matches!(over, RequestError::Store(StoreError::Ended { .. })), "{over}");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_that_waits_for_an_activity_answers_when_that_is_done() {
    let mut room = Room::new();
    room.options.live_guests = 0;
    let host = room.open().await;
    takes_notes(&host).await;
    let asking = tokio::spawn({
        let host = host.clone();
        async move { update(&host, "fetch_now", &json!("x"), None).await }
    });
    let mut worker = room::worker(&host, &["fetch"], 1);
    let task = room::next(&mut worker).await;
    // Others are taken meanwhile.
    assert_eq!(update(&host, "add", &json!("one"), None).await, UpdateOutcome::Completed(Ok("2".to_owned())));
    host.complete_activity(task.token, Ok("\"fetched\"".to_owned())).await.unwrap();
    assert_eq!(within(asking).await.unwrap(), UpdateOutcome::Completed(Ok("3".to_owned())));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_of_an_instance_that_is_suspended_changes_nothing() {
    let room = Room::new();
    let host = room.open().await;
    takes_notes(&host).await;
    host.suspend(&id("a"), None).await.unwrap();
    room::until_status(&host, "a", Status::Suspended).await;
    let refused = host.update(&id("a"), "add", Some("\"one\"".to_owned()), None).await.unwrap_err();
    assert!(matches!(refused, RequestError::NotTaken { status: Status::Suspended, .. }), "{refused}");
    host.resume(&id("a"), None).await.unwrap();
    room::until_status(&host, "a", Status::Running).await;
    assert_eq!(texts(&host).await, json!(["zero"]));
    room::stop(host).await;
}

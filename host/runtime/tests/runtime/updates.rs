//! Updates on the durable host: each is done once, and whoever asked hears of it, whatever becomes of the instance.

use everturn_history::history_event::EventType;
use everturn_runtime::store::{Status, StoreError};
use everturn_runtime::{RequestError, Runtime, UpdateOutcome};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::room::{self, Room, id, within};

type Answer = Result<UpdateOutcome, RequestError>;

async fn takes_notes(host: &Runtime) {
    room::start(host, "takes_notes", "a", &"zero").await;
    room::until_status(host, "a", Status::Running).await;
}

fn ask(host: &Runtime, name: &'static str, input: &str, update: Option<&str>) -> JoinHandle<Answer> {
    let (host, input, update) = (host.clone(), json!(input).to_string(), update.map(str::to_owned));
    tokio::spawn(async move { host.update(&id("a"), name, Some(input), update).await })
}

async fn answer(asking: JoinHandle<Answer>) -> Answer {
    within(asking).await.unwrap()
}

async fn texts(host: &Runtime) -> Value {
    serde_json::from_str(&within(host.query(&id("a"), "texts", None)).await.unwrap()).unwrap()
}

async fn until_accepted(host: &Runtime, count: usize) {
    let accepted = |kinds: Vec<EventType>| kinds.iter().filter(|it| matches!(it, EventType::UpdateAccepted(_))).count();
    room::until_true(async || accepted(room::history(host, "a").await) == count).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_many_ask_under_one_id_is_done_once_and_all_hear_of_it() {
    for live_guests in [0, 100] {
        let mut room = Room::new();
        room.options.live_guests = live_guests;
        let host = room.open().await;
        takes_notes(&host).await;
        let asking: Vec<_> = (0..8).map(|_| ask(&host, "add", "x", Some("u1"))).collect();
        for asking in asking {
            assert_eq!(answer(asking).await.unwrap(), UpdateOutcome::Completed(Ok("2".to_owned())));
        }
        assert_eq!(texts(&host).await, json!(["zero", "x"]));
        until_accepted(&host, 1).await;
        room::stop(host).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_asks_again_while_the_first_is_open_hears_the_same() {
    let room = Room::new();
    let host = room.open().await;
    takes_notes(&host).await;
    let first = ask(&host, "fetch_now", "x", Some("u1"));
    until_accepted(&host, 1).await;
    let again = ask(&host, "fetch_now", "x", Some("u1"));
    let mut worker = room::worker(&host, &["fetch"], 9);
    let task = room::next(&mut worker).await;
    host.complete_activity(task.token, Ok("\"fetched\"".to_owned())).await.unwrap();
    let expected = UpdateOutcome::Completed(Ok("2".to_owned()));
    assert_eq!((answer(first).await.unwrap(), answer(again).await.unwrap()), (expected.clone(), expected));
    assert_eq!(texts(&host).await, json!(["zero", "fetched"]));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_generation_takes_what_waits_and_tells_what_it_gave_up() {
    let room = Room::new();
    let host = room.open().await;
    takes_notes(&host).await;
    let open = ask(&host, "fetch_now", "x", Some("open"));
    until_accepted(&host, 1).await;
    for round in 0..10 {
        let restarting = tokio::spawn({
            let host = host.clone();
            async move { host.signal(&id("a"), "begin_again", None).await }
        });
        let texts: Vec<_> = (0..6).map(|number| format!("{round}-{number}")).collect();
        let asking: Vec<_> = texts.iter().map(|text| ask(&host, "add", text, None)).collect();
        restarting.await.unwrap().unwrap();
        for asking in asking {
            let told = answer(asking).await.unwrap();
            assert!(matches!(told, UpdateOutcome::Completed(Ok(_))), "{told:?}");
        }
    }
    let unanswered = answer(open).await.unwrap_err();
    assert!(matches!(&unanswered, RequestError::Unanswered { update, .. } if update == "open"), "{unanswered}");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_waits_hears_when_the_instance_is_deleted() {
    let room = Room::new();
    let host = room.open().await;
    takes_notes(&host).await;
    let asking = ask(&host, "fetch_now", "x", None);
    until_accepted(&host, 1).await;
    host.purge(&id("a"), false, true).await.unwrap();
    let gone = answer(asking).await.unwrap_err();
    assert!(matches!(gone, RequestError::Store(StoreError::NotFound { .. })), "{gone}");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_waits_hears_when_an_instance_that_is_held_is_terminated() {
    let mut room = Room::new();
    room.options.limits.open_calls = 5;
    let host = room.open().await;
    takes_notes(&host).await;
    let asking = ask(&host, "fetch_now", "x", None);
    until_accepted(&host, 1).await;
    for _ in 0..3 {
        host.signal(&id("a"), "fetch", Some("\"n\"".to_owned())).await.unwrap();
    }
    room::until_status(&host, "a", Status::Stalled).await;
    host.terminate(&id("a"), None, false).await.unwrap();
    let over = answer(asking).await.unwrap_err();
    assert!(matches!(over, RequestError::Store(StoreError::Ended { .. })), "{over}");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_got_lost_is_there_when_the_instance_has_ended() {
    let room = Room::new();
    let host = room.open().await;
    takes_notes(&host).await;
    let told = answer(ask(&host, "add", "x", Some("u1"))).await.unwrap();
    host.suspend(&id("a"), None).await.unwrap();
    room::until_status(&host, "a", Status::Suspended).await;
    assert_eq!(answer(ask(&host, "add", "x", Some("u1"))).await.unwrap(), told, "suspended");
    host.terminate(&id("a"), None, false).await.unwrap();
    room::end(&host, "a").await;
    assert_eq!(answer(ask(&host, "add", "x", Some("u1"))).await.unwrap(), told, "terminated");
    let over = answer(ask(&host, "add", "x", Some("u2"))).await.unwrap_err();
    assert!(matches!(over, RequestError::Store(StoreError::Ended { .. })), "{over}");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_is_answered_while_the_instance_begins_anew() {
    let room = Room::new();
    let host = room.open().await;
    takes_notes(&host).await;
    for _ in 0..20 {
        let restarting = tokio::spawn({
            let host = host.clone();
            async move { host.signal(&id("a"), "begin_again", None).await }
        });
        for _ in 0..10 {
            texts(&host).await;
        }
        restarting.await.unwrap().unwrap();
    }
    room::stop(host).await;
}

//! What people do to instances: suspend, resume, terminate, start again under an id, start later, look, wait.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use everturn_runtime::store::{Filter, Instance, Status, StoreError, Time};
use everturn_runtime::{ExistingInstance, RequestError, Runtime, StartRequest};
use everturn_test_guests::script::{Seen, Step};
use serde_json::json;

use crate::room::{self, Room, activity, play, timer, wait};

const HOUR: u64 = 60 * 60 * 1_000;

fn now() -> Time {
    let micros = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros();
    Time::from_micros(i64::try_from(micros).unwrap())
}

fn script(id: &str, steps: &[Step], if_exists: ExistingInstance) -> StartRequest {
    StartRequest { if_exists, ..room::request("script", id, &steps) }
}

fn in_an_hour(id: &str) -> StartRequest {
    let starts_at = Some(now().after(Duration::from_millis(HOUR)));
    StartRequest { starts_at, ..room::request("script", id, &[Step::Now]) }
}

async fn terminated(host: &Runtime, id: &str) -> Instance {
    host.terminate(&room::id(id), Some("\"why\"".into()), false).await.unwrap();
    let ended = room::end(host, id).await;
    assert_eq!(ended.status, Status::Terminated, "{ended:?}");
    assert_eq!(ended.outcome.clone().unwrap().result.unwrap().value, "\"why\"");
    ended
}

#[tokio::test(flavor = "multi_thread")]
async fn a_suspended_instance_keeps_what_reaches_it_and_sees_it_when_it_is_resumed() {
    for restart in [false, true] {
        let room = Room::new();
        let mut host = room.open().await;
        play(&host, "a", &[timer(50), wait("go"), wait("go"), activity("echo", 3)]).await;
        host.suspend(&room::id("a"), Some("a look".into())).await.unwrap();
        room::until_status(&host, "a", Status::Suspended).await;
        room::raise(&host, "a", "go", 1).await;
        room::raise(&host, "a", "go", 2).await;
        let view = async || host.instance(&room::id("a")).await.unwrap();
        room::until_true(async || view().await.open.messages == 0).await;
        assert_eq!(view().await.instance.status, Status::Suspended);
        assert_eq!(host.statistics().dispatches, 0, "its code has seen nothing of it");
        if restart {
            room::stop(host).await;
            host = room.open_empty().await;
            assert_eq!(host.instance(&room::id("a")).await.unwrap().instance.status, Status::Suspended);
        }
        host.resume(&room::id("a"), None).await.unwrap();
        let seen = room::log(&host, "a").await;
        assert_eq!(seen[..3], [Seen::Timer, Seen::Event(Some(json!(1))), Seen::Event(Some(json!(2)))]);
        room::stop(host).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_can_be_terminated_however_it_stands() {
    let room = Room::new();
    let host = room.open().await;
    play(&host, "running", &[timer(HOUR), activity("echo", 1)]).await;
    room::until_status(&host, "running", Status::Running).await;
    host.start(in_an_hour("scheduled")).await.unwrap();
    play(&host, "suspended", &[wait("go")]).await;
    host.suspend(&room::id("suspended"), None).await.unwrap();
    room::until_status(&host, "suspended", Status::Suspended).await;
    room::start(&host, "panics", "stalled", &"no").await;
    room::until_status(&host, "stalled", Status::Stalled).await;
    for id in ["running", "scheduled", "suspended", "stalled"] {
        terminated(&host, id).await;
        let again = host.terminate(&room::id(id), None, false).await.unwrap_err();
        assert!(matches!(again, RequestError::Store(StoreError::Ended { .. })), "{again}");
    }
    let messages: i64 = room.look().query_row("SELECT count(*) FROM message", [], |row| row.get(0)).unwrap();
    assert_eq!(messages, 0, "nothing is left for them");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_in_use_is_refused_used_or_taken_as_the_start_says() {
    let room = Room::new();
    let host = room.open().await;
    play(&host, "a", &[wait("go")]).await;
    let steps = [activity("echo", "second")];

    for policy in [ExistingInstance::Fail, ExistingInstance::ReplaceEnded] {
        let refused = host.start(script("a", &steps, policy)).await.unwrap_err();
        assert!(matches!(refused, RequestError::Store(StoreError::AlreadyExists { .. })), "{policy:?}: {refused}");
    }
    assert!(!host.start(script("a", &steps, ExistingInstance::Use)).await.unwrap().is_new);
    room::raise(&host, "a", "go", 1).await;
    assert_eq!(room::log(&host, "a").await, [Seen::Event(Some(json!(1)))], "it was left alone");

    let refused = host.start(script("a", &steps, ExistingInstance::Fail)).await.unwrap_err();
    assert!(matches!(refused, RequestError::Store(StoreError::AlreadyExists { .. })), "{refused}");
    assert!(!host.start(script("a", &steps, ExistingInstance::Use)).await.unwrap().is_new);
    assert!(host.start(script("a", &steps, ExistingInstance::ReplaceEnded)).await.unwrap().is_new);
    assert_eq!(room::result(&host, "a").await, json!([{"activity": {"completed": "second"}}]));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_can_take_the_place_of_an_instance_however_that_stands() {
    let room = Room::new();
    let host = room.open().await;
    let steps = [activity("echo", "second")];
    play(&host, "running", &[timer(HOUR)]).await;
    host.start(in_an_hour("scheduled")).await.unwrap();
    room::start(&host, "panics", "stalled", &"no").await;
    room::until_status(&host, "stalled", Status::Stalled).await;
    play(&host, "ended", &[]).await;
    room::log(&host, "ended").await;
    for id in ["running", "scheduled", "stalled", "ended", "new"] {
        let request = script(id, &steps, ExistingInstance::Replace);
        assert!(room::within(host.start(request)).await.unwrap().is_new);
        assert_eq!(room::result(&host, id).await, json!([{"activity": {"completed": "second"}}]), "{id}");
    }
    assert_eq!(host.list(Filter::default(), None, 100).await.unwrap().instances.len(), 5);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scheduled_start_is_not_early() {
    let room = Room::new();
    let host = room.open().await;
    let due = now().after(Duration::from_millis(300));
    let request = StartRequest { starts_at: Some(due), ..room::request("script", "a", &[Step::Now]) };
    host.start(request).await.unwrap();
    let Seen::Now(began) = room::log(&host, "a").await[0] else { panic!("no time") };
    assert!(i64::try_from(began / 1_000).unwrap() >= due.as_micros());
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scheduled_start_survives_a_restart_and_keeps_its_events() {
    let room = Room::new();
    let host = room.open().await;
    host.start(in_an_hour("a")).await.unwrap();
    let request = StartRequest { starts_at: in_an_hour("b").starts_at, ..room::request("script", "b", &[wait("go")]) };
    host.start(request).await.unwrap();
    room::raise(&host, "b", "go", 1).await;
    let view = host.instance(&room::id("a")).await.unwrap();
    assert_eq!((view.instance.status, view.input.as_deref()), (Status::Pending, Some("[\"now\"]")));
    room::stop(host).await;
    let host = room.open_empty().await;
    assert_eq!(host.instance(&room::id("a")).await.unwrap().instance.status, Status::Pending);
    room::stop(host).await;
    let file = rusqlite::Connection::open(room.file()).unwrap();
    // An hour passes.
    file.execute("UPDATE message SET visible_at = visible_at - ?1", [i64::try_from(HOUR).unwrap() * 1_000]).unwrap();
    drop(file);
    let host = room.open_empty().await;
    assert_eq!(room::log(&host, "a").await.len(), 1);
    assert_eq!(room::log(&host, "b").await, [Seen::Event(Some(json!(1)))]);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_status_that_a_workflow_shows_is_seen_and_kept() {
    let room = Room::new();
    let host = room.open().await;
    room::start(&host, "sets_its_status", "a", &()).await;
    let shown = room::until(&host, "a", |instance| instance.custom_status.is_some()).await;
    assert_eq!(shown.custom_status.as_deref(), Some("{\"waits\":true}"));
    room::stop(host).await;
    let host = room.open_empty().await;
    assert_eq!(host.instance(&room::id("a")).await.unwrap().instance.custom_status, shown.custom_status);
    room::raise(&host, "a", "go", json!(null)).await;
    assert_eq!(room::end(&host, "a").await.custom_status.as_deref(), Some("1"));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn instances_are_listed_by_what_is_asked_for_and_in_pages() {
    let room = Room::new();
    let host = room.open().await;
    for number in 0..5 {
        play(&host, &format!("done-{number}"), &[]).await;
        room::log(&host, &format!("done-{number}")).await;
    }
    let middle = now();
    for number in 0..3 {
        room::start(&host, "park", &format!("open-{number}"), &()).await;
        room::until_status(&host, &format!("open-{number}"), Status::Running).await;
    }
    let ids = async |filter: Filter| {
        let page = host.list(filter, None, 100).await.unwrap();
        page.instances.into_iter().map(|instance| instance.id.to_string()).collect::<Vec<_>>()
    };
    let open = ["open-2", "open-1", "open-0"];
    assert_eq!(ids(Filter { statuses: vec![Status::Running], ..Filter::default() }).await, open);
    assert_eq!(ids(Filter { workflow: Some("park".into()), ..Filter::default() }).await, open);
    assert_eq!(ids(Filter { id_prefix: Some("open-".into()), ..Filter::default() }).await, open);
    assert_eq!(ids(Filter { created_from: Some(middle), ..Filter::default() }).await, open);
    assert_eq!(ids(Filter { created_before: Some(middle), ..Filter::default() }).await.len(), 5);
    let (mut seen, mut from) = (Vec::new(), None);
    loop {
        let page = host.list(Filter::default(), from, 3).await.unwrap();
        seen.extend(page.instances.into_iter().map(|instance| instance.id.to_string()));
        from = page.next;
        if from.is_none() {
            break;
        }
    }
    assert_eq!(seen, ids(Filter::default()).await);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_waits_for_an_instance_that_is_not_there() {
    let room = Room::new();
    let host = room.open().await;
    let (unknown, nobody) =
        (room::id("nobody"), |error| matches!(error, RequestError::Store(StoreError::NotFound { .. })));
    assert!(nobody(room::within(host.wait(&unknown)).await.unwrap_err()));
    assert!(nobody(host.raise_event(&unknown, "go", None).await.unwrap_err()));
    assert!(nobody(host.terminate(&unknown, None, false).await.unwrap_err()));
    assert!(nobody(host.suspend(&unknown, None).await.unwrap_err()));
    assert!(nobody(host.resume(&unknown, None).await.unwrap_err()));
    assert!(nobody(host.purge(&unknown, false, false).await.unwrap_err()));
    assert!(nobody(host.history(&unknown).await.unwrap_err()));
    room::stop(host).await;
}

//! The inbox.

use everturn_history::event;

use super::scene::{Scene, at, events, message, names, raised, turn};
use crate::{Address, Hold, InstanceKey, NewMessage, SHORT_HISTORY_BYTES, Status, StoreError, Turn, Visible};

pub(super) async fn messages_are_seen_by_time_and_then_by_number(scene: Scene) {
    let key = scene.running("a").await;
    scene.raise(key, "late", Visible::Now(at(9))).await;
    scene.raise(key, "early", Visible::Now(at(3))).await;
    scene.raise(key, "timer", Visible::Later(at(5))).await;
    scene.raise(key, "early too", Visible::Now(at(3))).await;
    assert_eq!(scene.names(key).await, ["early", "early too", "timer", "late"]);
    let ids = scene.waiting(key).await;
    assert!(ids[0] < ids[1]);
    let times: Vec<_> = scene.everything(key).await.iter().map(|message| message.visible_at).collect();
    assert_eq!(times, [at(3), at(3), at(5), at(9)]);
}

pub(super) async fn a_message_for_later_is_not_seen_before(scene: Scene) {
    let key = scene.running("a").await;
    let committed = scene.raise(key, "timer", Visible::Later(at(5))).await;
    assert_eq!((committed.messages.len(), committed.next_visible), (0, Some(at(5))));
    assert_eq!(scene.inbox(key, at(4), 10).await.unwrap(), []);
    assert_eq!(names(&scene.inbox(key, at(5), 10).await.unwrap()), ["timer"]);
    assert_eq!(scene.open_work(key).await.unwrap().messages, 1);
}

pub(super) async fn a_message_can_go_before_all_that_are_there(scene: Scene) {
    let key = scene.running("a").await;
    scene.raise(key, "third", Visible::Now(at(-1_000_000))).await;
    let committed = scene.raise(key, "second", Visible::First).await;
    assert_eq!(names(&committed.messages), ["second"]);
    scene.raise(key, "first", Visible::First).await;
    assert_eq!(scene.names(key).await, ["first", "second", "third"]);
}

pub(super) async fn what_is_visible_at_once_stays_so_when_the_clock_goes_back(scene: Scene) {
    let key = scene.running("a").await;
    scene.raise(key, "event", Visible::Now(at(9))).await;
    scene.raise(key, "timer", Visible::Later(at(9))).await;
    assert_eq!(names(&scene.inbox(key, at(2), 10).await.unwrap()), ["event"]);
    assert_eq!(scene.recover(at(2)).await.unwrap().instances, [key]);
}

pub(super) async fn only_so_many_bytes_are_read(scene: Scene) {
    let key = scene.running("a").await;
    let large = "x".repeat(crate::INBOX_BYTES / 2);
    for name in ["one", "two", "three"] {
        let event = event::event_raised(at(0).to_timestamp(), name, &large);
        scene.send(NewMessage { event, ..message(key, name, Visible::Now(at(2))) }).await.unwrap();
    }
    assert_eq!(names(&scene.inbox(key, at(2), 10).await.unwrap()), ["one", "two"]);
}

pub(super) async fn only_so_many_messages_are_read(scene: Scene) {
    let key = scene.running("a").await;
    for name in ["one", "two", "three"] {
        scene.raise(key, name, Visible::Now(at(2))).await;
    }
    assert_eq!(names(&scene.inbox(key, at(2), 2).await.unwrap()), ["one", "two"]);
    assert_eq!(scene.open_work(key).await.unwrap().messages, 3);
}

pub(super) async fn many_instances_are_awoken_at_once(scene: Scene) {
    let (full, empty, held) = (scene.running("a").await, scene.running("b").await, scene.running("c").await);
    for name in ["one", "two", "three"] {
        scene.raise(full, name, Visible::Now(at(2))).await;
        scene.raise(held, name, Visible::Now(at(2))).await;
    }
    scene.hold(Hold { instance: held, number: 1, reason: String::new(), kind: None, at: at(2) }).await.unwrap();
    let long = scene.running("d").await;
    let much = "x".repeat(usize::try_from(SHORT_HISTORY_BYTES).unwrap());
    scene.commit(Turn { events: events(&[&much]), ..turn(long, 1) }).await.unwrap();
    scene.raise(long, "one", Visible::Now(at(2))).await;
    let awoken = scene.wake(vec![held, full, empty, long, full, InstanceKey(i64::MAX)], at(2), 2).await.unwrap();
    let seen: Vec<_> = awoken.iter().map(|awoken| names(&awoken.messages)).collect();
    assert_eq!(seen, [vec![], vec!["one", "two"], vec![], vec!["one"], vec!["one", "two"], vec![]]);
    let loaded = scene.load(full).await.unwrap();
    assert!(loaded.is_some());
    let expected = [None, loaded.clone(), None, None, loaded, None];
    assert_eq!(awoken.into_iter().map(|awoken| awoken.loaded).collect::<Vec<_>>(), expected);
}

fn to(id: &str, execution_id: Option<&str>) -> NewMessage {
    let to = Address::Id { id: id.into(), execution_id: execution_id.map(str::to_owned) };
    NewMessage { to, event: raised("hello"), visible: Visible::Now(at(2)), task: None }
}

pub(super) async fn from_outside_a_message_to_nobody_is_refused(scene: Scene) {
    let error = scene.send(to("nobody", None)).await.unwrap_err();
    assert!(matches!(&error, StoreError::NotFound { id } if id.as_str() == "nobody"), "{error}");
    let ended = scene.ended("over", Status::Completed, at(1)).await;
    let error = scene.send(to("over", None)).await.unwrap_err();
    assert!(matches!(error, StoreError::Ended { status: Status::Completed, .. }), "{error}");
    let error = scene.send(message(ended, "hello", Visible::Now(at(2)))).await.unwrap_err();
    assert!(matches!(error, StoreError::Ended { .. }), "{error}");
    scene.purge(ended, false).await.unwrap();
    let error = scene.send(message(ended, "hello", Visible::Now(at(2)))).await.unwrap_err();
    assert!(matches!(error, StoreError::NotFound { .. }), "{error}");
}

pub(super) async fn a_message_for_one_run_reaches_no_other(scene: Scene) {
    let key = scene.running("a").await;
    let error = scene.send(to("a", Some("another run"))).await.unwrap_err();
    assert!(matches!(error, StoreError::NotFound { .. }), "{error}");
    assert_eq!(scene.names(key).await, [""; 0]);
    scene.send(to("a", Some("first run of a"))).await.unwrap();
    scene.send(to("a", None)).await.unwrap();
    assert_eq!(scene.names(key).await, ["hello", "hello"]);
}

//! Instances that are deleted.

use super::scene::{Scene, at, end, events, instance, lease, made, message, task, timer, turn};
use crate::{Answer, Filter, FinishedTask, InstanceKey, NewTask, OpenWork, Status, StoreError, Turn, Visible};

pub(super) async fn what_is_purged_leaves_nothing(scene: Scene) {
    let other = scene.running("other").await;
    scene.raise(other, "waits", Visible::Now(at(1))).await;
    let key = scene.running("a").await;
    let busy = Turn {
        events: events(&["one"]),
        messages: vec![timer(key, 0, at(7)), message(key, "go", Visible::Now(at(1)))],
        tasks: vec![task(1, "charge"), NewTask { lease: Some(lease(1)), ..task(2, "charge") }],
        wants_turn: true,
        ..turn(key, 1)
    };
    let tasks = scene.commit(busy).await.unwrap().tasks;
    scene.purge(key, true).await.unwrap();
    assert_eq!(scene.load(key).await.unwrap(), None);
    assert_eq!(scene.find(&"a".into()).await.unwrap(), None);
    assert_eq!(scene.names(key).await, [""; 0]);
    assert_eq!(scene.open_work(key).await.unwrap(), OpenWork::default());
    assert_eq!(scene.waiting_activities().await.unwrap(), []);
    assert_eq!(scene.due(at(0), at(100), 10).await.unwrap().instances, []);
    assert_eq!(scene.recover(at(100)).await.unwrap().instances, [other]);
    assert_eq!(scene.list(Filter::default(), None, 10).await.unwrap().instances.len(), 1);
    let late = FinishedTask { key: tasks[1], token: lease(1).token };
    let answer = Answer { task: late, message: message(key, "late", Visible::Now(at(2))) };
    assert!(matches!(scene.answer(answer).await.unwrap_err(), StoreError::StaleToken { .. }));
    let error = scene.commit(turn(key, 2)).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict), "{error}");
    scene.purge(key, false).await.unwrap();
    assert_eq!(scene.names(other).await, ["waits"]);
}

pub(super) async fn an_open_instance_is_purged_by_force_only(scene: Scene) {
    let key = scene.running("a").await;
    let error = scene.purge(key, false).await.unwrap_err();
    assert!(matches!(&error, StoreError::Open { id, status: Status::Running } if id.as_str() == "a"), "{error}");
    assert!(scene.load(key).await.unwrap().is_some());
    scene.commit(end(key, 1, Status::Failed)).await.unwrap();
    scene.purge(key, false).await.unwrap();
    assert_eq!(scene.load(key).await.unwrap(), None);
}

pub(super) async fn those_that_ended_first_are_purged_first(scene: Scene) {
    scene.running("open").await;
    for (id, status, time) in [
        ("c30", Status::Completed, 30),
        ("c10", Status::Completed, 10),
        ("c20", Status::Completed, 20),
        ("f15", Status::Failed, 15),
    ] {
        scene.ended(id, status, at(time)).await;
    }
    assert_eq!(scene.oldest_ended(Status::Completed).await.unwrap(), Some(at(10)));
    assert_eq!(scene.oldest_ended(Status::Terminated).await.unwrap(), None);
    assert_eq!(scene.oldest_ended(Status::Running).await.unwrap(), None);
    assert_eq!(scene.purge_ended(Status::Completed, at(30), 1).await.unwrap(), 1);
    assert_eq!(scene.find(&"c10".into()).await.unwrap(), None);
    assert_eq!(scene.oldest_ended(Status::Completed).await.unwrap(), Some(at(20)));
    assert_eq!(scene.purge_ended(Status::Completed, at(30), 10).await.unwrap(), 1);
    assert_eq!(scene.purge_ended(Status::Running, at(100), 10).await.unwrap(), 0);
    let left = scene.list(Filter::default(), None, 10).await.unwrap().instances;
    assert_eq!(left.iter().map(|it| it.id.as_str()).collect::<Vec<_>>(), ["f15", "c30", "open"]);
}

pub(super) async fn numbers_are_not_used_again(scene: Scene) {
    let first = scene.running("a").await;
    let message_id = scene.raise(first, "go", Visible::Now(at(1))).await.messages[0].id;
    let tasks = scene.commit(Turn { tasks: vec![task(0, "charge")], ..turn(first, 1) }).await.unwrap().tasks;
    scene.purge(first, true).await.unwrap();
    let (started, committed) = scene.start(instance("a")).await.unwrap();
    let second: InstanceKey = made(&started);
    assert!(second > first);
    assert!(committed.messages[0].id > message_id);
    let later = scene.commit(Turn { tasks: vec![task(0, "charge")], ..turn(second, 0) }).await.unwrap().tasks;
    assert!(later[0] > tasks[0]);
}

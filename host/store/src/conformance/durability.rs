//! What was acknowledged stays.

use std::sync::Arc;

use super::deployments::deployment;
use super::scene::{Scene, at, events, instance, lease, message, task, timer, turn};
use crate::{Filter, Hold, NewTask, Status, StoreError, Turn, Visible};

pub(super) async fn what_was_acknowledged_is_there_after_a_crash(mut scene: Scene) {
    scene.deploy(deployment("one", 1)).await.unwrap();
    let key = scene.running("a").await;
    let busy = Turn {
        events: events(&["one", "two"]),
        messages: vec![timer(key, 0, at(7)), message(key, "go", Visible::Now(at(1)))],
        tasks: vec![task(1, "charge"), NewTask { lease: Some(lease(1)), ..task(2, "charge") }],
        custom_status: Some("halfway".to_owned()),
        ..turn(key, 1)
    };
    scene.commit(busy).await.unwrap();
    let held = scene.running("held").await;
    scene.hold(Hold { instance: held, number: 1, reason: "why".to_owned(), kind: None, at: at(2) }).await.unwrap();
    scene.ended("over", Status::Failed, at(3)).await;
    let gone = scene.ended("gone", Status::Failed, at(3)).await;
    scene.purge(gone, false).await.unwrap();
    let before = everything(&scene).await;
    scene.crash();
    assert_eq!(everything(&scene).await, before);
    scene.close().await;
    scene.crash();
    assert_eq!(everything(&scene).await, before);
    assert_eq!(*scene.component([1; 32]).await.unwrap(), vec![1; 5_000]);
}

/// All that can be seen of a store, as text.
async fn everything(scene: &Scene) -> Vec<String> {
    let mut seen = vec![format!("{:?}", scene.deployments().await.unwrap())];
    for instance in scene.list(Filter::default(), None, 100).await.unwrap().instances {
        seen.push(format!("{:?}", scene.load(instance.key).await.unwrap()));
        seen.push(format!("{:?}", scene.everything(instance.key).await));
        seen.push(format!("{:?}", scene.open_work(instance.key).await.unwrap()));
    }
    assert_eq!(seen.len(), 10);
    seen
}

pub(super) async fn numbers_go_on_after_a_crash(mut scene: Scene) {
    let key = scene.running("a").await;
    let waits = scene.running("b").await;
    let message_id = scene.raise(key, "go", Visible::Now(at(1))).await.messages[0].id;
    let tasks = scene.commit(Turn { tasks: vec![task(0, "charge")], ..turn(key, 1) }).await.unwrap().tasks;
    scene.purge(key, true).await.unwrap();
    scene.crash();
    let again = scene.started("c").await;
    assert!(again > key && again > waits);
    assert!(scene.raise(waits, "go", Visible::Now(at(1))).await.messages[0].id > message_id);
    let later = scene.commit(Turn { tasks: vec![task(0, "charge")], ..turn(waits, 1) }).await.unwrap().tasks;
    assert!(later[0] > tasks[0]);
}

pub(super) async fn a_store_that_was_closed_does_nothing(mut scene: Scene) {
    let key = scene.running("a").await;
    scene.close().await;
    assert!(matches!(scene.commit(turn(key, 1)).await.unwrap_err(), StoreError::Closed));
    assert!(matches!(scene.start(instance("b")).await.unwrap_err(), StoreError::Closed));
    assert!(matches!(scene.load(key).await.unwrap_err(), StoreError::Closed));
    scene.close().await;
    scene.crash();
    assert_eq!(scene.state(key).await.turns, 1);
}

pub(super) async fn what_was_asked_for_is_done_before_the_close(mut scene: Scene) {
    let (key, store) = (scene.running("a").await, scene.shared());
    // All of these are asked for, in this order, before the first is waited for.
    let turns = futures::future::join_all((1..100).map(|number| store.commit(Arc::new(turn(key, number)))));
    let (turns, ()) = futures::join!(turns, store.close());
    let made = turns.iter().take_while(|turn| turn.is_ok()).count();
    assert!(turns[made..].iter().all(|turn| matches!(turn, Err(StoreError::Closed))), "{turns:?}");
    drop(store);
    scene.crash();
    assert_eq!(scene.state(key).await.turns, 1 + made as u64);
    assert!(made > 0);
}

//! Generations.

use super::scene::{Scene, at, events, lease, message, names, raised, task, timer, turn};
use crate::{Address, FinishedTask, InstanceKey, NewMessage, NewTask, Restart, StoreError, Turn, Visible};

fn restart(key: InstanceKey, number: u64, opening: &[&str]) -> Turn {
    let restart = Restart {
        execution_id: format!("run {number}"),
        generation: u32::try_from(number).unwrap(),
        version: Some(format!("v{number}")),
        deployment: None,
        opening: opening.iter().map(|name| raised(name)).collect(),
    };
    Turn { restart: Some(restart), ..turn(key, number) }
}

pub(super) async fn a_restart_begins_anew_and_keeps_what_was_not_consumed(scene: Scene) {
    let key = scene.running("a").await;
    scene.commit(Turn { events: events(&["one", "two"]), ..turn(key, 1) }).await.unwrap();
    scene.raise(key, "waits", Visible::Now(at(1))).await;
    scene.raise(key, "comes later", Visible::Later(at(9))).await;
    scene.commit(restart(key, 2, &["begin"])).await.unwrap();
    let loaded = scene.load(key).await.unwrap().unwrap();
    assert_eq!(loaded.history, []);
    let state = loaded.instance;
    assert_eq!((state.turns, state.events, state.history_bytes), (3, 0, 0));
    assert_eq!((state.execution_id.as_str(), state.generation), ("run 2", 2));
    assert_eq!(state.version.as_deref(), Some("v2"));
    assert_eq!(scene.names(key).await, ["begin", "waits", "comes later"]);
    scene.commit(Turn { events: events(&["new"]), ..turn(key, 3) }).await.unwrap();
    let loaded = scene.load(key).await.unwrap().unwrap();
    assert_eq!(loaded.history, [raised("new")]);
    assert_eq!((loaded.instance.turns, loaded.instance.events), (4, 1));
}

pub(super) async fn a_new_generation_begins_with_its_opening(scene: Scene) {
    let key = scene.running("a").await;
    scene.raise(key, "waits", Visible::Now(at(-1_000_000))).await;
    let committed = scene.commit(restart(key, 1, &["one", "two", "three"])).await.unwrap();
    assert_eq!(names(&committed.messages), ["one", "two", "three"]);
    assert_eq!(scene.names(key).await, ["one", "two", "three", "waits"]);
    // Also before what was the opening of the one before.
    let consumed = scene.waiting(key).await[..1].to_vec();
    scene.commit(Turn { consumed, ..restart(key, 2, &["four", "five"]) }).await.unwrap();
    assert_eq!(scene.names(key).await, ["four", "five", "two", "three", "waits"]);
    assert_eq!(names(&scene.inbox(key, crate::Time::from_micros(0), 2).await.unwrap()), ["four", "five"]);
}

pub(super) async fn a_restart_gives_up_what_was_open(scene: Scene) {
    let key = scene.running("a").await;
    let first = Turn {
        messages: vec![timer(key, 0, at(7)), timer(key, 1, at(0))],
        tasks: vec![task(2, "charge"), NewTask { lease: Some(lease(1)), ..task(3, "charge") }],
        ..turn(key, 1)
    };
    let tasks = scene.commit(first).await.unwrap().tasks;
    let again =
        Turn { tasks: vec![task(0, "ship")], messages: vec![timer(key, 1, at(8))], ..restart(key, 2, &["begin"]) };
    let committed = scene.commit(again).await.unwrap();
    assert_eq!(committed.abandoned, [tasks[1]]);
    assert_eq!(scene.names(key).await, ["begin", "timer 1"]);
    let open = scene.open_work(key).await.unwrap().tasks;
    assert_eq!(open.iter().map(|task| (task.task.get(), task.generation)).collect::<Vec<_>>(), [(0, 2)]);
}

pub(super) async fn what_was_for_the_old_generation_does_not_reach_the_new_one(scene: Scene) {
    let key = scene.running("a").await;
    let first = Turn { tasks: vec![NewTask { lease: Some(lease(1)), ..task(3, "charge") }], ..turn(key, 1) };
    let tasks = scene.commit(first).await.unwrap().tasks;
    scene.commit(restart(key, 2, &["begin"])).await.unwrap();
    let to = Address::Id { id: "a".into(), execution_id: Some("first run of a".to_owned()) };
    let late = NewMessage { to, ..message(key, "late", Visible::Now(at(2))) };
    assert!(matches!(scene.send(late).await.unwrap_err(), StoreError::NotFound { .. }));
    let task = FinishedTask { key: tasks[0], token: lease(1).token };
    let answer = crate::Answer { task, message: message(key, "late", Visible::Now(at(2))) };
    assert!(matches!(scene.answer(answer).await.unwrap_err(), StoreError::StaleToken { .. }));
    assert_eq!(scene.names(key).await, ["begin"]);
}

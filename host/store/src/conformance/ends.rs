//! The end of an instance.

use super::scene::{Scene, at, end, events, lease, message, outcome, raised, task, timer, turn};
use crate::{NewTask, Status, StoreError, Turn, Visible};

pub(super) async fn an_instance_that_ended_keeps_nothing_but_its_history(scene: Scene) {
    for (id, status) in [("a", Status::Completed), ("b", Status::Failed), ("c", Status::Terminated)] {
        let key = scene.running(id).await;
        scene.raise(key, "waits", Visible::Now(at(1))).await;
        let first = Turn {
            events: events(&["one"]),
            messages: vec![timer(key, 0, at(7))],
            tasks: vec![task(1, "charge"), NewTask { lease: Some(lease(1)), ..task(2, "charge") }],
            ..turn(key, 1)
        };
        let tasks = scene.commit(first).await.unwrap().tasks;
        let messages = vec![message(key, "to itself", Visible::Now(at(3))), timer(key, 5, at(9))];
        let last = Turn { at: at(3), messages, events: events(&["two"]), ..end(key, 2, status) };
        let committed = scene.commit(last).await.unwrap();
        assert_eq!((committed.messages.len(), committed.next_visible), (0, None));
        assert_eq!(committed.abandoned, [tasks[1]]);
        let loaded = scene.load(key).await.unwrap().unwrap();
        assert_eq!(loaded.history, ["one", "two"].map(raised));
        assert_eq!((loaded.instance.status, loaded.instance.ended_at), (status, Some(at(3))));
        assert_eq!(loaded.instance.outcome, Some(outcome(status)));
        assert_eq!(scene.open_work(key).await.unwrap(), crate::OpenWork::default());
    }
    assert_eq!(scene.waiting_activities().await.unwrap(), []);
    let woken = scene.recover(at(100)).await.unwrap();
    assert_eq!((woken.instances, woken.next), (vec![], None));
}

pub(super) async fn an_instance_that_ended_has_no_more_turns(scene: Scene) {
    let key = scene.ended("a", Status::Completed, at(1)).await;
    let error = scene.commit(turn(key, 2)).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict), "{error}");
    assert_eq!(scene.state(key).await.status, Status::Completed);
}

pub(super) async fn tasks_of_the_last_turn_are_not_kept_either(scene: Scene) {
    let key = scene.running("a").await;
    let tasks = vec![task(1, "charge"), NewTask { lease: Some(lease(1)), ..task(2, "charge") }];
    let committed = scene.commit(Turn { tasks, ..end(key, 1, Status::Completed) }).await.unwrap();
    assert_eq!(committed.abandoned, [committed.tasks[1]]);
    assert_eq!(scene.open_work(key).await.unwrap().tasks, []);
}

pub(super) async fn an_instance_that_ended_wants_no_turn(scene: Scene) {
    let key = scene.running("a").await;
    scene.commit(Turn { wants_turn: true, ..end(key, 1, Status::Completed) }).await.unwrap();
    assert!(!scene.state(key).await.wants_turn);
    assert_eq!(scene.recover(at(100)).await.unwrap().instances, []);
}

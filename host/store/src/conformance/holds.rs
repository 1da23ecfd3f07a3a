//! Instances that cannot go on.

use everturn_history::ParentClosePolicy::Terminate;
use everturn_history::{StalledReason, event};

use super::deployments::deployment;
use super::scene::{Scene, at, child, end, made, message, timer, turn};
use crate::{CloseChildren, Hold, InstanceKey, Status, StoreError, Turn, Visible};

fn hold(instance: InstanceKey, number: u64) -> Hold {
    Hold { instance, number, reason: "its code has changed".to_owned(), kind: None, at: at(4) }
}

pub(super) async fn an_instance_that_is_held_has_no_turn_and_keeps_its_messages(scene: Scene) {
    let key = scene.running("a").await;
    scene.raise(key, "waits", Visible::Now(at(1))).await;
    scene.commit(Turn { messages: vec![timer(key, 0, at(7))], wants_turn: true, ..turn(key, 1) }).await.unwrap();
    scene.hold(hold(key, 2)).await.unwrap();
    let state = scene.state(key).await;
    assert_eq!((state.status, state.stalled.as_deref()), (Status::Stalled, Some("its code has changed")));
    assert_eq!((state.turns, state.updated_at, state.ended_at), (2, at(4), None));
    let error = scene.commit(turn(key, 2)).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict), "{error}");
    assert_eq!(scene.names(key).await, [""; 0], "it sees none");
    assert_eq!(scene.open_work(key).await.unwrap().messages, 2, "but they are there");
    let due = scene.due(at(0), at(100), 10).await.unwrap();
    assert_eq!((due.instances, due.next), (vec![], None));
    assert_eq!(scene.due(at(0), at(1), 10).await.unwrap().next, None);
    let woken = scene.recover(at(100)).await.unwrap();
    assert_eq!((woken.instances, woken.next), (vec![], None));
    let kind = Some(StalledReason::PatchMismatch);
    scene.hold(Hold { reason: "another reason".to_owned(), kind, ..hold(key, 2) }).await.unwrap();
    let state = scene.state(key).await;
    assert_eq!((state.stalled.as_deref(), state.stalled_reason), (Some("another reason"), kind));
    scene.release(key, at(7)).await.unwrap();
    let state = scene.state(key).await;
    assert_eq!((state.stalled, state.stalled_reason), (None, None));
}

pub(super) async fn messages_to_an_instance_that_is_held_are_quiet(scene: Scene) {
    let (key, other) = (scene.running("a").await, scene.running("b").await);
    scene.hold(hold(key, 1)).await.unwrap();
    let committed = scene.raise(key, "sent", Visible::Now(at(5))).await;
    assert_eq!((committed.messages.len(), committed.next_visible), (0, None));
    let messages = vec![message(key, "of a turn", Visible::Now(at(6))), timer(key, 1, at(9))];
    let committed = scene.commit(Turn { messages, ..turn(other, 1) }).await.unwrap();
    assert_eq!((committed.messages.len(), committed.next_visible), (0, None));
    assert_eq!(scene.open_work(key).await.unwrap().messages, 3);
    assert_eq!(scene.recover(at(100)).await.unwrap().instances, []);
    scene.release(key, at(7)).await.unwrap();
    assert_eq!(scene.names(key).await, ["sent", "of a turn", "timer 1"]);
}

pub(super) async fn a_hold_needs_the_number_of_the_turn(scene: Scene) {
    let key = scene.running("a").await;
    let over = scene.ended("over", Status::Completed, at(1)).await;
    for wrong in [hold(key, 0), hold(key, 2), hold(over, 2), hold(InstanceKey(99), 0)] {
        let error = scene.hold(wrong).await.unwrap_err();
        assert!(matches!(error, StoreError::Conflict), "{error}");
    }
    assert_eq!(scene.state(key).await.status, Status::Running);
    assert_eq!(scene.state(over).await.status, Status::Completed);
}

pub(super) async fn an_instance_that_is_let_go_goes_on(scene: Scene) {
    let first = scene.deploy(deployment("one", 1)).await.unwrap();
    let second = scene.deploy(deployment("two", 2)).await.unwrap();
    let new = crate::NewInstance { deployment: Some(first), ..super::scene::instance("a") };
    let key = made(&scene.start(new).await.unwrap().0);
    let consumed = scene.waiting(key).await;
    scene.commit(Turn { consumed, messages: vec![timer(key, 0, at(9))], ..turn(key, 0) }).await.unwrap();
    scene.hold(hold(key, 1)).await.unwrap();
    scene.release(key, at(5)).await.unwrap();
    let state = scene.state(key).await;
    assert_eq!((state.status, state.stalled, state.deployment), (Status::Running, None, Some(first)));
    assert_eq!(state.updated_at, at(5));
    assert_eq!(scene.due(at(0), at(5), 10).await.unwrap().next, Some(at(9)));
    assert_eq!(scene.due(at(5), at(9), 10).await.unwrap().instances, [key]);
    scene.hold(hold(key, 1)).await.unwrap();
    scene.assign(key, second, at(6)).await.unwrap();
    let state = scene.state(key).await;
    assert_eq!((state.status, state.assigned), (Status::Running, Some(second)), "it goes on to move");
    scene.commit(Turn { assigned: Some(second), moved: Some(second), ..turn(key, 1) }).await.unwrap();
}

pub(super) async fn an_instance_without_a_turn_is_pending_again(scene: Scene) {
    let key = scene.started("a").await;
    scene.hold(hold(key, 0)).await.unwrap();
    assert_eq!(scene.recover(at(9)).await.unwrap().instances, []);
    scene.release(key, at(5)).await.unwrap();
    assert_eq!(scene.state(key).await.status, Status::Pending);
    assert_eq!(scene.names(key).await, ["start"]);
    assert_eq!(scene.recover(at(9)).await.unwrap().instances, [key]);
}

pub(super) async fn one_that_is_not_held_is_not_let_go(scene: Scene) {
    let key = scene.running("a").await;
    scene.commit(Turn { status: Status::Suspended, ..turn(key, 1) }).await.unwrap();
    let over = scene.ended("over", Status::Failed, at(1)).await;
    let before = (scene.state(key).await, scene.state(over).await);
    for instance in [key, over, InstanceKey(99)] {
        scene.release(instance, at(5)).await.unwrap();
    }
    assert_eq!((scene.state(key).await, scene.state(over).await), before);
}

pub(super) async fn a_child_that_is_held_is_told_quietly(scene: Scene) {
    let parent = scene.running("parent").await;
    let key = made(&scene.start(child("child", "parent", Terminate)).await.unwrap().0);
    scene.hold(hold(key, 0)).await.unwrap();
    let children = CloseChildren::All(event::terminated(at(5).to_timestamp(), None));
    let committed = scene.commit(Turn { children, ..end(parent, 1, Status::Completed) }).await.unwrap();
    assert_eq!(committed.messages, []);
    scene.release(key, at(6)).await.unwrap();
    assert_eq!(scene.names(key).await, ["start", "terminate"]);
}

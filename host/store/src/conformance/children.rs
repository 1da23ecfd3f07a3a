//! What children hear of the end of their parent.

use everturn_history::ParentClosePolicy::{Abandon, Terminate};
use everturn_history::{HistoryEvent, event};

use super::scene::{Scene, at, child, end, instance, names, raised, turn};
use crate::{CloseChildren, IfExists, InstanceKey, NewInstance, Restart, Status, Turn};

fn terminated() -> HistoryEvent {
    event::terminated(at(3).to_timestamp(), None)
}

async fn family(scene: &Scene) -> [InstanceKey; 4] {
    let parent = scene.running("parent").await;
    let children = vec![
        child("ended", "parent", Terminate),
        child("terminate", "parent", Terminate),
        child("abandon", "parent", Abandon),
    ];
    scene.commit(Turn { instances: children, ..turn(parent, 1) }).await.unwrap();
    scene.start(child("stranger", "nobody", Terminate)).await.unwrap();
    let mut keys = [parent; 4];
    for (place, id) in ["ended", "terminate", "abandon"].into_iter().enumerate() {
        let key = scene.find(&id.into()).await.unwrap().unwrap().key;
        let consumed = scene.waiting(key).await;
        scene.commit(Turn { consumed, ..turn(key, 0) }).await.unwrap();
        keys[place + 1] = key;
    }
    scene.commit(end(keys[1], 1, Status::Completed)).await.unwrap();
    keys
}

pub(super) async fn children_are_told_as_they_were_made(scene: Scene) {
    let [parent, ended, terminate, abandon] = family(&scene).await;
    let last = Turn { at: at(3), children: CloseChildren::ByPolicy(terminated()), ..end(parent, 2, Status::Completed) };
    let committed = scene.commit(last).await.unwrap();
    assert_eq!(committed.messages.len(), 1);
    assert_eq!(committed.messages, scene.everything(terminate).await);
    assert_eq!((names(&committed.messages), committed.messages[0].visible_at), (vec!["terminate".to_owned()], at(3)));
    assert_eq!(scene.names(abandon).await, [""; 0]);
    assert_eq!(scene.names(ended).await, [""; 0]);
    let stranger = scene.find(&"stranger".into()).await.unwrap().unwrap().key;
    assert_eq!(scene.names(stranger).await, ["start"]);
}

pub(super) async fn all_children_are_told_if_all_are_meant(scene: Scene) {
    let [parent, ended, terminate, abandon] = family(&scene).await;
    let last = Turn { children: CloseChildren::All(terminated()), ..end(parent, 2, Status::Terminated) };
    let committed = scene.commit(last).await.unwrap();
    assert_eq!(committed.messages.iter().map(|it| it.instance).collect::<Vec<_>>(), [terminate, abandon]);
    assert_eq!(scene.names(abandon).await, ["terminate"]);
    assert_eq!(scene.names(ended).await, [""; 0]);
}

pub(super) async fn children_of_every_generation_are_told(scene: Scene) {
    let [parent, _, terminate, _] = family(&scene).await;
    let restart = Restart {
        execution_id: "second run of parent".to_owned(),
        generation: 1,
        version: None,
        deployment: None,
        opening: vec![raised("begin")],
    };
    scene.commit(Turn { restart: Some(restart), ..turn(parent, 2) }).await.unwrap();
    assert_eq!(scene.names(terminate).await, [""; 0], "a restart is no end");
    let last = Turn { children: CloseChildren::ByPolicy(terminated()), ..end(parent, 3, Status::Completed) };
    scene.commit(last).await.unwrap();
    assert_eq!(scene.names(terminate).await, ["terminate"]);
}

pub(super) async fn children_of_another_with_the_same_id_are_not_told(scene: Scene) {
    let [parent, _, terminate, _] = family(&scene).await;
    scene.commit(end(parent, 2, Status::Completed)).await.unwrap();
    let again = NewInstance { if_exists: IfExists::ReplaceEnded, ..instance("parent") };
    let parent = super::scene::made(&scene.start(again).await.unwrap().0);
    let last = Turn { children: CloseChildren::All(terminated()), ..end(parent, 0, Status::Completed) };
    assert_eq!(scene.commit(last).await.unwrap().messages, []);
    assert_eq!(scene.names(terminate).await, [""; 0]);
}

pub(super) async fn a_child_of_the_last_turn_is_told_too(scene: Scene) {
    let parent = scene.running("parent").await;
    let last = Turn {
        instances: vec![child("late", "parent", Terminate)],
        children: CloseChildren::ByPolicy(terminated()),
        ..end(parent, 1, Status::Completed)
    };
    let committed = scene.commit(last).await.unwrap();
    assert_eq!(names(&committed.messages), ["start", "terminate"]);
}

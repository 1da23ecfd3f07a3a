//! New instances.

use std::collections::BTreeMap;
use std::sync::Arc;

use everturn_history::ParentClosePolicy;

use super::scene::{Scene, at, child, end, events, instance, lease, made, message, names, outcome, task, timer, turn};
use crate::{
    Address, Beginning, CloseChildren, DeploymentId, Filter, IfExists, Instance, InstanceKey, NewInstance, NewMessage,
    Past, Started, Status, StoreError, Turn, Visible,
};

pub(super) async fn a_start_makes_an_instance_with_its_first_message(scene: Scene) {
    scene.started("parent").await;
    let tags = BTreeMap::from([("team".to_owned(), "é \0 \"".to_owned())]);
    let version = Some("1.2".to_owned());
    let new = NewInstance { tags, version, ..child("a", "parent", ParentClosePolicy::Terminate) };
    let (started, committed) = scene.start(new.clone()).await.unwrap();
    let key = made(&started);
    let expected = Instance {
        key,
        id: new.id,
        workflow: new.workflow,
        version: new.version,
        deployment: None,
        assigned: None,
        execution_id: new.execution_id,
        generation: 0,
        status: Status::Pending,
        stalled: None,
        stalled_reason: None,
        custom_status: None,
        outcome: None,
        created_at: at(0),
        starts_at: at(0),
        updated_at: at(0),
        ended_at: None,
        turns: 0,
        events: 0,
        history_bytes: 0,
        wants_turn: false,
        parent: new.parent,
        tags: new.tags,
    };
    assert_eq!(scene.find(&"a".into()).await.unwrap(), Some(expected.clone()));
    let loaded = scene.load(key).await.unwrap().unwrap();
    assert_eq!((loaded.instance, loaded.history), (expected, vec![]));
    assert_eq!(names(&committed.messages), ["start"]);
    assert_eq!(committed.messages[0].instance, key);
    assert_eq!(committed.next_visible, None);
    assert_eq!(scene.inbox(key, at(0), 10).await.unwrap(), committed.messages);
    assert_eq!(scene.find(&"b".into()).await.unwrap(), None);
    assert_eq!(scene.load(InstanceKey(key.0 + 1)).await.unwrap(), None);
}

pub(super) async fn a_start_may_come_with_its_first_turn(scene: Scene) {
    let itself = |message: NewMessage| NewMessage { to: Address::Itself, ..message };
    let first = Turn {
        events: events(&["began"]),
        messages: vec![
            itself(timer(InstanceKey(0), 1, at(9))),
            itself(message(InstanceKey(0), "at once", Visible::Now(at(1)))),
        ],
        tasks: vec![task(0, "pack")],
        custom_status: Some("\"packing\"".to_owned()),
        ..turn(InstanceKey(0), 0)
    };
    let new = NewInstance { beginning: Beginning::Turn(Arc::new(first)), ..instance("a") };
    let (started, committed) = scene.start(new.clone()).await.unwrap();
    let key = made(&started);
    assert_eq!((committed.tasks.len(), committed.next_visible), (1, Some(at(9))));
    assert_eq!((names(&committed.messages), committed.messages[0].instance), (vec!["at once".to_owned()], key));
    let loaded = scene.load(key).await.unwrap().unwrap();
    assert_eq!((loaded.history.len(), loaded.instance.events, loaded.instance.turns), (1, 1, 1));
    assert_eq!((loaded.instance.status, loaded.instance.updated_at), (Status::Running, at(1)));
    assert_eq!(loaded.instance.custom_status.as_deref(), Some("\"packing\""));
    assert_eq!(scene.names(key).await, ["at once", "timer 1"], "no start: its turn has it");
    scene.commit(turn(key, 1)).await.unwrap();
    let again = scene.start(NewInstance { if_exists: IfExists::Keep, ..new }).await.unwrap();
    assert_eq!(again, (Started::Kept(key), crate::Committed::default()), "its turn is not taken either");
}

pub(super) async fn an_instance_may_end_with_its_first_turn(scene: Scene) {
    let last = Turn { events: events(&["all"]), ..end(InstanceKey(0), 0, Status::Completed) };
    let new = NewInstance { beginning: Beginning::Turn(Arc::new(last)), ..instance("a") };
    let key = made(&scene.start(new).await.unwrap().0);
    let state = scene.state(key).await;
    assert_eq!((state.status, state.ended_at, state.turns), (Status::Completed, Some(at(1)), 1));
    assert_eq!(state.outcome, Some(outcome(Status::Completed)));
    assert_eq!(scene.purge_ended(Status::Completed, at(2), 9).await.unwrap(), 1);
}

pub(super) async fn a_start_for_later_is_not_seen_before(scene: Scene) {
    let (started, committed) = scene.start(NewInstance { starts_at: at(5), ..instance("a") }).await.unwrap();
    let key = made(&started);
    assert_eq!(committed.messages, []);
    assert_eq!(committed.next_visible, Some(at(5)));
    assert_eq!(scene.inbox(key, at(4), 10).await.unwrap(), []);
    assert_eq!(names(&scene.inbox(key, at(5), 10).await.unwrap()), ["start"]);
    assert_eq!(scene.due(at(0), at(5), 10).await.unwrap().instances, [key]);
    assert_eq!(scene.state(key).await.starts_at, at(5));
}

pub(super) async fn an_id_in_use_is_refused(scene: Scene) {
    let key = scene.started("a").await;
    let error = scene.start(instance("a")).await.unwrap_err();
    let StoreError::AlreadyExists { id, status } = error else { panic!("{error}") };
    assert_eq!((id.as_str(), status), ("a", Status::Pending));
    assert_eq!(scene.names(key).await, ["start"]);
    scene.ended("b", Status::Failed, at(1)).await;
    let error = scene.start(instance("b")).await.unwrap_err();
    assert!(matches!(error, StoreError::AlreadyExists { status: Status::Failed, .. }), "{error}");
}

pub(super) async fn an_instance_that_is_there_can_be_kept(scene: Scene) {
    let key = scene.running("a").await;
    let before = scene.state(key).await;
    let again = NewInstance { if_exists: IfExists::Keep, ..instance("a") };
    let (started, committed) = scene.start(again).await.unwrap();
    assert_eq!(started, Started::Kept(key));
    assert_eq!(committed, crate::Committed::default());
    assert_eq!(scene.state(key).await, before);
    let other = NewInstance { if_exists: IfExists::Keep, ..instance("b") };
    assert!(matches!(scene.start(other).await.unwrap().0, Started::Made { replaced: None, .. }));
}

pub(super) async fn only_an_instance_that_has_ended_is_replaced(scene: Scene) {
    let old = scene.running("a").await;
    let again = NewInstance { if_exists: IfExists::ReplaceEnded, execution_id: "second".to_owned(), ..instance("a") };
    let error = scene.start(again.clone()).await.unwrap_err();
    assert!(matches!(error, StoreError::AlreadyExists { status: Status::Running, .. }), "{error}");
    scene.commit(end(old, 1, Status::Completed)).await.unwrap();
    let (started, committed) = scene.start(again).await.unwrap();
    let new = made(&started);
    assert_eq!(started, Started::Made { instance: new, replaced: Some(old) });
    assert!(new > old, "a number was used again");
    assert_eq!(names(&committed.messages), ["start"]);
    assert_eq!(scene.load(old).await.unwrap(), None);
    let found = scene.find(&"a".into()).await.unwrap().unwrap();
    assert_eq!((found.key, found.execution_id.as_str(), found.turns), (new, "second", 0));
}

pub(super) async fn a_message_can_take_the_place_of_a_start(scene: Scene) {
    let there = scene.running("a").await;
    let caller = scene.running("caller").await;
    let tell = IfExists::Tell(Box::new(message(caller, "in use", Visible::Now(at(2)))));
    let (started, committed) = scene.start(NewInstance { if_exists: tell, ..instance("a") }).await.unwrap();
    assert_eq!(started, Started::Kept(there));
    assert_eq!(names(&committed.messages), ["in use"]);
    assert_eq!(scene.names(caller).await, ["in use"]);
    assert_eq!(scene.names(there).await, [""; 0]);
}

pub(super) async fn a_turn_takes_the_place_of_what_has_ended_and_tells_otherwise(scene: Scene) {
    let parent = scene.running("parent").await;
    let over = scene.ended("over", Status::Failed, at(1)).await;
    let open = scene.running("open").await;
    let told = |name: &str| {
        let message = Box::new(message(parent, &format!("{name} is in use"), Visible::Now(at(2))));
        NewInstance { if_exists: IfExists::ReplaceEndedOrTell(message), ..instance(name) }
    };
    let instances = vec![told("over"), told("open")];
    scene.commit(Turn { instances, ..turn(parent, 1) }).await.unwrap();
    assert_eq!(scene.names(parent).await, ["open is in use"]);
    assert_ne!(scene.find(&"over".into()).await.unwrap().unwrap().key, over);
    assert_eq!(scene.find(&"open".into()).await.unwrap().unwrap().key, open);
}

pub(super) async fn a_start_can_be_dropped(scene: Scene) {
    let there = scene.running("a").await;
    let dropped = NewInstance { if_exists: IfExists::Drop, ..instance("a") };
    assert_eq!(scene.start(dropped).await.unwrap(), (Started::Kept(there), crate::Committed::default()));
    assert_eq!(scene.names(there).await, [""; 0]);
}

pub(super) async fn an_instance_can_begin_with_a_past(scene: Scene) {
    let elsewhere = InstanceKey(4_711);
    let working = crate::NewTask { lease: Some(lease(1)), ..task(2, "ship") };
    let past = Past {
        turns: vec![events(&["one", "two"]), events(&["three"])],
        tasks: vec![task(1, "charge"), working],
        messages: vec![
            timer(elsewhere, 0, at(9)),
            timer(elsewhere, 3, at(-1)),
            message(elsewhere, "go", Visible::Now(at(0))),
        ],
        children: vec![child("child", "a", ParentClosePolicy::Terminate)],
        wants_turn: true,
    };
    let new = NewInstance { beginning: Beginning::History(Box::new(past)), ..instance("a") };
    let (started, committed) = scene.start(new).await.unwrap();
    let key = made(&started);
    let loaded = scene.load(key).await.unwrap().unwrap();
    assert_eq!(loaded.history, ["one", "two", "three"].map(super::scene::raised));
    assert_eq!((loaded.instance.turns, loaded.instance.events), (2, 3));
    assert_eq!(loaded.instance.history_bytes, events(&["one", "two", "three"]).bytes.len() as u64);
    assert_eq!((loaded.instance.status, loaded.instance.wants_turn), (Status::Running, true));
    assert_eq!(names(&committed.messages), ["timer 3", "go", "start"]);
    assert_eq!(committed.next_visible, Some(at(9)));
    let tasks = scene.open_work(key).await.unwrap().tasks;
    assert_eq!(tasks.iter().map(|task| task.key).collect::<Vec<_>>(), committed.tasks);
    assert_eq!(tasks.iter().map(|task| (task.task.get(), task.dispatches)).collect::<Vec<_>>(), [(1, 0), (2, 1)]);
    assert_eq!(scene.names(key).await, ["timer 3", "go", "timer 0"]);
    scene.commit(turn(key, 2)).await.unwrap();
    let children = scene.list(Filter { parent: Some("a".into()), ..Filter::default() }, None, 10).await.unwrap();
    assert_eq!(children.instances.iter().map(|it| it.id.as_str()).collect::<Vec<_>>(), ["child"]);
    let terminated = everturn_history::event::terminated(at(3).to_timestamp(), None);
    let last = Turn { children: CloseChildren::ByPolicy(terminated), ..end(key, 3, Status::Completed) };
    assert_eq!(names(&scene.commit(last).await.unwrap().messages), ["terminate"]);
}

pub(super) async fn the_workflows_of_remote_workers_are_remembered(scene: Scene) {
    let deployment = scene.deploy(super::deployments::deployment("one", 1)).await.unwrap();
    let here = NewInstance { deployment: Some(deployment), workflow: "here".to_owned(), ..instance("h") };
    scene.start(here).await.unwrap();
    assert_eq!(scene.remote_workflows().await.unwrap(), [""; 0]);
    scene.start(NewInstance { workflow: "refund".to_owned(), ..instance("a") }).await.unwrap();
    let parent = scene.running("b").await;
    let detached = NewInstance { workflow: "audit".to_owned(), ..instance("c") };
    scene.commit(Turn { instances: vec![detached], ..turn(parent, 1) }).await.unwrap();
    let key = scene.find(&"a".into()).await.unwrap().unwrap().key;
    scene.purge(key, true).await.unwrap();
    assert_eq!(scene.remote_workflows().await.unwrap(), ["audit", "order", "refund"]);
}

pub(super) async fn a_start_on_a_deployment_that_is_not_there_is_refused(scene: Scene) {
    let error = scene.start(NewInstance { deployment: Some(DeploymentId(99)), ..instance("a") }).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict), "{error}");
    assert_eq!(scene.find(&"a".into()).await.unwrap(), None);
}

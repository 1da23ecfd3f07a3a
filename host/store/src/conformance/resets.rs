//! Instances that go on from an earlier point of their history.

use everturn_history::ParentClosePolicy::{Abandon, Terminate};
use everturn_history::{SequenceId, event};

use super::deployments::{active, deployment};
use super::scene::{Scene, at, child, end, events, instance, lease, made, message, names, raised, task, timer, turn};
use crate::{
    Address, Awaited, DeploymentId, FinishedTask, Hold, InstanceKey, NewInstance, NewMessage, NewTask, ParentLink,
    Reset, Status, StoreError, Turn, Visible,
};

/// An instance `a` on a deployment, with three turns: of one event, of two and of one.
async fn under_way(scene: &Scene) -> (InstanceKey, DeploymentId) {
    let deployed = scene.deploy(deployment("one", 1)).await.unwrap();
    let new = NewInstance { deployment: Some(deployed), ..instance("a") };
    let key = made(&scene.start(new).await.unwrap().0);
    let consumed = scene.waiting(key).await;
    scene.commit(Turn { consumed, events: events(&["start"]), ..turn(key, 0) }).await.unwrap();
    let second = Turn {
        events: events(&["two", "three"]),
        messages: vec![timer(key, 0, at(90))],
        tasks: vec![NewTask { lease: Some(lease(1)), ..task(1, "charge") }],
        ..turn(key, 1)
    };
    scene.commit(second).await.unwrap();
    let third = Turn {
        events: events(&["four"]),
        messages: vec![timer(key, 2, at(91))],
        tasks: vec![task(3, "ship"), NewTask { lease: Some(lease(3)), ..task(4, "ship") }],
        wants_turn: true,
        custom_status: Some("\"late\"".to_owned()),
        ..turn(key, 2)
    };
    scene.commit(third).await.unwrap();
    (key, deployed)
}

/// Takes back the third of those turns.
fn reset(instance: InstanceKey, deployment: DeploymentId) -> Reset {
    Reset {
        instance,
        number: 3,
        assigned: None,
        at: at(5),
        kept: 3,
        execution_id: "second run of a".to_owned(),
        deployment,
        by_hand: false,
        status: Status::Running,
        custom_status: Some("\"early\"".to_owned()),
        given_up: [2, 3, 4].map(SequenceId::new).to_vec(),
        close: event::terminated(at(5).to_timestamp(), None),
        opening: vec![(raised("again"), None)],
        awaited: vec![],
    }
}

pub(super) async fn a_reset_cuts_history_and_gives_up_what_was_asked_for_since(mut scene: Scene) {
    let (key, deployed) = under_way(&scene).await;
    let before = scene.open_work(key).await.unwrap().tasks;
    let committed = scene.reset(reset(key, deployed)).await.unwrap();
    assert_eq!(committed.abandoned, [before[2].key], "somebody works on it");
    scene.crash();
    let loaded = scene.load(key).await.unwrap().unwrap();
    assert_eq!(loaded.history, ["start", "two", "three"].map(raised));
    let state = loaded.instance;
    assert_eq!((state.turns, state.events), (4, 3), "it counts like a turn");
    assert_eq!(state.history_bytes, (events(&["start"]).bytes.len() + events(&["two", "three"]).bytes.len()) as u64);
    assert_eq!((state.execution_id.as_str(), state.updated_at), ("second run of a", at(5)));
    assert_eq!((state.custom_status.as_deref(), state.wants_turn), (Some("\"early\""), false));
    let left: Vec<_> = scene.open_work(key).await.unwrap().tasks.iter().map(|task| task.key).collect();
    assert_eq!(left, [before[0].key]);
    assert_eq!(scene.names(key).await, ["again", "timer 0"]);
    let late = FinishedTask { key: before[2].key, token: lease(3).token };
    let error = scene.commit(Turn { finished: vec![late], ..turn(key, 4) }).await.unwrap_err();
    assert!(matches!(error, StoreError::StaleToken { .. }), "{error}");
    scene.commit(Turn { events: events(&["other"]), ..turn(key, 4) }).await.unwrap();
    assert_eq!(scene.load(key).await.unwrap().unwrap().history[3], raised("other"));
}

pub(super) async fn all_of_a_history_can_be_taken_back(scene: Scene) {
    let (key, deployed) = under_way(&scene).await;
    let all = Reset { kept: 0, status: Status::Pending, custom_status: None, ..reset(key, deployed) };
    scene.reset(all).await.unwrap();
    let loaded = scene.load(key).await.unwrap().unwrap();
    assert_eq!((loaded.history, loaded.instance.status), (vec![], Status::Pending));
    assert_eq!((loaded.instance.history_bytes, loaded.instance.custom_status), (0, None));
}

pub(super) async fn what_comes_again_is_seen_before_all_that_waits(scene: Scene) {
    let (key, deployed) = under_way(&scene).await;
    scene.raise(key, "waits", Visible::Now(at(-1_000_000))).await;
    let numbered = SequenceId::new(1);
    let opening = vec![(raised("one"), None), (raised("two"), Some(numbered)), (raised("three"), None)];
    let committed = scene.reset(Reset { opening, ..reset(key, deployed) }).await.unwrap();
    assert_eq!(names(&committed.messages), ["one", "two", "three"]);
    assert_eq!(scene.names(key).await, ["one", "two", "three", "waits", "timer 0"]);
    scene.commit(Turn { settled: vec![numbered], ..turn(key, 4) }).await.unwrap();
    assert_eq!(scene.names(key).await, ["one", "three", "waits", "timer 0"], "an answer goes with what it answers");
}

pub(super) async fn what_is_waited_for_is_made_again_unless_it_is_there(scene: Scene) {
    let (key, deployed) = under_way(&scene).await;
    // The third turn gave up an activity, and a timer that had been asked for before.
    scene.commit(Turn { settled: [0, 1].map(SequenceId::new).to_vec(), ..turn(key, 3) }).await.unwrap();
    scene.raise(key, "waits", Visible::Now(at(1))).await;
    let awaited = |number: i32, task, message| Awaited { number: SequenceId::new(number), task, message };
    let all = vec![
        awaited(0, None, Some(timer(key, 0, at(90)))),
        awaited(1, Some(task(1, "charge")), Some(timer(key, 1, at(80)))),
    ];
    let asked = Reset { number: 4, awaited: all.clone(), ..reset(key, deployed) };
    let committed = scene.reset(asked.clone()).await.unwrap();
    assert_eq!((committed.tasks.len(), committed.next_visible), (1, Some(at(80))));
    assert_eq!(scene.names(key).await, ["again", "waits", "timer 1", "timer 0"]);
    let committed = scene.reset(Reset { number: 5, opening: vec![], ..asked }).await.unwrap();
    assert_eq!((committed.tasks, committed.next_visible), (vec![], None), "they are there");
    assert_eq!(scene.open_work(key).await.unwrap().tasks.len(), 1);
    assert_eq!(scene.names(key).await, ["again", "waits", "timer 1", "timer 0"]);
}

pub(super) async fn children_that_stay_answer_to_the_new_run_and_others_to_nobody(scene: Scene) {
    let (key, deployed) = under_way(&scene).await;
    let called = |id: &str, number: i32, close| {
        let new = child(id, "a", close);
        let parent = new.parent.clone().map(|link| ParentLink { task: SequenceId::new(number), ..link });
        NewInstance { parent, ..new }
    };
    let children = vec![
        called("stays", 5, Terminate),
        called("goes", 6, Terminate),
        called("abandoned", 7, Abandon),
        called("ended", 8, Terminate),
    ];
    scene.commit(Turn { instances: children, ..turn(key, 3) }).await.unwrap();
    let mut keys = Vec::new();
    for id in ["stays", "goes", "abandoned", "ended"] {
        keys.push(scene.find(&id.into()).await.unwrap().unwrap().key);
    }
    scene.commit(end(keys[3], 0, Status::Completed)).await.unwrap();
    let given_up = [6, 7, 8].map(SequenceId::new).to_vec();
    scene.reset(Reset { number: 4, given_up, kept: 4, opening: vec![], ..reset(key, deployed) }).await.unwrap();
    assert_eq!(scene.names(keys[0]).await, ["start"]);
    assert_eq!(scene.names(keys[1]).await, ["start", "terminate"]);
    assert_eq!(scene.names(keys[2]).await, ["start"], "as its policy says");
    assert_eq!(scene.state(keys[0]).await.parent.unwrap().execution_id, "second run of a");
    for (place, name) in [(0, "stays"), (1, "goes"), (2, "abandoned")] {
        let to = Address::ParentOf(keys[place]);
        let answer = NewMessage { to, event: raised(name), visible: Visible::Now(at(6)), task: None };
        scene.commit(Turn { messages: vec![answer], ..end(keys[place], 0, Status::Completed) }).await.unwrap();
    }
    assert_eq!(scene.names(key).await, ["stays", "timer 0", "timer 2"]);
}

pub(super) async fn a_reset_needs_the_number_of_turns_and_whole_turns(scene: Scene) {
    let (key, deployed) = under_way(&scene).await;
    let over = scene.ended("over", Status::Completed, at(1)).await;
    let good = reset(key, deployed);
    let before = (scene.load(key).await.unwrap(), scene.names(key).await);
    let wrong = [
        Reset { number: 2, ..good.clone() },
        Reset { number: 4, ..good.clone() },
        Reset { kept: 2, ..good.clone() },
        Reset { kept: 5, ..good.clone() },
        Reset { assigned: Some(deployed), ..good.clone() },
        Reset { deployment: DeploymentId(99), ..good.clone() },
        Reset { instance: over, number: 2, kept: 0, ..good.clone() },
        Reset { instance: InstanceKey(99), ..good.clone() },
    ];
    for wrong in wrong {
        let error = scene.reset(wrong).await.unwrap_err();
        assert!(matches!(error, StoreError::Conflict), "{error}");
    }
    assert_eq!((scene.load(key).await.unwrap(), scene.names(key).await), before, "nothing of it was done");
    scene.reset(good).await.unwrap();
    let error = scene.commit(turn(key, 3)).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict), "a turn that was under way is not written: {error}");
}

pub(super) async fn an_instance_that_is_held_goes_on_with_a_reset(scene: Scene) {
    let (key, deployed) = under_way(&scene).await;
    let held = Hold { instance: key, number: 3, reason: "its code has changed".to_owned(), kind: None, at: at(4) };
    scene.hold(held).await.unwrap();
    scene.send(message(key, "waits", Visible::Now(at(4)))).await.unwrap();
    let committed = scene.reset(Reset { status: Status::Suspended, ..reset(key, deployed) }).await.unwrap();
    assert_eq!(names(&committed.messages), ["again"]);
    let state = scene.state(key).await;
    assert_eq!((state.status, state.stalled), (Status::Suspended, None));
    assert_eq!(scene.names(key).await, ["again", "waits", "timer 0"]);
    assert_eq!(scene.due(at(5), at(6), 10).await.unwrap().next, Some(at(90)));
    assert_eq!(scene.recover(at(6)).await.unwrap().instances, [key]);
}

pub(super) async fn a_version_that_was_chosen_with_a_reset_stays(scene: Scene) {
    let (key, first) = under_way(&scene).await;
    let second = active(&scene, deployment("two", 2)).await;
    scene.assign(key, second, at(4)).await.unwrap();
    let asked = Reset { assigned: Some(second), ..reset(key, first) };
    scene.reset(asked).await.unwrap();
    let state = scene.state(key).await;
    assert_eq!((state.deployment, state.assigned, state.version), (Some(first), None, None));
    let chosen = Reset { number: 4, by_hand: true, ..reset(key, first) };
    scene.reset(chosen).await.unwrap();
    assert_eq!(scene.state(key).await.version.as_deref(), Some("one"));
    let chosen = Reset { number: 5, by_hand: true, ..reset(key, second) };
    scene.reset(chosen).await.unwrap();
    let state = scene.state(key).await;
    assert_eq!((state.deployment, state.version), (Some(second), None), "that is where all others go");
}

//! Turns: all that they change, or nothing.

use std::sync::Arc;
use std::time::{Duration, Instant};

use everturn_history::SequenceId;

use super::scene::{Scene, at, end, events, instance, lease, message, names, raised, task, timer, turn};
use crate::{
    Address, FinishedTask, IfExists, InstanceKey, MessageId, NewInstance, NewMessage, NewTask, Status, StoreError,
    TaskKey, Turn, Visible,
};

pub(super) async fn the_opening_of_a_history_is_its_first_turn(scene: Scene) {
    let key = scene.started("a").await;
    assert_eq!(scene.opening(key).await.unwrap(), []);
    let first = events(&["one", "two"]);
    let consumed = scene.waiting(key).await;
    scene.commit(Turn { events: first, consumed, ..turn(key, 0) }).await.unwrap();
    scene.commit(Turn { events: events(&["three"]), ..turn(key, 1) }).await.unwrap();
    assert_eq!(scene.opening(key).await.unwrap(), ["one", "two"].map(raised));
}

pub(super) async fn a_turn_changes_all_that_it_says(scene: Scene) {
    let key = scene.started("a").await;
    let other = scene.running("b").await;
    let first = Turn {
        at: at(2),
        events: events(&["one", "two"]),
        consumed: scene.waiting(key).await,
        messages: vec![timer(key, 0, at(7)), message(other, "hello", Visible::Now(at(2)))],
        tasks: vec![task(1, "charge"), NewTask { lease: Some(lease(1)), ..task(2, "ship") }],
        instances: vec![instance("child")],
        status: Status::Suspended,
        custom_status: Some("halfway".to_owned()),
        wants_turn: true,
        ..turn(key, 0)
    };
    let bytes = first.events.bytes.len() as u64;
    let committed = scene.commit(first).await.unwrap();
    let child = scene.find(&"child".into()).await.unwrap().unwrap();
    assert_eq!(names(&committed.messages), ["hello", "start"]);
    assert_eq!(committed.messages.iter().map(|it| it.instance).collect::<Vec<_>>(), [other, child.key]);
    assert_eq!((committed.tasks.len(), committed.next_visible), (2, Some(at(7))));
    assert_eq!(committed.abandoned, []);
    let state = scene.state(key).await;
    assert_eq!((state.turns, state.events, state.history_bytes), (1, 2, bytes));
    assert_eq!((state.status, state.wants_turn, state.updated_at), (Status::Suspended, true, at(2)));
    assert_eq!((state.custom_status.as_deref(), state.ended_at), (Some("halfway"), None));
    assert_eq!(scene.names(key).await, ["timer 0"]);
    assert_eq!(scene.names(other).await, ["hello"]);
    assert_eq!((child.status, child.turns), (Status::Pending, 0));
    let tasks = scene.open_work(key).await.unwrap().tasks;
    assert_eq!(tasks.iter().map(|task| task.key).collect::<Vec<_>>(), committed.tasks);
    // What a turn does not speak of stays: the text to show.
    scene.commit(turn(key, 1)).await.unwrap();
    let state = scene.state(key).await;
    assert_eq!((state.status, state.wants_turn, state.turns), (Status::Running, false, 2));
    assert_eq!(state.custom_status.as_deref(), Some("halfway"));
}

pub(super) async fn history_is_what_the_turns_added(scene: Scene) {
    let key = scene.started("a").await;
    let turns: [&[&str]; 4] = [&["one", "two"], &[], &["three"], &["four"]];
    for (number, names) in turns.iter().enumerate() {
        scene.commit(Turn { events: events(names), ..turn(key, number as u64) }).await.unwrap();
    }
    let loaded = scene.load(key).await.unwrap().unwrap();
    assert_eq!(loaded.history, ["one", "two", "three", "four"].map(raised));
    assert_eq!((loaded.instance.turns, loaded.instance.events), (4, 4));
}

pub(super) async fn a_turn_that_fails_leaves_nothing(scene: Scene) {
    let key = scene.running("a").await;
    let other = scene.running("b").await;
    scene.raise(key, "waits", Visible::Now(at(1))).await;
    scene.commit(Turn { tasks: vec![task(8, "charge")], ..turn(key, 1) }).await.unwrap();
    let before = (scene.load(key).await.unwrap(), scene.open_work(key).await.unwrap());
    let whole = Turn {
        events: events(&["one"]),
        consumed: scene.waiting(key).await,
        settled: vec![SequenceId::new(8)],
        messages: vec![timer(key, 0, at(7)), message(other, "hello", Visible::Now(at(2)))],
        tasks: vec![task(1, "charge")],
        instances: vec![instance("child")],
        custom_status: Some("halfway".to_owned()),
        ..turn(key, 2)
    };
    let nowhere = FinishedTask { key: TaskKey(99), token: lease(1).token };
    let failing = [
        Turn { consumed: vec![MessageId(9_999)], ..whole.clone() },
        Turn { finished: vec![nowhere], ..whole.clone() },
        Turn { instances: vec![instance("child"), instance("b")], ..whole.clone() },
    ];
    for failing in failing {
        scene.commit(failing).await.unwrap_err();
        assert_eq!((scene.load(key).await.unwrap(), scene.open_work(key).await.unwrap()), before);
        assert_eq!(scene.names(key).await, ["waits"]);
        assert_eq!(scene.names(other).await, [""; 0]);
        assert_eq!(scene.find(&"child".into()).await.unwrap(), None);
    }
    scene.commit(whole).await.unwrap();
}

pub(super) async fn a_turn_with_another_number_is_refused(scene: Scene) {
    let key = scene.running("a").await;
    for number in [0, 2] {
        let error = scene.commit(turn(key, number)).await.unwrap_err();
        assert!(matches!(error, StoreError::Conflict), "{number}: {error}");
    }
    let error = scene.commit(turn(InstanceKey(99), 0)).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict), "{error}");
    assert_eq!(scene.state(key).await.turns, 1);
    scene.commit(turn(key, 1)).await.unwrap();
}

pub(super) async fn a_turn_ahead_of_its_time_is_kept_when_that_has_come(scene: Scene) {
    let key = scene.running("a").await;
    let store = scene.shared();
    let moment = Instant::now() + Duration::from_millis(300);
    let ending = Turn { events: events(&["one"]), ..end(key, 1, Status::Completed) };
    let mut ahead = store.commit_ahead(Arc::new(ending), moment);
    assert!(futures::poll!(&mut ahead).is_pending());
    // Who comes later is behind it, and hears of nothing before.
    let mut late = store.send(message(key, "late", Visible::Now(at(2))));
    assert!(futures::poll!(&mut late).is_pending());
    let before = scene.state(key).await;
    if Instant::now() < moment {
        assert_eq!((before.turns, before.status), (1, Status::Running));
    }
    ahead.await.unwrap();
    assert!(Instant::now() >= moment);
    assert!(matches!(late.await.unwrap_err(), StoreError::Ended { .. }));
    let after = scene.state(key).await;
    assert_eq!((after.turns, after.status), (2, Status::Completed));
}

pub(super) async fn a_turn_ahead_of_its_time_is_refused_if_anything_came_meanwhile(scene: Scene) {
    let key = scene.running("a").await;
    let timers = [timer(key, 0, at(7)), timer(key, 1, at(8))].to_vec();
    scene.commit(Turn { messages: timers, ..turn(key, 1) }).await.unwrap();
    let consumed = vec![scene.waiting(key).await[0]];
    let ahead = Arc::new(Turn { at: at(7), events: events(&["one"]), consumed, ..turn(key, 2) });
    scene.raise(key, "before", Visible::Now(at(6))).await;
    let error = scene.shared().commit_ahead(Arc::clone(&ahead), Instant::now()).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict), "{error}");
    assert_eq!((scene.state(key).await.turns, scene.names(key).await.len()), (2, 3));
    let consumed = scene.inbox(key, at(6), 9).await.unwrap().iter().map(|message| message.id).collect();
    scene.commit(Turn { consumed, ..turn(key, 2) }).await.unwrap();
    // The second timer is for later.
    scene
        .shared()
        .commit_ahead(Arc::new(Turn { number: 3, ..Arc::unwrap_or_clone(ahead) }), Instant::now())
        .await
        .unwrap();
    assert_eq!(scene.names(key).await, ["timer 1"]);
}

pub(super) async fn a_message_is_consumed_once_and_by_its_instance_only(scene: Scene) {
    let (key, other) = (scene.running("a").await, scene.running("b").await);
    scene.raise(key, "mine", Visible::Now(at(1))).await;
    let consumed = scene.waiting(key).await;
    let error = scene.commit(Turn { consumed: consumed.clone(), ..turn(other, 1) }).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict), "{error}");
    let twice = [consumed.clone(), consumed.clone()].concat();
    let error = scene.commit(Turn { consumed: twice, ..turn(key, 1) }).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict), "{error}");
    scene.commit(Turn { consumed: consumed.clone(), ..turn(key, 1) }).await.unwrap();
    assert_eq!(scene.names(key).await, [""; 0]);
    let error = scene.commit(Turn { consumed, ..turn(key, 2) }).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict), "{error}");
}

pub(super) async fn messages_of_a_turn_to_nobody_are_dropped(scene: Scene) {
    let (key, open) = (scene.running("a").await, scene.running("b").await);
    let over = scene.ended("over", Status::Completed, at(1)).await;
    let by_id = |id: &str, run: Option<&str>| NewMessage {
        to: Address::Id { id: id.into(), execution_id: run.map(str::to_owned) },
        ..message(key, id, Visible::Now(at(2)))
    };
    let messages = vec![
        message(InstanceKey(99), "nobody", Visible::Now(at(2))),
        message(over, "over", Visible::Now(at(2))),
        by_id("nobody", None),
        by_id("over", None),
        by_id("b", Some("another run")),
        by_id("b", Some("first run of b")),
        by_id("b", None),
    ];
    let committed = scene.commit(Turn { messages, ..turn(key, 1) }).await.unwrap();
    assert_eq!(names(&committed.messages), ["b", "b"]);
    assert_eq!(scene.names(open).await, ["b", "b"]);
    assert_eq!(scene.open_work(over).await.unwrap().messages, 0);
}

pub(super) async fn a_time_that_has_come_is_not_waited_for(scene: Scene) {
    let key = scene.running("a").await;
    let messages = vec![timer(key, 0, at(1)), timer(key, 1, at(2)), timer(key, 2, at(3))];
    let committed = scene.commit(Turn { at: at(2), messages, ..turn(key, 1) }).await.unwrap();
    assert_eq!(names(&committed.messages), ["timer 0", "timer 1"]);
    assert_eq!(committed.next_visible, Some(at(3)));
}

pub(super) async fn what_is_settled_goes(scene: Scene) {
    let (key, other) = (scene.running("a").await, scene.running("b").await);
    let first = Turn {
        messages: vec![timer(key, 0, at(7)), timer(key, 1, at(7)), timer(key, 3, at(1)), timer(other, 0, at(7))],
        tasks: vec![
            task(2, "charge"),
            NewTask { lease: Some(lease(1)), ..task(3, "charge") },
            NewTask { lease: Some(lease(2)), ..task(4, "charge") },
        ],
        ..turn(key, 1)
    };
    let tasks = scene.commit(first).await.unwrap().tasks;
    let settled = [0, 2, 3, 77].map(SequenceId::new).to_vec();
    let committed = scene.commit(Turn { settled, ..turn(key, 2) }).await.unwrap();
    assert_eq!(committed.abandoned, [tasks[1]], "those that somebody works on");
    assert_eq!(scene.names(key).await, ["timer 1"]);
    assert_eq!(scene.names(other).await, ["timer 0"]);
    let left = scene.open_work(key).await.unwrap().tasks;
    assert_eq!(left.iter().map(|task| task.key).collect::<Vec<_>>(), [tasks[2]]);
    // A task with an answer is not given up, also if its number is settled with it.
    let finished = vec![FinishedTask { key: tasks[2], token: lease(2).token }];
    let last = Turn { finished, settled: vec![SequenceId::new(4)], ..turn(key, 3) };
    assert_eq!(scene.commit(last).await.unwrap().abandoned, []);
}

pub(super) async fn a_turn_can_begin_an_instance_and_tell_it_something(scene: Scene) {
    let key = scene.running("a").await;
    let to = Address::Id { id: "new".into(), execution_id: None };
    let hello = NewMessage { to, ..message(key, "hello", Visible::Now(at(1))) };
    scene.commit(Turn { instances: vec![instance("new")], messages: vec![hello], ..turn(key, 1) }).await.unwrap();
    let new = scene.find(&"new".into()).await.unwrap().unwrap();
    assert_eq!(scene.names(new.key).await, ["start", "hello"]);
}

pub(super) async fn a_turn_is_undone_by_an_id_only_if_it_says_so(scene: Scene) {
    let key = scene.running("a").await;
    let there = scene.running("there").await;
    let again = |if_exists| vec![NewInstance { if_exists, ..instance("there") }];
    for if_exists in [IfExists::Fail, IfExists::ReplaceEnded] {
        let refused = Turn { instances: again(if_exists), events: events(&["no"]), ..turn(key, 1) };
        let error = scene.commit(refused).await.unwrap_err();
        assert!(matches!(error, StoreError::AlreadyExists { status: Status::Running, .. }), "{error}");
    }
    let tell = IfExists::Tell(Box::new(message(key, "in use", Visible::Now(at(1)))));
    let instances = [again(tell), again(IfExists::Drop), again(IfExists::Keep), vec![instance("new")]].concat();
    let committed = scene.commit(Turn { instances, events: events(&["yes"]), ..turn(key, 1) }).await.unwrap();
    assert_eq!(names(&committed.messages), ["in use", "start"]);
    assert_eq!(scene.names(key).await, ["in use"]);
    assert_eq!(scene.names(there).await, [""; 0]);
    assert_eq!(scene.load(key).await.unwrap().unwrap().history, [raised("yes")]);
}

pub(super) async fn messages_are_reported_in_the_order_in_which_they_are_seen(scene: Scene) {
    let (key, other) = (scene.running("a").await, scene.running("b").await);
    let messages = vec![
        message(other, "b3", Visible::Now(at(5))),
        message(key, "a2", Visible::Now(at(1))),
        message(other, "b2", Visible::Now(at(4))),
        message(key, "a1", Visible::Now(at(0))),
        message(other, "b1", Visible::First),
    ];
    let committed = scene.commit(Turn { messages, at: at(5), ..turn(key, 1) }).await.unwrap();
    for instance in [key, other] {
        let told: Vec<_> = committed.messages.iter().filter(|it| it.instance == instance).cloned().collect();
        assert_eq!(told, scene.everything(instance).await);
        assert!(told.len() > 1);
    }
}

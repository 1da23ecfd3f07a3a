//! Who has something to do, and when.

use super::scene::{Scene, at, instance, lease, made, task, timer, turn};
use crate::{Hold, InstanceKey, NewInstance, NewTask, Status, Time, Turn, Visible, Wakeups};

pub(super) async fn after_an_opening_everybody_with_a_turn_due_is_known(mut scene: Scene) {
    let late = scene.running("late").await;
    scene.raise(late, "go", Visible::Now(at(8))).await;
    let early = scene.running("early").await;
    scene.raise(early, "second", Visible::Now(at(9))).await;
    scene.raise(early, "timer", Visible::Later(at(3))).await;
    let new =
        made(&scene.start(NewInstance { created_at: at(5), starts_at: at(5), ..instance("new") }).await.unwrap().0);
    let wants = scene.running("wants").await;
    scene.commit(Turn { wants_turn: true, at: at(6), ..turn(wants, 1) }).await.unwrap();
    let suspended = scene.running("suspended").await;
    scene.commit(Turn { status: Status::Suspended, ..turn(suspended, 1) }).await.unwrap();
    scene.raise(suspended, "resume", Visible::Now(at(7))).await;
    scene.running("idle").await;
    let sleeping = scene.running("sleeping").await;
    scene.raise(sleeping, "timer", Visible::Later(at(12))).await;
    scene.raise(sleeping, "timer", Visible::Later(at(11))).await;
    let held = scene.running("held").await;
    scene.raise(held, "go", Visible::Now(at(1))).await;
    scene.raise(held, "timer", Visible::Later(at(11))).await;
    scene.hold(Hold { instance: held, number: 1, reason: String::new(), kind: None, at: at(2) }).await.unwrap();
    scene.ended("over", Status::Completed, at(1)).await;
    scene.crash();
    let woken = scene.recover(at(10)).await.unwrap();
    assert_eq!(woken, Wakeups { instances: vec![early, new, wants, suspended, late], next: Some(at(11)) });
    let woken = scene.recover(at(11)).await.unwrap();
    assert_eq!(woken.instances.last(), Some(&sleeping));
    assert_eq!(woken.next, Some(at(12)));
}

pub(super) async fn after_an_opening_no_lease_is_left(mut scene: Scene) {
    let key = scene.running("a").await;
    let forever = NewTask { lease: Some(lease(1)), ..task(0, "charge") };
    let until = NewTask { lease: Some(crate::Lease { until: Some(at(1_000)), ..lease(2) }), ..task(1, "ship") };
    let tasks = scene.commit(Turn { tasks: vec![forever, until], ..turn(key, 1) }).await.unwrap().tasks;
    scene.crash();
    scene.recover(at(2)).await.unwrap();
    let waiting = scene.waiting_tasks(vec!["charge".to_owned(), "ship".to_owned()], 10).await.unwrap();
    assert_eq!(waiting.iter().map(|task| task.key).collect::<Vec<_>>(), tasks);
    assert!(waiting.iter().all(|task| task.lease.is_none() && task.dispatches == 1), "{waiting:?}");
}

/// Instances `a`, `b`, ... with a timer at each of these times.
async fn sleepers(scene: &Scene, times: &[i64]) -> Vec<InstanceKey> {
    let mut keys = Vec::new();
    for (number, time) in times.iter().enumerate() {
        let key = scene.running(&format!("instance {number}")).await;
        scene.commit(Turn { at: at(0), messages: vec![timer(key, 0, at(*time))], ..turn(key, 1) }).await.unwrap();
        keys.push(key);
    }
    keys
}

pub(super) async fn those_whose_time_has_come_are_known(scene: Scene) {
    let keys = sleepers(&scene, &[9, 5, 7, 6]).await;
    // Somebody with two timers, and somebody with a message that was visible at once.
    scene.commit(Turn { messages: vec![timer(keys[3], 1, at(8))], ..turn(keys[3], 2) }).await.unwrap();
    scene.raise(scene.running("awake").await, "go", Visible::Now(at(6))).await;
    let due = scene.due(at(5), at(8), 10).await.unwrap();
    assert_eq!(due, Wakeups { instances: vec![keys[3], keys[2]], next: Some(at(9)) });
    let due = scene.due(at(4), at(9), 10).await.unwrap();
    assert_eq!(due, Wakeups { instances: vec![keys[1], keys[3], keys[2], keys[0]], next: None });
    assert_eq!(scene.due(at(9), at(9), 10).await.unwrap(), Wakeups::default());
    assert_eq!(scene.due(Time::FIRST, at(5), 10).await.unwrap().instances, [keys[1]]);
}

pub(super) async fn in_small_steps_nobody_is_skipped(scene: Scene) {
    let keys = sleepers(&scene, &[1, 2, 2, 2, 2, 3, 4, 5, 5, 20]).await;
    for limit in 0..12 {
        let (mut since, mut met, mut rounds) = (at(0), Vec::new(), 0);
        let next = loop {
            let due = scene.due(since, at(10), limit).await.unwrap();
            met.extend(due.instances);
            rounds += 1;
            assert!(rounds <= keys.len(), "limit {limit}: no progress from {since:?}");
            match due.next {
                Some(next) if next <= at(10) => {
                    since = Time::from_micros(next.as_micros() - 1);
                }
                next => break next,
            }
        };
        assert_eq!(met, keys[..9], "limit {limit}");
        assert_eq!(next, Some(at(20)));
    }
}

pub(super) async fn the_next_time_is_known(scene: Scene) {
    assert_eq!(scene.due(at(0), at(1), 10).await.unwrap(), Wakeups::default());
    let keys = sleepers(&scene, &[7, 5]).await;
    assert_eq!(scene.due(at(0), at(0), 0).await.unwrap().next, Some(at(5)));
    let consumed = scene.waiting(keys[1]).await;
    scene.commit(Turn { consumed, ..turn(keys[1], 2) }).await.unwrap();
    assert_eq!(scene.due(at(0), at(0), 0).await.unwrap().next, Some(at(7)));
    assert_eq!(scene.recover(at(0)).await.unwrap().next, Some(at(7)));
}

//! Many at once.

use std::sync::Arc;
use std::thread;

use futures::executor::block_on;

use super::scene::{Scene, at, events, instance, raised, turn};
use crate::{InstanceKey, StoreError, Turn, Visible};

/// How many threads work at once.
const THREADS: usize = 8;
/// How many turns each of them makes.
const TURNS: usize = 25;

pub(super) async fn turns_of_an_instance_come_one_after_the_other(scene: Scene) {
    let key = scene.started("a").await;
    let workers: Vec<_> = (0..THREADS)
        .map(|worker| {
            let store = scene.shared();
            // Each tries until it has made its turns; who comes second is refused and looks again.
            thread::spawn(move || {
                let mut made = Vec::new();
                while made.len() < TURNS {
                    let number = block_on(store.load(key)).unwrap().unwrap().instance.turns;
                    let name = format!("turn {number} of worker {worker}");
                    match block_on(store.commit(Arc::new(Turn { events: events(&[&name]), ..turn(key, number) }))) {
                        Ok(_) => made.push((number, name)),
                        Err(StoreError::Conflict) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
                made
            })
        })
        .collect();
    let mut made: Vec<_> = workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect();
    made.sort();
    let loaded = scene.load(key).await.unwrap().unwrap();
    assert_eq!(
        made.iter().map(|(number, _)| *number).collect::<Vec<_>>(),
        (0..loaded.instance.turns).collect::<Vec<_>>()
    );
    assert_eq!(loaded.history, made.iter().map(|(_, name)| raised(name)).collect::<Vec<_>>());
    assert_eq!(loaded.instance.turns as usize, THREADS * TURNS);
}

pub(super) async fn one_that_fails_does_not_fail_its_neighbours(scene: Scene) {
    let mut keys = Vec::new();
    for number in 0..50 {
        keys.push(scene.running(&format!("instance {number}")).await);
    }
    // Every third has the wrong number. All are asked for before the first is waited for.
    let wrong = |place: usize| place.is_multiple_of(3);
    let steps = keys.iter().enumerate().map(|(place, key)| {
        let number = if wrong(place) { 7 } else { 1 };
        scene.commit(Turn { events: events(&["one"]), ..turn(*key, number) })
    });
    for (place, outcome) in futures::future::join_all(steps).await.into_iter().enumerate() {
        assert_eq!(outcome.is_err(), wrong(place), "{place}: {outcome:?}");
        let state = scene.state(keys[place]).await;
        let expected = if wrong(place) { (1, 0) } else { (2, 1) };
        assert_eq!((state.turns, state.events), expected, "{place}");
    }
}

pub(super) async fn what_was_acknowledged_is_seen_at_once(scene: Scene) {
    let workers: Vec<_> = (0..THREADS)
        .map(|worker| {
            let store = scene.shared();
            thread::spawn(move || {
                for round in 0..TURNS {
                    let id = format!("instance {worker} {round}");
                    let (started, _) = block_on(store.start(instance(&id))).unwrap();
                    let key: InstanceKey = super::scene::made(&started);
                    assert!(block_on(store.find(&id.as_str().into())).unwrap().is_some(), "{id}");
                    let hello = super::scene::message(key, "hello", Visible::Now(at(1)));
                    block_on(store.send(hello)).unwrap();
                    assert_eq!(block_on(store.inbox(key, at(1), 10)).unwrap().len(), 2, "{id}");
                }
            })
        })
        .collect();
    for worker in workers {
        worker.join().unwrap();
    }
    let counted: u64 = scene.count().await.unwrap().iter().map(|(_, count)| count).sum();
    assert_eq!(counted as usize, THREADS * TURNS);
}

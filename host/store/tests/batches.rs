//! Many steps, one transaction; and what happens if that cannot be made.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

mod support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use everturn_store::sqlite::{SqliteOptions, SqliteStore};
use everturn_store::{InstanceKey, MessageId, Store, StoreError, Turn};
use futures::executor::block_on;
use futures::future::join_all;
use support::{at, instance, key_of, open, turn};

/// How many steps are asked for at once.
const STEPS: usize = 100;

async fn instances(store: &SqliteStore) -> Vec<InstanceKey> {
    let mut keys = Vec::new();
    for number in 0..STEPS {
        keys.push(key_of(&store.start(instance(&format!("instance {number}"))).await.unwrap()));
    }
    keys
}

/// Somebody outside who has the file locked.
fn locked(path: &std::path::Path) -> rusqlite::Connection {
    let outside = rusqlite::Connection::open(path).unwrap();
    outside.execute_batch("BEGIN IMMEDIATE").unwrap();
    outside
}

#[test]
fn steps_that_are_asked_for_at_once_share_a_transaction() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    // Long enough for any machine: the lock is gone as soon as all steps wait.
    let options = SqliteOptions { busy_timeout: Duration::from_secs(600), ..SqliteOptions::default() };
    let store = SqliteStore::open(&path, options).unwrap();
    block_on(async {
        let keys = instances(&store).await;
        let before = store.statistics();
        let outside = locked(&path);
        // The thread that writes takes what is there and waits for the lock; the rest waits in the queue. Of three steps, one
        // has no ground, and one finds out in its middle that it has none.
        let step = |place: usize, key: InstanceKey| match place % 3 {
            0 => turn(key, 7, "null"),
            1 => {
                // The messages have the numbers of their instances, each of which was started with one.
                let consumed = vec![MessageId(key.0), MessageId(key.0 + STEPS as i64)];
                Arc::new(Turn { consumed, ..Arc::unwrap_or_clone(turn(key, 0, "null")) })
            }
            _ => turn(key, 0, "null"),
        };
        let mut steps = join_all(keys.iter().enumerate().map(|(place, key)| store.commit(step(place, *key))));
        assert!(futures::poll!(&mut steps).is_pending());
        outside.execute_batch("COMMIT").unwrap();
        for (place, outcome) in steps.await.into_iter().enumerate() {
            match place % 3 {
                2 => _ = outcome.unwrap(),
                _ => assert!(matches!(outcome.unwrap_err(), StoreError::Conflict)),
            }
        }
        let after = store.statistics();
        assert_eq!(after.steps - before.steps, STEPS as u64);
        let transactions = after.transactions - before.transactions;
        assert!((1..=2).contains(&transactions), "{transactions} transactions for {STEPS} steps");
        for (place, key) in keys.iter().enumerate() {
            let loaded = store.load(*key).await.unwrap().unwrap();
            assert_eq!(loaded.history.len(), usize::from(place % 3 == 2), "{place}");
            assert_eq!(store.inbox(*key, at(1), 9).await.unwrap().len(), 1, "{place}: its start is still there");
        }
    });
}

#[test]
fn a_batch_is_no_larger_than_its_limit_and_a_full_queue_makes_callers_wait() {
    let directory = tempfile::tempdir().unwrap();
    let options = SqliteOptions { batch_limit: 10, queue_limit: 3, ..SqliteOptions::default() };
    let store = SqliteStore::open(&directory.path().join("store.db"), options).unwrap();
    block_on(async {
        let keys = instances(&store).await;
        let before = store.statistics().transactions;
        for outcome in join_all(keys.iter().map(|key| store.commit(turn(*key, 0, "null")))).await {
            outcome.unwrap();
        }
        let transactions = store.statistics().transactions - before;
        assert!(transactions >= STEPS as u64 / 10, "{transactions}");
        assert_eq!(store.count().await.unwrap().iter().map(|(_, count)| count).sum::<u64>(), STEPS as u64);
    });
}

#[test]
fn a_transaction_that_waits_for_its_moment_takes_all_that_come_meanwhile() {
    let directory = tempfile::tempdir().unwrap();
    let options = SqliteOptions { batch_limit: 1, ..SqliteOptions::default() };
    let store = SqliteStore::open(&directory.path().join("store.db"), options).unwrap();
    block_on(async {
        let keys = instances(&store).await;
        for key in &keys {
            let start = store.inbox(*key, at(1), 9).await.unwrap()[0].id;
            let first = Turn { consumed: vec![start], ..Arc::unwrap_or_clone(turn(*key, 0, "null")) };
            store.commit(Arc::new(first)).await.unwrap();
        }
        let before = store.statistics().transactions;
        // Far enough for any machine: all are in the queue at once.
        let moment = Instant::now() + Duration::from_secs(3);
        // The last one finds out in its middle that it has no ground: all are undone, and made again.
        let (last, others) = keys.split_last().unwrap();
        let steps = others.iter().enumerate().map(|(place, key)| match place % 2 {
            0 => store.commit_ahead(turn(*key, 1, "null"), moment),
            _ => store.commit(turn(*key, 1, "null")),
        });
        let mut steps = join_all(steps);
        assert!(futures::poll!(&mut steps).is_pending());
        let consumed = vec![MessageId(1_000_000)];
        let hopeless = Turn { consumed, ..Arc::unwrap_or_clone(turn(*last, 1, "null")) };
        assert!(matches!(store.commit(Arc::new(hopeless)).await.unwrap_err(), StoreError::Conflict));
        assert!(Instant::now() >= moment);
        for outcome in steps.await {
            outcome.unwrap();
        }
        assert_eq!(store.statistics().transactions - before, 1);
        for (place, key) in keys.iter().enumerate() {
            let turns = store.load(*key).await.unwrap().unwrap().instance.turns;
            assert_eq!(turns, if place == STEPS - 1 { 1 } else { 2 }, "{place}");
        }
    });
}

#[test]
fn who_can_be_kept_sooner_does_not_wait_for_the_moment_of_another() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let options = SqliteOptions { busy_timeout: Duration::from_secs(600), ..SqliteOptions::default() };
    let store = SqliteStore::open(&path, options).unwrap();
    block_on(async {
        let keys = instances(&store).await;
        let key_of_a_turn = |place: usize| turn(keys[place], 0, "null");
        // Their starts are not consumed by those that are ahead: those are refused, and wait for their moments all the same.
        let soon = Instant::now() + Duration::from_secs(3);
        let later = soon + Duration::from_millis(100);
        let before = store.statistics();
        let outside = locked(&path);
        let mut steps = join_all([
            store.commit(key_of_a_turn(0)),
            store.commit(key_of_a_turn(1)),
            store.commit_ahead(key_of_a_turn(2), soon),
            store.commit(key_of_a_turn(3)),
            store.commit_ahead(key_of_a_turn(4), later),
            store.commit_ahead(key_of_a_turn(5), soon),
        ]);
        assert!(futures::poll!(&mut steps).is_pending());
        outside.execute_batch("COMMIT").unwrap();
        let outcomes: Vec<_> = steps.await.into_iter().map(|outcome| outcome.is_ok()).collect();
        assert_eq!(outcomes, [true, true, false, true, false, false]);
        let after = store.statistics();
        // The first may have been alone with the thread that writes.
        let transactions = after.transactions - before.transactions;
        assert!((3..=4).contains(&transactions), "{transactions} transactions");
        assert!(Instant::now() >= later);
        // Moments that have come are as good as none.
        let outside = locked(&path);
        let past = |place: u64| soon - Duration::from_millis(10 - place);
        let mut steps = join_all((0..10).map(|place| store.commit_ahead(key_of_a_turn(2), past(place))));
        assert!(futures::poll!(&mut steps).is_pending());
        outside.execute_batch("COMMIT").unwrap();
        steps.await;
        let transactions = store.statistics().transactions - after.transactions;
        assert!((1..=2).contains(&transactions), "{transactions} transactions");
    });
}

#[test]
fn a_file_that_somebody_else_has_locked_is_busy_and_then_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let options = SqliteOptions { busy_timeout: Duration::ZERO, ..SqliteOptions::default() };
    let store = SqliteStore::open(&path, options).unwrap();
    block_on(async {
        let keys = instances(&store).await;
        let outside = locked(&path);
        for outcome in join_all(keys.iter().map(|key| store.commit(turn(*key, 0, "null")))).await {
            let error = outcome.unwrap_err();
            assert!(matches!(error, StoreError::Busy) && error.is_temporary(), "{error}");
        }
        assert_eq!(store.load(keys[0]).await.unwrap().unwrap().instance.turns, 0, "reading goes on");
        outside.execute_batch("ROLLBACK").unwrap();
        for outcome in join_all(keys.iter().map(|key| store.commit(turn(*key, 0, "null")))).await {
            outcome.unwrap();
        }
    });
}

#[test]
fn a_step_that_finds_no_room_refuses_its_whole_transaction() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let options = SqliteOptions {
        busy_timeout: Duration::from_secs(600),
        max_bytes: Some(1024 * 1024),
        ..SqliteOptions::default()
    };
    let store = SqliteStore::open(&path, options).unwrap();
    block_on(async {
        let keys = instances(&store).await;
        let before = store.statistics();
        let outside = locked(&path);
        let (last, small) = keys.split_last().unwrap();
        let small = small.iter().map(|key| store.commit(turn(*key, 0, "null")));
        let mut steps = join_all(small.chain([store.commit(turn(*last, 0, &"x".repeat(2_000_000)))]));
        assert!(futures::poll!(&mut steps).is_pending());
        outside.execute_batch("COMMIT").unwrap();
        let outcomes = steps.await;
        // Those that were in a transaction before are made, those that shared the last one are not.
        let made = outcomes.iter().take_while(|outcome| outcome.is_ok()).count();
        assert!(made < STEPS);
        assert!(outcomes[made..].iter().all(|outcome| matches!(outcome, Err(StoreError::Full))), "{outcomes:?}");
        assert_eq!(store.statistics().steps - before.steps, made as u64);
        for (place, key) in keys.iter().enumerate() {
            let turns = store.load(*key).await.unwrap().unwrap().instance.turns;
            assert_eq!(turns, u64::from(place < made), "{place}");
        }
    });
}

#[test]
fn a_file_that_may_not_grow_is_full_until_there_is_room() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let options = SqliteOptions { max_bytes: Some(1024 * 1024), ..SqliteOptions::default() };
    let store = SqliteStore::open(&path, options).unwrap();
    let large = "x".repeat(50_000);
    block_on(async {
        let keys = instances(&store).await;
        let (fat, slim) = (keys[0], keys[1]);
        let mut turns = 0;
        let error = loop {
            match store.commit(turn(fat, turns, &large)).await {
                Ok(_) => turns += 1,
                Err(error) => break error,
            }
        };
        assert!(matches!(error, StoreError::Full) && error.is_temporary(), "{error}");
        assert!(turns > 5);
        let loaded = store.load(fat).await.unwrap().unwrap();
        assert_eq!((loaded.instance.turns, loaded.history.len() as u64), (turns, turns));
        // What is purged makes room.
        store.purge(fat, true).await.unwrap();
        store.commit(turn(slim, 0, &large)).await.unwrap();
        store.close().await;
    });
    drop(store);
    let store = open(&path);
    assert_eq!(block_on(store.count()).unwrap().iter().map(|(_, count)| count).sum::<u64>(), STEPS as u64 - 1);
}

//! A disk that fails: nothing that was acknowledged is lost, and once it works again, all goes on.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

mod support;

use std::path::Path;

use everturn_faulty_vfs::{Fault, FaultyVfs, Operation, When};
use everturn_store::sqlite::{SqliteOptions, SqliteStore};
use everturn_store::{InstanceKey, Store, StoreError};
use futures::executor::block_on;
use futures::future::join_all;
use support::{instance, key_of, turn};

/// How many instances have turns.
const INSTANCES: usize = 10;
/// How many turns each of them is to have.
const TURNS: u64 = 6;

fn open(path: &Path, vfs: &str) -> SqliteStore {
    SqliteStore::open(path, SqliteOptions { vfs: Some(vfs.to_owned()), ..SqliteOptions::default() }).unwrap()
}

async fn instances(store: &SqliteStore) -> Vec<InstanceKey> {
    let mut keys = Vec::new();
    for number in 0..INSTANCES {
        keys.push(key_of(&store.start(instance(&format!("instance {number}"))).await.unwrap()));
    }
    keys
}

/// Gives every instance its next turn, all at once, and counts those that were acknowledged.
async fn round(store: &SqliteStore, keys: &[InstanceKey], made: &mut [u64]) {
    let steps = keys.iter().zip(made.iter()).map(|(key, number)| store.commit(turn(*key, *number, &"x".repeat(700))));
    for (outcome, made) in join_all(steps).await.into_iter().zip(made.iter_mut()) {
        match outcome {
            Ok(_) => *made += 1,
            Err(error) => assert!(matches!(error, StoreError::Io { .. } | StoreError::Full), "{error}"),
        }
    }
}

async fn check(store: &SqliteStore, keys: &[InstanceKey], made: &[u64], story: &str) {
    for (key, made) in keys.iter().zip(made) {
        let loaded = store.load(*key).await.unwrap().unwrap();
        assert_eq!((loaded.instance.turns, loaded.history.len() as u64), (*made, *made), "{story}");
    }
}

/// The disk fails in some way while instances have turns; then it works again, and they have the rest of their turns.
fn survive(vfs: FaultyVfs, name: &str, operation: Operation, fault: Fault, when: When) -> bool {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let story = format!("{operation:?} {fault:?} {when:?}");
    let store = open(&path, name);
    let before = vfs.failures();
    let (keys, mut made) = (block_on(instances(&store)), vec![0; INSTANCES]);
    vfs.fail(operation, fault, when);
    for _ in 0..TURNS {
        block_on(round(&store, &keys, &mut made));
    }
    vfs.heal();
    // What failed left nothing.
    block_on(check(&store, &keys, &made, &story));
    while made.iter().any(|made| *made < TURNS) {
        let at_least = made.iter().sum::<u64>();
        block_on(round(&store, &keys, &mut made));
        assert!(made.iter().sum::<u64>() > at_least, "{story}: it does not go on");
    }
    block_on(check(&store, &keys, &made, &story));
    drop(store);
    let store = open(&path, name);
    block_on(check(&store, &keys, &made, &story));
    block_on(store.close());
    drop(store);
    let raw = rusqlite::Connection::open(&path).unwrap();
    let verdict: String = raw.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok", "{story}");
    vfs.failures() > before
}

#[test]
fn a_single_fault_at_any_moment_loses_nothing() {
    let name = "single-fault";
    let vfs = FaultyVfs::register(name).unwrap();
    for operation in [Operation::Write, Operation::Sync] {
        for fault in [Fault::Io, Fault::Full] {
            let met = (1..=24).filter(|number| survive(vfs, name, operation, fault, When::Nth(*number))).count();
            assert!(met >= 4, "{operation:?} {fault:?}: of 24 faults, {met} were met");
        }
    }
}

#[test]
fn a_disk_that_keeps_failing_loses_nothing() {
    let name = "many-faults";
    let vfs = FaultyVfs::register(name).unwrap();
    for operation in [Operation::Write, Operation::Sync] {
        for fault in [Fault::Io, Fault::Full] {
            for when in [When::Every(2), When::Every(3), When::Every(7), When::Always] {
                let met = survive(vfs, name, operation, fault, when);
                assert!(met || when == When::Every(7), "{operation:?} {fault:?} {when:?} was not met");
            }
        }
    }
}

#[test]
fn a_fault_while_the_log_is_moved_loses_nothing() {
    let name = "moving-the-log";
    let vfs = FaultyVfs::register(name).unwrap();
    for operation in [Operation::Write, Operation::Sync, Operation::Truncate] {
        let before = vfs.failures();
        for when in [When::Nth(1), When::Nth(2), When::Nth(9), When::Always] {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("store.db");
            let store = open(&path, name);
            let (keys, mut made) = (block_on(instances(&store)), vec![0; INSTANCES]);
            block_on(round(&store, &keys, &mut made));
            vfs.fail(operation, Fault::Io, when);
            block_on(store.close());
            vfs.heal();
            drop(store);
            let store = open(&path, name);
            block_on(check(&store, &keys, &made, &format!("{operation:?} {when:?}")));
            block_on(round(&store, &keys, &mut made));
            assert_eq!(made, [2; INSTANCES]);
        }
        assert!(vfs.failures() > before, "{operation:?} was not met");
    }
}

#[test]
fn a_full_disk_refuses_every_step_of_the_batch_and_then_goes_on() {
    let name = "full-disk";
    let vfs = FaultyVfs::register(name).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let store = open(&directory.path().join("store.db"), name);
    block_on(async {
        let keys = instances(&store).await;
        vfs.fail_writes(Fault::Full, When::Always);
        for outcome in join_all(keys.iter().map(|key| store.commit(turn(*key, 0, "null")))).await {
            assert!(matches!(outcome.unwrap_err(), StoreError::Full));
        }
        assert_eq!(store.load(keys[0]).await.unwrap().unwrap().instance.turns, 0, "reading goes on");
        vfs.heal();
        for outcome in join_all(keys.iter().map(|key| store.commit(turn(*key, 0, "null")))).await {
            outcome.unwrap();
        }
    });
}

#[test]
fn a_disk_that_cannot_be_read_is_told_and_then_goes_on() {
    let name = "no-reading";
    let vfs = FaultyVfs::register(name).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let store = open(&path, name);
    let (keys, mut made) = (block_on(instances(&store)), vec![0; INSTANCES]);
    for _ in 0..TURNS {
        block_on(round(&store, &keys, &mut made));
    }
    block_on(store.close());
    drop(store);
    // What was just opened has nothing in memory.
    let store = open(&path, name);
    vfs.fail(Operation::Read, Fault::Io, When::Always);
    let error = block_on(store.load(keys[5])).unwrap_err();
    assert!(matches!(error, StoreError::Io { .. }) && error.is_temporary(), "{error}");
    let error = block_on(store.commit(turn(keys[5], TURNS, "null"))).unwrap_err();
    assert!(matches!(error, StoreError::Io { .. }), "{error}");
    vfs.heal();
    block_on(check(&store, &keys, &made, "after reading failed"));
    block_on(store.commit(turn(keys[5], TURNS, "null"))).unwrap();
}

#[test]
fn a_disk_that_fails_while_a_store_is_opened_is_told() {
    let name = "failing-open";
    let vfs = FaultyVfs::register(name).unwrap();
    for operation in [Operation::Write, Operation::Sync] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store.db");
        for number in 1..6 {
            vfs.fail(operation, Fault::Io, When::Nth(number));
            let options = SqliteOptions { vfs: Some(name.to_owned()), ..SqliteOptions::default() };
            if let Err(error) = SqliteStore::open(&path, options) {
                assert!(matches!(error, StoreError::Io { .. }), "{operation:?} {number}: {error}");
            }
            vfs.heal();
        }
        let store = open(&path, name);
        block_on(instances(&store));
    }
}

//! A process that is killed loses nothing that it was told is on disk, and its lock goes with it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

mod support;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use everturn_store::sqlite::{SqliteOptions, SqliteStore};
use everturn_store::{Store, StoreError};
use futures::executor::block_on;
use support::{instance, key_of, open, turn};

/// Where the process that is killed has its data.
const PLACE: &str = "EVERTURN_STORE_TEST_PLACE";
/// How many acknowledgements are waited for before it is killed.
const ACKNOWLEDGED: usize = 100;
/// How often it is killed.
const KILLS: usize = 3;

#[test]
#[ignore = "the process that the other test starts and kills"]
fn writes_until_it_is_killed() {
    let Ok(place) = std::env::var(PLACE) else { return };
    let store = open(Path::new(&place));
    block_on(async {
        let first = store.count().await.unwrap().iter().map(|(_, count)| count).sum::<u64>();
        for number in first.. {
            let id = format!("instance {number}");
            let key = key_of(&store.start(instance(&id)).await.unwrap());
            store.commit(turn(key, 0, &"x".repeat(500))).await.unwrap();
            println!("acknowledged {id}");
        }
    });
}

#[test]
fn a_process_that_is_killed_loses_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let mut acknowledged = Vec::new();
    for _ in 0..KILLS {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "writes_until_it_is_killed", "--ignored", "--nocapture"])
            .env(PLACE, &path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines().map(Result::unwrap);
        // The first may share its line with what the test harness prints.
        let ids = lines.filter_map(|line| line.split_once("acknowledged ").map(|(_, id)| id.to_owned()));
        acknowledged.extend(ids.take(ACKNOWLEDGED));
        let error = SqliteStore::open(&path, SqliteOptions::default()).err().unwrap();
        assert!(matches!(error, StoreError::InUse { .. }), "{error}");
        process.kill().unwrap();
        process.wait().unwrap();
        let store = open(&path);
        for id in &acknowledged {
            let found = block_on(store.find(&id.as_str().into())).unwrap().unwrap_or_else(|| panic!("{id} is lost"));
            let loaded = block_on(store.load(found.key)).unwrap().unwrap();
            assert_eq!((loaded.instance.turns, loaded.history.len()), (1, 1), "{id}");
        }
    }
    assert_eq!(acknowledged.len(), KILLS * ACKNOWLEDGED);
}

//! Files that a store on SQLite opens, and files that it refuses.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use everturn_store::sqlite::{SqliteOptions, SqliteStore};
use everturn_store::{Store, StoreError};
use futures::executor::block_on;
use support::{instance, key_of, open, turn};
use tempfile::TempDir;

fn place() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    (directory, path)
}

fn refusal(path: &Path) -> StoreError {
    match SqliteStore::open(path, SqliteOptions::default()) {
        Ok(_) => panic!("it was opened"),
        Err(error) => error,
    }
}

/// A closed store with one instance that has a long history.
fn filled(path: &Path) {
    let store = open(path);
    block_on(async {
        let key = key_of(&store.start(instance("a")).await.unwrap());
        for number in 0..200 {
            store.commit(turn(key, number, &"x".repeat(900))).await.unwrap();
        }
        store.close().await;
    });
}

fn is_corrupt(error: &StoreError, path: &Path) -> bool {
    let named = error.to_string().contains(path.to_str().unwrap());
    matches!(error, StoreError::Corrupt { .. }) && named && error.to_string().contains("restore it from a backup")
}

#[test]
fn a_file_of_a_newer_version_is_refused_and_left_alone() {
    let (_directory, path) = place();
    filled(&path);
    let raw = rusqlite::Connection::open(&path).unwrap();
    raw.pragma_update(None, "user_version", 99).unwrap();
    drop(raw);
    let before = fs::read(&path).unwrap();
    let error = refusal(&path);
    assert!(matches!(error, StoreError::TooNew { found: 99, known: 4, .. }), "{error}");
    assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn the_database_of_another_application_is_refused_and_left_alone() {
    let marked = "PRAGMA application_id = 4711; PRAGMA user_version = 1; CREATE TABLE their (own TEXT);";
    let unmarked = "CREATE TABLE instance (their, own);";
    let numbered = "PRAGMA user_version = 7;";
    for sql in [marked, unmarked, numbered] {
        let (_directory, path) = place();
        let raw = rusqlite::Connection::open(&path).unwrap();
        raw.execute_batch(sql).unwrap();
        drop(raw);
        let before = fs::read(&path).unwrap();
        let error = refusal(&path);
        assert!(is_corrupt(&error, &path), "{sql}: {error}");
        assert!(error.to_string().contains("another application"), "{sql}: {error}");
        assert_eq!(fs::read(&path).unwrap(), before, "{sql}");
    }
}

#[test]
fn what_is_no_database_is_refused_and_left_alone() {
    for content in ["not a database", &"not a database".repeat(1_000), "SQLite format 3\0 and then nothing of it"] {
        let (_directory, path) = place();
        fs::write(&path, content).unwrap();
        let error = refusal(&path);
        assert!(is_corrupt(&error, &path), "{error}");
        assert_eq!(fs::read(&path).unwrap(), content.as_bytes());
    }
}

#[test]
fn a_file_that_was_cut_is_refused() {
    let (_directory, path) = place();
    filled(&path);
    let whole = fs::read(&path).unwrap();
    for length in [100, 4_096, 4_096 * 10, whole.len() / 2, whole.len() - 4_096, whole.len() - 1] {
        fs::write(&path, &whole[..length]).unwrap();
        let error = refusal(&path);
        assert!(is_corrupt(&error, &path), "{length}: {error}");
    }
    fs::write(&path, &whole).unwrap();
    open(&path);
}

#[test]
fn a_file_whose_tables_were_overwritten_is_refused() {
    let (_directory, path) = place();
    filled(&path);
    let mut content = fs::read(&path).unwrap();
    content[4_096..4_096 * 20].fill(0xa5);
    fs::write(&path, &content).unwrap();
    let error = refusal(&path);
    assert!(is_corrupt(&error, &path), "{error}");
}

#[test]
fn a_file_without_our_tables_is_refused() {
    let (_directory, path) = place();
    filled(&path);
    let raw = rusqlite::Connection::open(&path).unwrap();
    raw.execute_batch("DROP TABLE message").unwrap();
    drop(raw);
    let error = refusal(&path);
    assert!(is_corrupt(&error, &path), "{error}");
}

#[test]
fn damage_deep_inside_is_told_when_it_is_met() {
    let (_directory, path) = place();
    filled(&path);
    let mut content = fs::read(&path).unwrap();
    let last = content.len() - 4_096;
    content[last..].fill(0xa5);
    fs::write(&path, &content).unwrap();
    let store = open(&path);
    let found = block_on(store.find(&"a".into())).unwrap().unwrap();
    let error = block_on(store.load(found.key)).unwrap_err();
    assert!(is_corrupt(&error, &path), "{error}");
    assert!(!error.is_temporary());
    let error = block_on(store.purge(found.key, true)).unwrap_err();
    assert!(is_corrupt(&error, &path), "{error}");
    // What is not damaged goes on.
    block_on(store.start(instance("b"))).unwrap();
    assert!(block_on(store.find(&"b".into())).unwrap().is_some());
}

#[test]
fn history_that_lost_a_turn_is_told() {
    let (_directory, path) = place();
    filled(&path);
    let raw = rusqlite::Connection::open(&path).unwrap();
    raw.execute("DELETE FROM turn WHERE number = 7", []).unwrap();
    drop(raw);
    let store = open(&path);
    let found = block_on(store.find(&"a".into())).unwrap().unwrap();
    let error = block_on(store.load(found.key)).unwrap_err();
    assert!(is_corrupt(&error, &path), "{error}");
    assert!(error.to_string().contains("199 of 200 events"), "{error}");
}

#[test]
fn a_file_that_another_host_uses_is_refused() {
    let (_directory, path) = place();
    let store = open(&path);
    let error = refusal(&path);
    assert!(matches!(error, StoreError::InUse { .. }), "{error}");
    assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
    block_on(store.close());
    drop(open(&path));
    drop(store);
    open(&path);
}

#[test]
fn a_place_that_is_not_there_is_told() {
    let (directory, _) = place();
    let path = directory.path().join("nowhere").join("store.db");
    let error = refusal(&path);
    assert!(matches!(&error, StoreError::Io { detail } if detail.contains("nowhere")), "{error}");
}

#[test]
fn a_store_that_was_closed_is_one_file_and_its_lock() {
    let (directory, path) = place();
    filled(&path);
    let names = |()| -> Vec<String> {
        let entries = fs::read_dir(directory.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    let left = names(()).into_iter().filter(|name| name.ends_with("-wal"));
    for log in left {
        assert_eq!(fs::metadata(directory.path().join(log)).unwrap().len(), 0, "the log was moved");
    }
    assert!(names(()).contains(&"store.db.lock".to_owned()));
}

#[test]
fn the_log_is_moved_into_the_file_when_it_is_long() {
    let (directory, path) = place();
    let store = open(&path);
    block_on(async {
        let key = key_of(&store.start(instance("a")).await.unwrap());
        for number in 0..100 {
            store.commit(turn(key, number, &"x".repeat(1024 * 1024))).await.unwrap();
        }
    });
    let log = fs::metadata(directory.path().join("store.db-wal")).unwrap().len();
    assert!((1..32 * 1024 * 1024).contains(&log), "{log} bytes of log for 100 MiB");
}

#[test]
fn nothing_of_an_instance_is_left_in_any_table() {
    let (_directory, path) = place();
    filled(&path);
    let store = open(&path);
    let found = block_on(store.find(&"a".into())).unwrap().unwrap();
    block_on(store.purge(found.key, true)).unwrap();
    drop(store);
    let raw = rusqlite::Connection::open(&path).unwrap();
    for table in ["instance", "turn", "message", "task"] {
        let rows: i64 = raw.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap();
        assert_eq!(rows, 0, "{table}");
    }
}

//! What only the inside can see: how connections are set, and how SQLite goes about the statements that run most.

use rusqlite::Connection;
use tempfile::TempDir;

use super::connection::{Database, LOG_BYTES};
use super::{SqliteOptions, SqliteStore, open_session, schema};

fn database() -> (TempDir, Database) {
    let directory = tempfile::tempdir().unwrap();
    let database = Database::new(&directory.path().join("store.db"), SqliteOptions::default());
    (directory, database)
}

fn pragma(connection: &Connection, name: &str) -> String {
    let value: rusqlite::types::Value = connection.pragma_query_value(None, name, |row| row.get(0)).unwrap();
    match value {
        rusqlite::types::Value::Integer(number) => number.to_string(),
        rusqlite::types::Value::Text(text) => text,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn every_connection_is_set_as_it_must_be() {
    let (_directory, database) = database();
    let first = open_session(&database).unwrap().connection;
    let again = database.open_writer().unwrap();
    let reader = database.open_reader().unwrap();
    let log = LOG_BYTES.to_string();
    let expected = [
        ("journal_mode", "wal"),
        ("synchronous", "2"),
        ("fullfsync", "1"),
        ("checkpoint_fullfsync", "1"),
        ("foreign_keys", "1"),
        ("busy_timeout", "5000"),
        ("temp_store", "2"),
        ("mmap_size", "0"),
        ("wal_autocheckpoint", "0"),
        ("journal_size_limit", log.as_str()),
    ];
    for (name, value) in expected {
        for (which, connection) in [("first", &first), ("again", &again), ("reader", &reader)] {
            assert_eq!(pragma(connection, name), value, "{name} of {which}");
        }
    }
    assert_eq!(pragma(&first, "application_id"), schema::APPLICATION_ID.to_string());
    assert_eq!(pragma(&first, "user_version"), schema::MIGRATIONS.len().to_string());
    reader.execute("DELETE FROM instance", []).unwrap_err();
}

#[test]
fn a_store_opens_a_file_of_the_format_that_it_makes() {
    let (_directory, database) = database();
    drop(open_session(&database).unwrap());
    let store = SqliteStore::open(&database.path, SqliteOptions::default()).unwrap();
    assert_eq!(store.statistics().transactions, 0);
}

/// How SQLite goes about a statement.
fn plan(connection: &Connection, sql: &str) -> String {
    let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let unbound = statement.parameter_count();
    let nothing = vec![rusqlite::types::Null; unbound];
    let steps = statement.query_map(rusqlite::params_from_iter(nothing), |row| row.get::<_, String>(3)).unwrap();
    steps.collect::<Result<Vec<_>, _>>().unwrap().join("; ")
}

#[test]
fn statements_find_their_rows_by_an_index() {
    let (_directory, database) = database();
    let connection = open_session(&database).unwrap().connection;
    let table = [
        (
            "SELECT event FROM message WHERE instance = ? AND visible_at <= ? AND held = 0 ORDER BY visible_at, id LIMIT ?",
            "message_by_instance",
        ),
        (
            "SELECT count(*) FROM message WHERE instance = ? AND visible_at <= ?",
            "COVERING INDEX message_by_instance (instance=? AND visible_at<?)",
        ),
        ("DELETE FROM message WHERE instance = ? AND task = ?", "message_by_task"),
        ("DELETE FROM message WHERE instance = ? AND task IS NOT NULL", "message_by_task"),
        ("SELECT min(visible_at) FROM message WHERE instance = ?", "message_by_instance"),
        ("SELECT min(visible_at) FROM message WHERE delayed = 1 AND held = 0 AND visible_at > ?", "message_due"),
        (
            "SELECT visible_at, instance FROM message WHERE delayed = 1 AND held = 0 AND visible_at > ? AND visible_at <= ? ORDER BY visible_at, instance",
            "message_due",
        ),
        ("DELETE FROM task WHERE instance = ? AND task = ?", "task_by_instance"),
        ("SELECT key FROM task WHERE activity = ? AND token IS NULL ORDER BY key LIMIT ?", "task_waiting"),
        ("SELECT activity, count(*) FROM task WHERE token IS NULL GROUP BY activity", "task_waiting"),
        (
            "SELECT key FROM instance WHERE status = ? AND ended_at IS NOT NULL AND ended_at < ? ORDER BY ended_at LIMIT ?",
            "instance_by_end",
        ),
        (
            "SELECT key FROM instance WHERE parent_id = ? AND parent_key = ? AND ended_at IS NULL ORDER BY key",
            "instance_by_parent",
        ),
        ("SELECT * FROM instance WHERE workflow = ? ORDER BY key DESC LIMIT ?", "instance_by_workflow"),
        ("SELECT * FROM instance WHERE status IN (?) ORDER BY key DESC LIMIT ?", "instance_by_status"),
        ("SELECT key FROM instance WHERE wants_turn = 1", "instance_wants_turn"),
        ("SELECT status, count(*) FROM instance GROUP BY status", "instance_by_status"),
    ];
    for (sql, index) in table {
        let plan = plan(&connection, sql);
        assert!(plan.contains(index), "{sql}: {plan}");
        assert!(!plan.contains("TEMP B-TREE"), "{sql}: {plan}");
    }
    let plans = plan(&connection, "SELECT bytes FROM turn WHERE instance = ? ORDER BY number");
    assert!(plans.contains("USING PRIMARY KEY (instance=?)"), "{plans}");
}

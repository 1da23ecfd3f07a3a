//! Whose file it is, which format it has, and how an old one becomes a new one.

use std::path::Path;

use rusqlite::Connection;

use super::failure::Failure;
use crate::StoreError;

/// Says in the file's header that it is ours: "Evtn".
pub(super) const APPLICATION_ID: i32 = 0x4576_746e;

/// What makes each format out of the one before, from an empty file on. The format is their number.
pub(super) const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_initial.sql"),
    include_str!("migrations/0002_remote.sql"),
    include_str!("migrations/0003_versions.sql"),
    include_str!("migrations/0004_undone.sql"),
];

/// Tables that must be there. Reading one row of each finds a file that lost its first pages.
const TABLES: [&str; 11] = [
    "next_number",
    "component",
    "deployment",
    "route",
    "instance",
    "turn",
    "message",
    "task",
    "remote_workflow",
    "activation",
    "gate_report",
];

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing is in it.
    Empty,
    /// Ours, with this format.
    Ours(i64),
}

/// Looks whose file it is, without changing anything. `what` is its name.
pub(super) fn identify(connection: &Connection, what: &str, known: usize) -> Result<Kind, Failure> {
    let application: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let format: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let objects: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let known = i64::try_from(known).unwrap_or(i64::MAX);
    match (application, format, objects) {
        (0, 0, 0) => Ok(Kind::Empty),
        (APPLICATION_ID, format, _) if format > known => {
            Err(StoreError::TooNew { what: what.to_owned(), found: format, known }.into())
        }
        (APPLICATION_ID, format, objects) if format >= 1 && objects > 0 => Ok(Kind::Ours(format)),
        (APPLICATION_ID, ..) => Err(Failure::Damaged("its tables are gone".to_owned())),
        _ => Err(Failure::Damaged("it is the database of another application".to_owned())),
    }
}

/// Brings a file to the newest format, one step after the other. Each is made whole or not at all.
pub(super) fn migrate(connection: &Connection, kind: Kind, migrations: &[&str]) -> Result<(), Failure> {
    let done = match kind {
        Kind::Empty => 0,
        Kind::Ours(format) => usize::try_from(format).unwrap_or(0),
    };
    for (index, migration) in migrations.iter().enumerate().skip(done) {
        connection.execute_batch("BEGIN IMMEDIATE")?;
        let made = connection
            .execute_batch(migration)
            .and_then(|()| connection.pragma_update(None, "application_id", APPLICATION_ID))
            .and_then(|()| connection.pragma_update(None, "user_version", index + 1))
            .and_then(|()| connection.execute_batch("COMMIT"));
        if let Err(error) = made {
            // SQLite may have done so itself.
            let _ = connection.execute_batch("ROLLBACK");
            return Err(error.into());
        }
    }
    Ok(())
}

/// A look that costs the same for every size of file: the tables are there and begin with pages that can be read.
pub(super) fn check(connection: &Connection) -> Result<(), Failure> {
    for table in TABLES {
        let mut statement = connection.prepare(&format!("SELECT * FROM {table} LIMIT 1"))?;
        statement.query([])?.next()?;
    }
    Ok(())
}

/// SQLite fills up a last page that was cut, and would not say so. While there is a log, that may have the whole page.
pub(super) fn check_length(connection: &Connection, path: &Path) -> Result<(), Failure> {
    let page: u64 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    let length = |path: &Path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if length(path) % page.max(1) != 0 && length(Path::new(&log)) == 0 {
        return Err(Failure::Damaged("its last page is cut".to_owned()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDS_COLUMN: &str = "ALTER TABLE instance ADD COLUMN later TEXT";

    fn made_by(migrations: &[&str]) -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        migrate(&connection, Kind::Empty, migrations).unwrap();
        connection
    }

    fn newest() -> Kind {
        Kind::Ours(MIGRATIONS.len() as i64)
    }

    #[test]
    fn an_old_file_becomes_a_new_one_and_keeps_what_is_in_it() {
        let connection = made_by(MIGRATIONS);
        connection.execute("UPDATE next_number SET task = 77", []).unwrap();
        let both = [MIGRATIONS, &[ADDS_COLUMN]].concat();
        let kind = identify(&connection, "file", both.len()).unwrap();
        assert_eq!(kind, newest());
        migrate(&connection, kind, &both).unwrap();
        assert_eq!(identify(&connection, "file", both.len()).unwrap(), Kind::Ours(both.len() as i64));
        connection.prepare("SELECT later FROM instance").unwrap();
        let task: i64 = connection.query_row("SELECT task FROM next_number", [], |row| row.get(0)).unwrap();
        assert_eq!(task, 77);
    }

    #[test]
    fn every_format_becomes_the_newest_one() {
        for format in 1..MIGRATIONS.len() {
            let connection = made_by(&MIGRATIONS[..format]);
            migrate(&connection, Kind::Ours(format as i64), MIGRATIONS).unwrap();
            check(&connection).unwrap();
            assert_eq!(identify(&connection, "file", MIGRATIONS.len()).unwrap(), newest());
        }
    }

    #[test]
    fn who_followed_from_one_deployment_still_does() {
        let connection = made_by(&MIGRATIONS[..3]);
        let deployment = "PRAGMA foreign_keys = OFF; INSERT INTO route (kind, name, deployment, follow) \
                          VALUES (0, 'back', 1, 7), (0, 'on', 1, 0), (0, 'pinned', 1, NULL)";
        connection.execute_batch(deployment).unwrap();
        migrate(&connection, Kind::Ours(3), MIGRATIONS).unwrap();
        let mut statement = connection.prepare("SELECT name, follow, undone FROM route ORDER BY name").unwrap();
        let rows = statement.query_map([], |row| row.try_into()).unwrap();
        let rows: Vec<(String, Option<i64>, String)> = rows.map(Result::unwrap).collect();
        let expected = [("back", None, "[7]"), ("on", Some(0), "[]"), ("pinned", None, "[]")];
        assert_eq!(rows, expected.map(|(name, follow, undone)| (name.to_owned(), follow, undone.to_owned())));
    }

    #[test]
    fn a_migration_that_fails_leaves_the_file_as_it_was() {
        let connection = made_by(MIGRATIONS);
        let broken = format!("{ADDS_COLUMN}; INSERT INTO nowhere VALUES (1)");
        let both = [MIGRATIONS, &[broken.as_str()]].concat();
        migrate(&connection, newest(), &both).unwrap_err();
        assert!(connection.is_autocommit());
        assert_eq!(identify(&connection, "file", both.len()).unwrap(), newest());
        connection.prepare("SELECT later FROM instance").unwrap_err();
    }

    #[test]
    fn the_newest_format_is_left_alone() {
        let connection = made_by(MIGRATIONS);
        migrate(&connection, newest(), MIGRATIONS).unwrap();
        check(&connection).unwrap();
    }
}

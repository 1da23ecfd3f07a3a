//! Connections: how each is opened, and what is set on it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::failure::Failure;
use super::options::SqliteOptions;
use crate::StoreError;

/// How many pages the log may have before they are moved to the file: 16 MiB. Fewer would move pages that change again.
pub(super) const CHECKPOINT_PAGES: i32 = 4_096;
/// How much of the log stays on disk after that.
pub(super) const LOG_BYTES: i64 = 64 * 1024 * 1024;
/// What the thread that writes may keep of the file in memory, in KiB. More was no faster beside 100,000 parked instances: what is
/// written next was mostly written just before.
const WRITER_CACHE_KIB: i64 = 16 * 1024;
/// What each thread that reads may keep, in KiB.
const READER_CACHE_KIB: i64 = 8 * 1024;
/// How many prepared statements a connection keeps: more than there are.
const STATEMENTS: usize = 128;

/// A file of SQLite's, and how to open it.
#[derive(Clone, Debug)]
pub(super) struct Database {
    pub(super) path: PathBuf,
    vfs: Option<String>,
    max_bytes: Option<u64>,
    busy_timeout: Duration,
}

impl Database {
    pub(super) fn new(path: &Path, options: SqliteOptions) -> Self {
        let SqliteOptions { vfs, max_bytes, busy_timeout, .. } = options;
        Self { path: path.to_owned(), vfs, max_bytes, busy_timeout }
    }

    /// A connection that writes, with nothing set yet: whose file it is has to be known before anything in it changes.
    pub(super) fn open_bare(&self) -> Result<Connection, Failure> {
        self.open(OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)
    }

    /// The connection that writes.
    pub(super) fn open_writer(&self) -> Result<Connection, Failure> {
        let connection = self.open_bare()?;
        self.prepare_writer(&connection)?;
        Ok(connection)
    }

    /// Sets what the connection that writes needs.
    pub(super) fn prepare_writer(&self, connection: &Connection) -> Result<(), Failure> {
        let mode: String = connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))?;
        if mode != "wal" {
            let detail = format!("{}: SQLite cannot keep its log beside this file", self.path.display());
            return Err(StoreError::Io { detail }.into());
        }
        set_common(connection)?;
        connection.pragma_update(None, "cache_size", -WRITER_CACHE_KIB)?;
        if let Some(bytes) = self.max_bytes {
            let page: u64 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
            let pages = i64::try_from(bytes / page.max(1)).unwrap_or(i64::MAX).max(1);
            connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))?;
        }
        Ok(())
    }

    /// A connection that reads.
    pub(super) fn open_reader(&self) -> Result<Connection, Failure> {
        let connection = self.open(OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        set_common(&connection)?;
        connection.pragma_update(None, "query_only", true)?;
        connection.pragma_update(None, "cache_size", -READER_CACHE_KIB)?;
        Ok(connection)
    }

    fn open(&self, flags: OpenFlags) -> Result<Connection, Failure> {
        // Each connection stays on one thread at a time, so SQLite need not lock it.
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = match &self.vfs {
            Some(vfs) => Connection::open_with_flags_and_vfs(&self.path, flags, vfs.as_str())?,
            None => Connection::open_with_flags(&self.path, flags)?,
        };
        connection.busy_timeout(self.busy_timeout)?;
        Ok(connection)
    }
}

/// What is the same for all.
fn set_common(connection: &Connection) -> Result<(), Failure> {
    // A statement means the same whatever it is asked about: without this, one that could profit from knowing is prepared anew
    // each time.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // The store moves the log itself when it is closed. Without that, the next opening reads it, as after a crash.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.pragma_update(None, "synchronous", "full")?;
    // Where the system's fsync does not reach the disk, this does. Elsewhere it is nothing.
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "checkpoint_fullfsync", true)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "temp_store", "memory")?;
    // No memory maps: a disk that fails shall be an error, not a signal.
    connection.pragma_update_and_check(None, "mmap_size", 0, |_| Ok(())).or_else(ignore_silence)?;
    // The thread that writes does it, when all that it wrote is answered: SQLite would do it before.
    connection.pragma_update_and_check(None, "wal_autocheckpoint", 0, |_| Ok(()))?;
    connection.pragma_update_and_check(None, "journal_size_limit", LOG_BYTES, |_| Ok(()))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(())
}

/// A file system without memory maps does not answer at all.
fn ignore_silence(error: rusqlite::Error) -> Result<(), rusqlite::Error> {
    match error {
        rusqlite::Error::QueryReturnedNoRows => Ok(()),
        error => Err(error),
    }
}

//! One host at a time: a lock on a file beside the database.
//!
//! SQLite's own locks would let two hosts take turns on one file, and each would take the other's instances for its own.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use crate::StoreError;

/// The lock. It ends with this value, or with the process, however that ends. The file stays: deleting it would let
/// somebody lock a file that nobody else sees any more.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

/// Where the lock of a database is.
pub(super) fn path_of(database: &Path) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push(".lock");
    path.into()
}

impl Lock {
    /// Takes it, or says that somebody has it.
    pub(super) fn take(database: &Path) -> Result<Self, StoreError> {
        let path = path_of(database);
        let failed = |error: std::io::Error| StoreError::Io { detail: format!("{}: {error}", path.display()) };
        let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(StoreError::InUse { what: database.display().to_string() }),
            Err(TryLockError::Error(error)) => Err(failed(error)),
        }
    }
}

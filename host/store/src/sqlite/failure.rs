//! What goes wrong inside a step, before it is known which file to blame.

use std::path::Path;

use rusqlite::ErrorCode;

use crate::{StoreError, UnreadableEvents};

/// Why a step or a question failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// SQLite says so.
    Sqlite(rusqlite::Error),
    /// We say so.
    Store(StoreError),
    /// What is stored makes no sense.
    Damaged(String),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<UnreadableEvents> for Failure {
    fn from(error: UnreadableEvents) -> Self {
        Self::Damaged(error.to_string())
    }
}

impl From<prost::DecodeError> for Failure {
    fn from(error: prost::DecodeError) -> Self {
        Self::Damaged(error.to_string())
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::Damaged(error.to_string())
    }
}

impl Failure {
    /// The same for callers, with the file that it is about.
    pub(super) fn in_file(self, path: &Path) -> StoreError {
        match self {
            Self::Store(error) => error,
            Self::Damaged(detail) => corrupt(path, detail),
            Self::Sqlite(error) => match error.sqlite_error_code() {
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy,
                Some(ErrorCode::DiskFull) => StoreError::Full,
                // What a row refers to is not there, such as a deployment that nobody made.
                Some(ErrorCode::ConstraintViolation) => StoreError::Conflict,
                Some(
                    ErrorCode::SystemIoFailure
                    | ErrorCode::CannotOpen
                    | ErrorCode::ReadOnly
                    | ErrorCode::PermissionDenied
                    | ErrorCode::OutOfMemory
                    | ErrorCode::FileLockingProtocolFailed
                    | ErrorCode::NoLargeFileSupport,
                ) => StoreError::Io { detail: format!("{}: {}", path.display(), message(&error)) },
                // A table that is not there, a column of another type: our statements fit our files and no others.
                _ => corrupt(path, message(&error)),
            },
        }
    }
}

fn corrupt(path: &Path, detail: String) -> StoreError {
    StoreError::Corrupt { what: path.display().to_string(), detail }
}

/// SQLite's words, with its extended code: that tells a failed write from a failed fsync.
fn message(error: &rusqlite::Error) -> String {
    match error.sqlite_error() {
        Some(code) => format!("{error}; SQLite code {}", code.extended_code),
        None => error.to_string(),
    }
}

//! The numbers of instances, messages and tasks: each is given once, also over crashes and deletions.

use rusqlite::Connection;

use super::failure::Failure;
use crate::{InstanceKey, MessageId, TaskKey};

/// The numbers to be given next. They live with the thread that writes and are stored once a transaction, in the same
/// one that uses them. Those of a transaction that failed are skipped.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    instance: i64,
    message: i64,
    task: i64,
    changed: bool,
}

impl Numbers {
    pub(super) fn load(connection: &Connection) -> Result<Self, Failure> {
        let sql = "SELECT instance, message, task FROM next_number WHERE one = 1";
        Ok(connection.query_row(sql, [], |row| {
            Ok(Self { instance: row.get(0)?, message: row.get(1)?, task: row.get(2)?, changed: false })
        })?)
    }

    /// Stores what was given since the last time.
    pub(super) fn store(&self, connection: &Connection) -> Result<(), Failure> {
        if self.changed {
            let sql = "UPDATE next_number SET instance = ?1, message = ?2, task = ?3 WHERE one = 1";
            connection.prepare_cached(sql)?.execute((self.instance, self.message, self.task))?;
        }
        Ok(())
    }

    /// After a commit: they are stored.
    pub(super) fn stored(&mut self) {
        self.changed = false;
    }

    pub(super) fn instance(&mut self) -> InstanceKey {
        self.changed = true;
        InstanceKey(take(&mut self.instance))
    }

    pub(super) fn message(&mut self) -> MessageId {
        self.changed = true;
        MessageId(take(&mut self.message))
    }

    pub(super) fn task(&mut self) -> TaskKey {
        self.changed = true;
        TaskKey(take(&mut self.task))
    }
}

fn take(next: &mut i64) -> i64 {
    let number = *next;
    *next += 1;
    number
}

//! Instances that are deleted, with all that belongs to them.

use rusqlite::OptionalExtension;

use super::super::failure::Failure;
use super::super::writer::Writing;
use crate::{InstanceKey, Status, StoreError, Time};

pub(in super::super) fn purge(writing: &Writing<'_>, instance: InstanceKey, force: bool) -> Result<(), Failure> {
    let found: Option<(String, Status)> = writing
        .connection
        .prepare_cached("SELECT id, status FROM instance WHERE key = ?1")?
        .query_row([instance], |row| row.try_into())
        .optional()?;
    match found {
        Some((id, status)) if !status.is_ended() && !force => Err(StoreError::Open { id: id.into(), status }.into()),
        _ => delete(writing, instance),
    }
}

pub(in super::super) fn purge_ended(
    writing: &Writing<'_>,
    status: Status,
    before: Time,
    limit: usize,
) -> Result<u64, Failure> {
    let keys: Vec<InstanceKey> = {
        let mut statement = writing.connection.prepare_cached(
            "SELECT key FROM instance WHERE status = ?1 AND ended_at IS NOT NULL AND ended_at < ?2 \
             ORDER BY ended_at LIMIT ?3",
        )?;
        let rows = statement.query_map((status, before, i64::try_from(limit).unwrap_or(i64::MAX)), |row| row.get(0))?;
        rows.collect::<Result<_, _>>()?
    };
    for key in &keys {
        delete(writing, *key)?;
    }
    Ok(keys.len() as u64)
}

/// Deletes it. Its turns, messages and tasks refer to it, so SQLite deletes them with it.
pub(super) fn delete(writing: &Writing<'_>, instance: InstanceKey) -> Result<(), Failure> {
    writing.connection.prepare_cached("DELETE FROM instance WHERE key = ?1")?.execute([instance])?;
    Ok(())
}

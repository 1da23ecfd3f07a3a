//! Instances that cannot go on: held, and let go.

use rusqlite::OptionalExtension;

use super::super::failure::Failure;
use super::super::writer::Writing;
use crate::{DeploymentId, Hold, InstanceKey, Status, StoreError, Time};

pub(in super::super) fn hold(writing: &Writing<'_>, hold: &Hold) -> Result<(), Failure> {
    let found = status(writing, hold.instance)?;
    if !found.is_some_and(|(status, turns)| turns == hold.number && !status.is_ended()) {
        return Err(StoreError::Conflict.into());
    }
    writing
        .connection
        .prepare_cached(
            "UPDATE instance SET status = ?2, stalled = ?3, updated_at = ?4, stalled_reason = ?5 WHERE key = ?1",
        )?
        .execute((hold.instance, Status::Stalled, &hold.reason, hold.at, hold.kind.map(|kind| kind as i32)))?;
    set_held(writing, hold.instance, true)
}

pub(in super::super) fn release(
    writing: &Writing<'_>,
    instance: InstanceKey,
    deployment: Option<DeploymentId>,
    at: Time,
) -> Result<(), Failure> {
    let Some((Status::Stalled, turns)) = status(writing, instance)? else { return Ok(()) };
    let status = if turns == 0 { Status::Pending } else { Status::Running };
    writing
        .connection
        .prepare_cached(
            "UPDATE instance SET status = ?2, stalled = NULL, stalled_reason = NULL, \
             deployment = coalesce(?3, deployment), updated_at = ?4 WHERE key = ?1",
        )?
        .execute((instance, status, deployment, at))?;
    set_held(writing, instance, false)
}

fn status(writing: &Writing<'_>, instance: InstanceKey) -> Result<Option<(Status, u64)>, Failure> {
    let sql = "SELECT status, turns FROM instance WHERE key = ?1";
    Ok(writing.connection.prepare_cached(sql)?.query_row([instance], |row| row.try_into()).optional()?)
}

fn set_held(writing: &Writing<'_>, instance: InstanceKey, held: bool) -> Result<(), Failure> {
    let sql = "UPDATE message SET held = ?2 WHERE instance = ?1";
    writing.connection.prepare_cached(sql)?.execute((instance, held))?;
    Ok(())
}

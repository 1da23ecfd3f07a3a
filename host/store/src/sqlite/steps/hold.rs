//! Instances that cannot go on: held, and let go.

use rusqlite::OptionalExtension;

use super::super::failure::Failure;
use super::super::writer::Writing;
use super::activate;
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

pub(in super::super) fn release(writing: &Writing<'_>, instance: InstanceKey, at: Time) -> Result<(), Failure> {
    let Some((Status::Stalled, turns)) = status(writing, instance)? else { return Ok(()) };
    let status = if turns == 0 { Status::Pending } else { Status::Running };
    writing
        .connection
        .prepare_cached(
            "UPDATE instance SET status = ?2, stalled = NULL, stalled_reason = NULL, updated_at = ?3 WHERE key = ?1",
        )?
        .execute((instance, status, at))?;
    set_held(writing, instance, false)
}

/// Sends an instance to another deployment at its next turn.
pub(in super::super) fn assign(
    writing: &Writing<'_>,
    instance: InstanceKey,
    deployment: DeploymentId,
    at: Time,
) -> Result<(), Failure> {
    activate::require_usable(writing, deployment)?;
    writing
        .connection
        .prepare_cached(
            "UPDATE instance SET assigned = ?2, wants_turn = (turns > 0) \
             WHERE key = ?1 AND ended_at IS NULL AND deployment IS NOT NULL",
        )?
        .execute((instance, deployment))?;
    release(writing, instance, at)
}

fn status(writing: &Writing<'_>, instance: InstanceKey) -> Result<Option<(Status, u64)>, Failure> {
    let sql = "SELECT status, turns FROM instance WHERE key = ?1";
    Ok(writing.connection.prepare_cached(sql)?.query_row([instance], |row| row.try_into()).optional()?)
}

pub(super) fn set_held(writing: &Writing<'_>, instance: InstanceKey, held: bool) -> Result<(), Failure> {
    let sql = "UPDATE message SET held = ?2 WHERE instance = ?1";
    writing.connection.prepare_cached(sql)?.execute((instance, held))?;
    Ok(())
}

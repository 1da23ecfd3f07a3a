//! Components: stored, and no longer kept.

use rusqlite::OptionalExtension;

use super::super::failure::Failure;
use super::super::reads::deployments::WORKFLOW;
use super::super::writer::Writing;
use crate::{ComponentDigest, DeploymentId, NewDeployment, StoreError, Time};

pub(in super::super) fn deploy(writing: &Writing<'_>, new: &NewDeployment) -> Result<DeploymentId, Failure> {
    let there: Option<(DeploymentId, ComponentDigest)> = writing
        .connection
        .prepare_cached("SELECT id, digest FROM deployment WHERE label = ?1")?
        .query_row([&new.label], |row| row.try_into())
        .optional()?;
    let id = match there {
        Some((_, digest)) if digest != new.digest => {
            return Err(StoreError::LabelInUse { label: new.label.clone() }.into());
        }
        Some((id, _)) => {
            let sql = "UPDATE deployment SET grants = ?2, successors = ?3, retired_at = NULL WHERE id = ?1";
            writing.connection.prepare_cached(sql)?.execute((id, &new.grants, new.successors))?;
            store_component(writing, new)?;
            id
        }
        None => insert(writing, new)?,
    };
    Ok(id)
}

/// Stores the bytes, once, whatever labels they have. One that was retired has its bytes again.
fn store_component(writing: &Writing<'_>, new: &NewDeployment) -> Result<(), Failure> {
    writing
        .connection
        .prepare_cached(
            "INSERT INTO component (digest, size, wasm) VALUES (?1, ?2, ?3) \
             ON CONFLICT DO UPDATE SET wasm = excluded.wasm WHERE length(wasm) = 0",
        )?
        .execute((new.digest, new.wasm.len() as u64, &new.wasm))?;
    Ok(())
}

fn insert(writing: &Writing<'_>, new: &NewDeployment) -> Result<DeploymentId, Failure> {
    let connection = writing.connection;
    store_component(writing, new)?;
    connection
        .prepare_cached(
            "INSERT INTO deployment (label, digest, workflows, activities, grants, created_at, successors) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute((
            &new.label,
            new.digest,
            serde_json::to_string(&new.workflows)?,
            serde_json::to_string(&new.activities)?,
            &new.grants,
            new.at,
            new.successors,
        ))?;
    Ok(DeploymentId(connection.last_insert_rowid()))
}

/// The component goes when the last deployment that has it does. Its row stays: deployments refer to it.
pub(in super::super) fn retire(
    writing: &Writing<'_>,
    id: DeploymentId,
    drop_names: bool,
    at: Time,
) -> Result<Vec<String>, Failure> {
    let connection = writing.connection;
    let found: Option<(String, ComponentDigest)> = connection
        .prepare_cached("SELECT label, digest FROM deployment WHERE id = ?1")?
        .query_row([id], |row| row.try_into())
        .optional()?;
    let Some((label, digest)) = found else { return Err(StoreError::Conflict.into()) };
    let count: u64 = connection
        .prepare_cached(
            "SELECT count(*) FROM instance WHERE status IN (0, 1, 2, 3) AND (deployment = ?1 OR assigned = ?1)",
        )?
        .query_row([id], |row| row.get(0))?;
    if count > 0 {
        return Err(StoreError::InstancesLeft { label, count }.into());
    }
    let dropped = if drop_names { drop_routes(writing, id)? } else { Vec::new() };
    let names = names(writing, "SELECT name FROM route WHERE deployment = ?1 OR trial = ?1 ORDER BY name", id)?;
    if !names.is_empty() {
        return Err(StoreError::Active { label, names }.into());
    }
    connection.prepare_cached("UPDATE deployment SET retired_at = ?2 WHERE id = ?1")?.execute((id, at))?;
    connection
        .prepare_cached(
            "UPDATE component SET wasm = x'' WHERE digest = ?1 AND NOT EXISTS \
             (SELECT 1 FROM deployment WHERE deployment.digest = ?1 AND retired_at IS NULL)",
        )?
        .execute([digest])?;
    Ok(dropped)
}

/// Lets the names of a deployment lead nowhere that no other one has.
fn drop_routes(writing: &Writing<'_>, id: DeploymentId) -> Result<Vec<String>, Failure> {
    let sql = format!(
        "DELETE FROM route WHERE deployment = ?1 AND NOT EXISTS \
         (SELECT 1 FROM deployment, json_each(iif(route.kind = {WORKFLOW}, workflows, activities)) AS had \
         WHERE deployment.id <> ?1 AND retired_at IS NULL AND had.value = route.name) RETURNING name"
    );
    let mut dropped = names(writing, &sql, id)?;
    dropped.sort_unstable();
    Ok(dropped)
}

fn names(writing: &Writing<'_>, sql: &str, id: DeploymentId) -> Result<Vec<String>, Failure> {
    let mut statement = writing.connection.prepare_cached(sql)?;
    let names = statement.query_map([id], |row| row.get(0))?;
    Ok(names.collect::<Result<_, _>>()?)
}

//! Components and where names lead.

use rusqlite::OptionalExtension;

use super::super::failure::Failure;
use super::super::reads::deployments::{ACTIVITY, WORKFLOW};
use super::super::writer::Writing;
use crate::{ComponentDigest, DeploymentId, NewDeployment, StoreError};

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
            let sql = "UPDATE deployment SET grants = ?2 WHERE id = ?1";
            writing.connection.prepare_cached(sql)?.execute((id, &new.grants))?;
            id
        }
        None => insert(writing, new)?,
    };
    route(writing, WORKFLOW, &new.workflows, id)?;
    route(writing, ACTIVITY, &new.activities, id)?;
    Ok(id)
}

fn insert(writing: &Writing<'_>, new: &NewDeployment) -> Result<DeploymentId, Failure> {
    let connection = writing.connection;
    // The same component under another label is stored once.
    connection
        .prepare_cached("INSERT INTO component (digest, size, wasm) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")?
        .execute((new.digest, new.wasm.len() as u64, &new.wasm))?;
    connection
        .prepare_cached(
            "INSERT INTO deployment (label, digest, workflows, activities, grants, created_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute((
            &new.label,
            new.digest,
            serde_json::to_string(&new.workflows)?,
            serde_json::to_string(&new.activities)?,
            &new.grants,
            new.at,
        ))?;
    Ok(DeploymentId(connection.last_insert_rowid()))
}

fn route(writing: &Writing<'_>, kind: i64, names: &[String], id: DeploymentId) -> Result<(), Failure> {
    let mut statement = writing.connection.prepare_cached(
        "INSERT INTO route (kind, name, deployment) VALUES (?1, ?2, ?3) \
         ON CONFLICT DO UPDATE SET deployment = excluded.deployment",
    )?;
    for name in names {
        statement.execute((kind, name, id))?;
    }
    Ok(())
}

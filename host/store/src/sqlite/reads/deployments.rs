//! Deployments and components.

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Row};

use super::super::failure::Failure;
use crate::{ComponentDigest, Deployment, DeploymentId, GATE_REPORTS, GateReport, Route, StoreError, Trial};

/// The kind of a route that new starts of a workflow take.
pub(in super::super) const WORKFLOW: i64 = 0;
/// The kind of a route that calls of an activity take.
pub(in super::super) const ACTIVITY: i64 = 1;

pub(in super::super) fn all(connection: &Connection) -> Result<Vec<Deployment>, Failure> {
    let mut active: HashMap<(i64, DeploymentId), Vec<String>> = HashMap::new();
    let mut statement = connection.prepare_cached("SELECT kind, deployment, name FROM route ORDER BY name")?;
    let mut routes = statement.query([])?;
    while let Some(row) = routes.next()? {
        active.entry((row.get(0)?, row.get(1)?)).or_default().push(row.get(2)?);
    }
    let mut trials = trials(connection)?;
    let mut open = open_instances(connection)?;
    let mut statement = connection.prepare_cached(
        "SELECT id, label, deployment.digest, size, workflows, activities, grants, created_at, successors, retired_at \
         FROM deployment JOIN component ON component.digest = deployment.digest ORDER BY id DESC",
    )?;
    let rows = statement.query_and_then([], |row| {
        let id = row.get(0)?;
        Ok(Deployment {
            id,
            label: row.get(1)?,
            digest: row.get(2)?,
            size: row.get(3)?,
            workflows: names(row, 4)?,
            active_workflows: active.remove(&(WORKFLOW, id)).unwrap_or_default(),
            trials: trials.remove(&id).unwrap_or_default(),
            activities: names(row, 5)?,
            active_activities: active.remove(&(ACTIVITY, id)).unwrap_or_default(),
            grants: row.get(6)?,
            successors: row.get(8)?,
            created_at: row.get(7)?,
            retired_at: row.get(9)?,
            open_instances: open.remove(&id).unwrap_or(0),
        })
    })?;
    rows.collect()
}

fn trials(connection: &Connection) -> Result<HashMap<DeploymentId, Vec<(String, u8)>>, Failure> {
    let mut trials: HashMap<_, Vec<_>> = HashMap::new();
    for (name, route) in routes(connection)? {
        if let Some(trial) = route.trial {
            trials.entry(trial.deployment).or_default().push((name, trial.share));
        }
    }
    Ok(trials)
}

pub(in super::super) fn routes(connection: &Connection) -> Result<Vec<(String, Route)>, Failure> {
    let sql = "SELECT name, deployment, follow, trial, share, undone FROM route WHERE kind = ?1 ORDER BY name";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_and_then([WORKFLOW], |row| {
        let trial = row.get::<_, Option<_>>(3)?.zip(row.get::<_, Option<_>>(4)?);
        let trial = trial.map(|(deployment, share)| Trial { deployment, share });
        let undone: Vec<i64> = serde_json::from_str(&row.get::<_, String>(5)?)?;
        let undone = undone.into_iter().map(DeploymentId).collect();
        Ok((row.get(0)?, Route { deployment: row.get(1)?, follow: row.get(2)?, undone, trial }))
    })?;
    rows.collect()
}

pub(in super::super) fn reports(
    connection: &Connection,
    label: Option<&str>,
    limit: usize,
) -> Result<Vec<GateReport>, Failure> {
    let mut statement = connection.prepare_cached(
        "SELECT label, at, report FROM gate_report WHERE ?1 IS NULL OR label = ?1 ORDER BY id DESC LIMIT ?2",
    )?;
    let rows = statement.query_map((label, limit.min(GATE_REPORTS) as i64), |row| {
        Ok(GateReport { label: row.get(0)?, at: row.get(1)?, report: row.get(2)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn open_instances(connection: &Connection) -> Result<HashMap<DeploymentId, u64>, Failure> {
    let mut statement = connection.prepare_cached(
        "SELECT deployment, count(*) FROM instance \
         WHERE status IN (0, 1, 2, 3) AND deployment IS NOT NULL GROUP BY deployment",
    )?;
    let rows = statement.query_map([], |row: &Row<'_>| row.try_into())?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn names(row: &Row<'_>, column: usize) -> Result<Vec<String>, Failure> {
    Ok(serde_json::from_str(row.get_ref(column)?.as_str().map_err(rusqlite::Error::from)?)?)
}

pub(in super::super) fn component(connection: &Connection, digest: ComponentDigest) -> Result<Arc<[u8]>, Failure> {
    let found: Option<Vec<u8>> = connection
        .prepare_cached("SELECT wasm FROM component WHERE digest = ?1")?
        .query_row([digest], |row| row.get(0))
        .optional()?;
    match found {
        // One that was retired is empty.
        Some(wasm) if !wasm.is_empty() => Ok(wasm.into()),
        _ => {
            let digest = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            Err(StoreError::NoComponent { digest }.into())
        }
    }
}

pub(in super::super) fn remote_workflows(connection: &Connection) -> Result<Vec<String>, Failure> {
    let mut statement = connection.prepare_cached("SELECT name FROM remote_workflow ORDER BY name")?;
    let names = statement.query_map([], |row| row.get(0))?;
    Ok(names.collect::<Result<_, _>>()?)
}

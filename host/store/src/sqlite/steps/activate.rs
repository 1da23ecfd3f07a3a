//! Where names lead: changed, and changed back.

use std::collections::BTreeSet;

use rusqlite::OptionalExtension;
use serde::{Deserialize, Serialize};

use super::super::failure::Failure;
use super::super::reads::deployments::{ACTIVITY, WORKFLOW};
use super::super::writer::Writing;
use crate::{Activation, DeploymentId, Follow, GATE_REPORTS, GateReport, StoreError, Undone};

/// How many activations can be undone.
const KEPT_ACTIVATIONS: u32 = 1_000;

/// What a route says whose instances follow: all of them.
const EVERYBODY: i64 = 0;

/// A route as it was, to be put back.
#[derive(Debug, Serialize, Deserialize)]
struct Before {
    kind: i64,
    name: String,
    /// None: the name led nowhere.
    route: Option<RouteRow>,
}

#[derive(Debug, Serialize, Deserialize)]
struct RouteRow {
    deployment: i64,
    follow: Option<i64>,
    #[serde(default)]
    undone: Vec<i64>,
    trial: Option<i64>,
    share: Option<u8>,
}

impl Before {
    /// Where new starts and calls went, and which share of them. Who follows is another matter.
    fn leads(&self) -> Option<(i64, Option<i64>, Option<u8>)> {
        self.route.as_ref().map(|route| (route.deployment, route.trial, route.share))
    }
}

/// A deployment that can be given instances.
pub(super) fn require_usable(writing: &Writing<'_>, id: DeploymentId) -> Result<(), Failure> {
    let sql = "SELECT 1 FROM deployment WHERE id = ?1 AND retired_at IS NULL";
    let found = writing.connection.prepare_cached(sql)?.exists([id])?;
    if found { Ok(()) } else { Err(StoreError::Conflict.into()) }
}

/// A deployment whose component is still there.
fn require_kept(writing: &Writing<'_>, id: DeploymentId) -> Result<(), Failure> {
    let label: Option<String> = writing
        .connection
        .prepare_cached("SELECT label FROM deployment WHERE id = ?1 AND retired_at IS NOT NULL")?
        .query_row([id], |row| row.get(0))
        .optional()?;
    label.map_or(Ok(()), |label| Err(StoreError::Retired { label }.into()))
}

pub(in super::super) fn activate(writing: &Writing<'_>, asked: &Activation) -> Result<(), Failure> {
    require_kept(writing, asked.deployment)?;
    require_usable(writing, asked.deployment)?;
    let names = names(writing, asked.deployment)?;
    let before = names.iter().map(|(kind, name)| route(writing, *kind, name)).collect::<Result<Vec<_>, _>>()?;
    for (kind, name) in &names {
        match asked.share {
            Some(share) if *kind == WORKFLOW => put_on_trial(writing, name, asked.deployment, share)?,
            // An activity that another deployment has stays there: those that call it know that one.
            Some(_) => lead(writing, *kind, name, asked.deployment, Follow::Nobody, "DO NOTHING")?,
            None => lead(
                writing,
                *kind,
                name,
                asked.deployment,
                asked.follow,
                "DO UPDATE SET deployment = excluded.deployment, follow = excluded.follow, undone = '[]', trial = NULL, \
                 share = NULL",
            )?,
        }
    }
    // What leads there already has nothing to be undone: the activation before it is what somebody means.
    let after = names.iter().map(|(kind, name)| route(writing, *kind, name)).collect::<Result<Vec<_>, _>>()?;
    if before.iter().map(Before::leads).eq(after.iter().map(Before::leads)) {
        return Ok(());
    }
    let connection = writing.connection;
    connection.prepare_cached("INSERT INTO activation (deployment, at, before) VALUES (?1, ?2, ?3)")?.execute((
        asked.deployment,
        asked.at,
        serde_json::to_string(&before)?,
    ))?;
    connection
        .prepare_cached("DELETE FROM activation WHERE id <= (SELECT max(id) FROM activation) - ?1")?
        .execute([KEPT_ACTIVATIONS])?;
    Ok(())
}

fn names(writing: &Writing<'_>, id: DeploymentId) -> Result<Vec<(i64, String)>, Failure> {
    let (workflows, activities): (String, String) = writing
        .connection
        .prepare_cached("SELECT workflows, activities FROM deployment WHERE id = ?1")?
        .query_row([id], |row| row.try_into())?;
    let workflows: Vec<String> = serde_json::from_str(&workflows)?;
    let activities: Vec<String> = serde_json::from_str(&activities)?;
    let workflows = workflows.into_iter().map(|name| (WORKFLOW, name));
    Ok(workflows.chain(activities.into_iter().map(|name| (ACTIVITY, name))).collect())
}

fn route(writing: &Writing<'_>, kind: i64, name: &str) -> Result<Before, Failure> {
    let mut statement = writing
        .connection
        .prepare_cached("SELECT deployment, follow, undone, trial, share FROM route WHERE kind = ?1 AND name = ?2")?;
    let mut rows = statement.query((kind, name))?;
    let route = match rows.next()? {
        Some(row) => Some(RouteRow {
            deployment: row.get(0)?,
            follow: row.get(1)?,
            undone: serde_json::from_str(&row.get::<_, String>(2)?)?,
            trial: row.get(3)?,
            share: row.get(4)?,
        }),
        None => None,
    };
    Ok(Before { kind, name: name.to_owned(), route })
}

fn lead(
    writing: &Writing<'_>,
    kind: i64,
    name: &str,
    deployment: DeploymentId,
    follow: Follow,
    if_it_leads_somewhere: &str,
) -> Result<(), Failure> {
    let sql = format!(
        "INSERT INTO route (kind, name, deployment, follow) VALUES (?1, ?2, ?3, ?4) ON CONFLICT {if_it_leads_somewhere}"
    );
    writing.connection.prepare_cached(&sql)?.execute((kind, name, deployment, follow))?;
    Ok(())
}

/// A workflow that is new has no other deployment to share with, nor has one whose new starts go there already.
fn put_on_trial(writing: &Writing<'_>, name: &str, deployment: DeploymentId, share: u8) -> Result<(), Failure> {
    writing
        .connection
        .prepare_cached(
            "INSERT INTO route (kind, name, deployment) VALUES (?1, ?2, ?3) \
             ON CONFLICT DO UPDATE SET trial = excluded.deployment, share = ?4 WHERE deployment <> excluded.deployment",
        )?
        .execute((WORKFLOW, name, deployment, share))?;
    Ok(())
}

pub(in super::super) fn roll_back(writing: &Writing<'_>) -> Result<Option<Undone>, Failure> {
    let connection = writing.connection;
    let last: Option<(i64, DeploymentId, String)> = connection
        .prepare_cached("SELECT id, deployment, before FROM activation ORDER BY id DESC LIMIT 1")?
        .query_row([], |row| row.try_into())
        .optional()?;
    let Some((id, deployment, before)) = last else { return Ok(None) };
    let before: Vec<Before> = serde_json::from_str(&before)?;
    let mut workflows = Vec::new();
    for before in before {
        put_back(writing, &before, deployment)?;
        if before.kind == WORKFLOW {
            workflows.push((before.name, before.route.map(|route| DeploymentId(route.deployment))));
        }
    }
    connection.prepare_cached("DELETE FROM activation WHERE id = ?1")?.execute([id])?;
    Ok(Some(Undone { deployment, workflows }))
}

/// Those who moved move back: the instances of what is undone follow, and with them those of what was undone before it.
fn put_back(writing: &Writing<'_>, before: &Before, undone: DeploymentId) -> Result<(), Failure> {
    let connection = writing.connection;
    let Some(led) = &before.route else {
        let sql = "DELETE FROM route WHERE kind = ?1 AND name = ?2";
        connection.prepare_cached(sql)?.execute((before.kind, &before.name))?;
        return Ok(());
    };
    require_kept(writing, DeploymentId(led.deployment))?;
    let trial = led.trial.filter(|trial| require_kept(writing, DeploymentId(*trial)).is_ok());
    let now = route(writing, before.kind, &before.name)?.route;
    let mut left: BTreeSet<_> = now.into_iter().flat_map(|now| now.undone).chain(led.undone.iter().copied()).collect();
    // An older format had the one that was undone there.
    left.extend(led.follow.filter(|follow| *follow != EVERYBODY));
    left.insert(undone.0);
    // It may have been activated twice: then it is where they are.
    left.remove(&led.deployment);
    connection
        .prepare_cached(
            "INSERT INTO route (kind, name, deployment, follow, undone, trial, share) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
             ON CONFLICT DO UPDATE SET deployment = excluded.deployment, follow = excluded.follow, \
             undone = excluded.undone, trial = excluded.trial, share = excluded.share",
        )?
        .execute((
            before.kind,
            &before.name,
            led.deployment,
            led.follow.filter(|follow| *follow == EVERYBODY),
            serde_json::to_string(&left)?,
            trial,
            trial.and(led.share),
        ))?;
    Ok(())
}

pub(in super::super) fn keep_report(writing: &Writing<'_>, report: &GateReport) -> Result<(), Failure> {
    let connection = writing.connection;
    connection.prepare_cached("INSERT INTO gate_report (label, at, report) VALUES (?1, ?2, ?3)")?.execute((
        &report.label,
        report.at,
        &report.report,
    ))?;
    connection
        .prepare_cached("DELETE FROM gate_report WHERE id <= (SELECT max(id) FROM gate_report) - ?1")?
        .execute([GATE_REPORTS as i64])?;
    Ok(())
}

//! `everturn deployment`: looks at what is deployed, and changes where new starts go.
//!
//! - `deployment/diff.rs`: what changed from one version to another

mod diff;

use std::io::{self, Write};

use everturn_server::model::{
    Accepted, Deployment, DeploymentDetails, DeploymentList, KeptReport, KeptReports, RolledBack, WorkflowDescription,
};
use serde::Serialize;

use crate::arguments::{ActivateOptions, ClientOptions, DeploymentCommand, RetireOptions, ShowDeploymentOptions};
use crate::client::{Client, Path};
use crate::commands::gate;
use crate::moment::to_the_second;
use crate::outcome::{Outcome, Verdict};
use crate::print;
use crate::table::{Cell, Table, print_value};
use crate::text::{shortened, shown};

/// Digits of a digest that are enough to tell components apart.
const DIGEST_LENGTH: usize = 12;
/// The longest list of names in a column.
const NAMES_LENGTH: usize = 60;

pub(crate) fn run(command: &DeploymentCommand) -> Outcome {
    match command {
        DeploymentCommand::List(options) => list(options),
        DeploymentCommand::Show(options) => show(options),
        DeploymentCommand::Diff(options) => diff::run(options),
        DeploymentCommand::Activate(options) => activate(options),
        DeploymentCommand::Rollback(options) => rollback(options),
        DeploymentCommand::Retire(options) => retire(options),
    }
}

/// Where the host tells of a version.
fn path_of(version: &str) -> Path {
    Path::new(&["v1", "deployments", version])
}

/// A version, and what the gate found when it was deployed last.
#[derive(Serialize)]
struct Shown {
    deployment: DeploymentDetails,
    #[serde(skip_serializing_if = "Option::is_none")]
    gate: Option<KeptReport>,
}

fn show(options: &ShowDeploymentOptions) -> Outcome {
    let client = Client::new(&options.client)?;
    let deployment: DeploymentDetails = client.get(&path_of(&options.version))?;
    let path = Path::new(&["v1", "gate-reports"]).with("version", &options.version).with("limit", "1");
    let reports: KeptReports = client.get(&path)?;
    let shown = Shown { deployment, gate: reports.reports.into_iter().next() };
    print::answer(options.client.output, &shown, |out| print_shown(out, &shown))?;
    Ok(Verdict::Done)
}

fn print_shown(mut out: &mut dyn Write, shown: &Shown) -> io::Result<()> {
    let DeploymentDetails { deployment, descriptions } = &shown.deployment;
    let Deployment { version, digest, workflows, active_workflows, activities, active_activities, .. } = deployment;
    print_value(&mut out, "version", version)?;
    print_value(&mut out, "digest", digest)?;
    print_value(&mut out, "deployed", &to_the_second(deployment.created_at))?;
    if let Some(retired) = deployment.retired_at {
        print_value(&mut out, "retired", &to_the_second(retired))?;
    }
    print_value(&mut out, "workflows", &names(workflows, active_workflows))?;
    for described in descriptions.iter().flatten() {
        print_handlers(out, described)?;
    }
    print_value(&mut out, "activities", &names(activities, active_activities))?;
    for (workflow, share) in &deployment.trials {
        print_value(&mut out, "trial", &format!("{share} % of new starts of {workflow}"))?;
    }
    print_value(&mut out, "open", &deployment.open_instances.to_string())?;
    match &shown.gate {
        Some(kept) => {
            print_value(&mut out, "checked", &to_the_second(kept.at))?;
            gate::print_report(out, &kept.report)
        }
        None => Ok(()),
    }
}

/// What a workflow handles, if it says that it handles something.
fn print_handlers(mut out: &mut dyn Write, described: &WorkflowDescription) -> io::Result<()> {
    let kinds = [("signal", &described.signals), ("query", &described.queries), ("update", &described.updates)];
    let named =
        |(kind, names): (&str, &Vec<String>)| names.iter().map(|name| format!("{kind} {name}")).collect::<Vec<_>>();
    let handled: Vec<_> = kinds.into_iter().flat_map(named).collect();
    if handled.is_empty() {
        return Ok(());
    }
    print_value(&mut out, "", &shown(&format!("{} handles {}", described.name, handled.join(", "))))
}

fn activate(options: &ActivateOptions) -> Outcome {
    let client = Client::new(&options.client)?;
    let path = Path::new(&["v1", "deployments", &options.version, "activate"]);
    let path = gate::with_rollout(path, &options.rollout)?;
    let deployed = gate::watched(&client, &path, None)?;
    gate::finish(&client, options.client.output, &options.rollout, &deployed, |out| {
        gate::print_found(out, &deployed, &options.rollout)
    })
}

fn rollback(options: &ClientOptions) -> Outcome {
    let undone: RolledBack = Client::new(options)?.post(&Path::new(&["v1", "rollback"]), &serde_json::json!({}))?;
    print::answer(options.output, &undone, |out| {
        writeln!(out, "undone: {}", shown(&undone.undone))?;
        for (workflow, version) in &undone.workflows {
            let version =
                version.as_ref().map_or_else(|| "nowhere".to_owned(), |version| format!("to {}", shown(version)));
            writeln!(out, "new starts of {} go {version}", shown(workflow))?;
        }
        Ok(())
    })?;
    Ok(Verdict::Done)
}

fn retire(options: &RetireOptions) -> Outcome {
    let path = Path::new(&["v1", "deployments", &options.version, "retire"]);
    let path = if options.drop_names { path.with("dropNames", "true") } else { path };
    let done: Accepted = Client::new(&options.client)?.post(&path, &serde_json::json!({}))?;
    print::warnings(&done.warnings);
    print::answer(options.client.output, &done, |out| writeln!(out, "retired {}", shown(&options.version)))?;
    Ok(Verdict::Done)
}

fn list(options: &ClientOptions) -> Outcome {
    let list: DeploymentList = Client::new(options)?.get(&Path::new(&["v1", "deployments"]))?;
    print::answer(options.output, &list, |mut out| {
        if list.deployments.is_empty() {
            print::note("nothing is deployed; `everturn deploy` makes a component available");
            return Ok(());
        }
        let mut table = Table::new(&["VERSION", "DIGEST", "OPEN", "DEPLOYED", "WORKFLOWS", "ACTIVITIES"]);
        for deployment in &list.deployments {
            table.row(row(deployment));
        }
        table.print(&mut out)?;
        print::note("* new starts and calls go there");
        Ok(())
    })?;
    Ok(Verdict::Done)
}

fn row(deployment: &Deployment) -> Vec<Cell> {
    let digest: String = deployment.digest.chars().take(DIGEST_LENGTH).collect();
    vec![
        Cell::new(&deployment.version),
        Cell::new(digest),
        Cell::new(deployment.open_instances.to_string()),
        Cell::new(to_the_second(deployment.created_at)),
        Cell::new(names(&deployment.workflows, &deployment.active_workflows)),
        Cell::new(names(&deployment.activities, &deployment.active_activities)),
    ]
}

/// Names, with a star at those that are active.
fn names(all: &[String], active: &[String]) -> String {
    let star = |name: &String| if active.contains(name) { "*" } else { "" };
    let names: Vec<_> = all.iter().map(|name| format!("{name}{}", star(name))).collect();
    if names.is_empty() { "-".to_owned() } else { shortened(&names.join(", "), NAMES_LENGTH) }
}

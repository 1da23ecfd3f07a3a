//! `everturn deployment diff`: what changed from one version to another.
//!
//! - `names.rs`: which names came and which went

mod names;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io::{self, Write};

use anyhow::anyhow;
use everturn_server::model::{Deployment, DeploymentDetails, DeploymentList, Successors, WorkflowDescription};
use serde::Serialize;

use self::names::Names;
use super::{DIGEST_LENGTH, path_of};
use crate::arguments::DiffOptions;
use crate::client::{Client, Path};
use crate::outcome::{Blame, Error, Outcome, Verdict};
use crate::print;
use crate::table::print_value;
use crate::text::shown;

pub(super) fn run(options: &DiffOptions) -> Outcome {
    let client = Client::new(&options.client)?;
    // As for `diff`, 1 says that they differ and nothing else.
    let (old, new) = both(&client, options).map_err(|error| Error::Input(error.into_inner()))?;
    let diff = Diff::between(&old, &new);
    print::answer(options.client.output, &diff, |out| diff.print(out))?;
    Ok(if diff.same { Verdict::Done } else { Verdict::Failed })
}

fn both(client: &Client, options: &DiffOptions) -> Result<(DeploymentDetails, DeploymentDetails), Error> {
    let get = |version: &str| client.get::<DeploymentDetails>(&path_of(version));
    if let Some(new) = &options.second {
        return Ok((get(&options.first)?, get(new)?));
    }
    let new = get(&options.first)?;
    let list: DeploymentList = client.get(&Path::new(&["v1", "deployments"]))?;
    Ok((get(active_before(&list.deployments, &new.deployment)?)?, new))
}

/// The active version that a newer one would take the place of.
fn active_before<'a>(all: &'a [Deployment], new: &Deployment) -> Result<&'a str, Error> {
    let shares = |active: &[String], names: &[String]| active.iter().any(|name| names.contains(name));
    let is_active = |deployment: &&Deployment| {
        shares(&deployment.active_workflows, &new.workflows) || shares(&deployment.active_activities, &new.activities)
    };
    let active: Vec<_> = all.iter().filter(is_active).map(|deployment| deployment.version.as_str()).collect();
    let others: Vec<_> = active.iter().copied().filter(|version| *version != new.version).collect();
    let version = shown(&new.version);
    let problem = match others[..] {
        [other] => return Ok(other),
        [] if active.is_empty() => format!("nothing in {version} has an active version"),
        [] => format!("{version} is the active version itself"),
        _ => format!("there is more than one active version: {}", shown(&others.join(", "))),
    };
    Err(anyhow!("{problem}; give two versions: everturn deployment diff OLD {version}")).or_input()
}

/// What changed from one version to another.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Diff {
    version: Change<String>,
    /// Nothing of what is below differs but how many are open.
    same: bool,
    digest: Change<String>,
    size: Change<u64>,
    successors: Change<Successors>,
    workflows: Names,
    /// Of workflows that both have and that handle something else now. Absent: a component is not kept any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    handlers: Option<BTreeMap<String, Handlers>>,
    activities: Names,
    http: Names,
    environment: Names,
    secrets: Names,
    open_instances: Change<u64>,
}

/// Something that each version has.
#[derive(Debug, Serialize)]
struct Change<T> {
    old: T,
    new: T,
}

/// What a workflow handles.
#[derive(Debug, Serialize)]
struct Handlers {
    signals: Names,
    queries: Names,
    updates: Names,
}

impl<T: PartialEq> Change<T> {
    fn is_none(&self) -> bool {
        self.old == self.new
    }
}

impl Handlers {
    fn between(old: &WorkflowDescription, new: &WorkflowDescription) -> Self {
        Self {
            signals: Names::between(&old.signals, &new.signals),
            queries: Names::between(&old.queries, &new.queries),
            updates: Names::between(&old.updates, &new.updates),
        }
    }

    fn are_the_same(&self) -> bool {
        self.signals.are_the_same() && self.queries.are_the_same() && self.updates.are_the_same()
    }
}

impl Diff {
    fn between(old: &DeploymentDetails, new: &DeploymentDetails) -> Self {
        let handlers = old.descriptions.as_ref().zip(new.descriptions.as_ref()).map(|(old, new)| handlers(old, new));
        let (old, new) = (&old.deployment, &new.deployment);
        let mut workflows = Names::between(&old.workflows, &new.workflows);
        workflows.mark_changed(|name| handlers.as_ref().is_some_and(|handlers| handlers.contains_key(name)));
        let (variables, values) = (&old.grants.environment, &new.grants.environment);
        let mut environment = Names::between(variables.keys(), values.keys());
        environment.mark_changed(|name| variables.get(name) != values.get(name));
        let mut diff = Self {
            version: Change { old: old.version.clone(), new: new.version.clone() },
            same: false,
            digest: Change { old: old.digest.clone(), new: new.digest.clone() },
            size: Change { old: old.size, new: new.size },
            successors: Change { old: old.successors, new: new.successors },
            workflows,
            handlers,
            activities: Names::between(&old.activities, &new.activities),
            http: Names::between(&old.grants.http, &new.grants.http),
            environment,
            secrets: Names::between(&old.grants.secrets, &new.grants.secrets),
            open_instances: Change { old: old.open_instances, new: new.open_instances },
        };
        diff.same = diff.digest.is_none()
            && diff.successors.is_none()
            && diff.lists().iter().all(|(_, names)| names.are_the_same());
        diff
    }

    /// The lists of names, as they are called when they are printed.
    fn lists(&self) -> [(&'static str, &Names); 5] {
        [
            ("workflows", &self.workflows),
            ("activities", &self.activities),
            ("http", &self.http),
            ("env", &self.environment),
            ("secrets", &self.secrets),
        ]
    }

    fn print(&self, mut out: &mut dyn Write) -> io::Result<()> {
        let short = |digest: &str| shown(digest).chars().take(DIGEST_LENGTH).collect::<String>();
        print_change(out, "version", &shown(&self.version.old), &shown(&self.version.new))?;
        print_change(out, "digest", &short(&self.digest.old), &short(&self.digest.new))?;
        print_change(out, "size", &self.size.old.to_string(), &self.size.new.to_string())?;
        for (label, names) in self.lists() {
            names.print(out, label, |name| self.handlers_of(name).filter(|_| label == "workflows"))?;
        }
        if self.handlers.is_none() {
            print_value(&mut out, "handlers", "unknown: the component of a version that is retired is not kept")?;
        }
        let words = |successors| if successors == Successors::Same { "same" } else { "newest" };
        print_change(out, "successors", words(self.successors.old), words(self.successors.new))?;
        print_change(out, "open", &self.open_instances.old.to_string(), &self.open_instances.new.to_string())
    }

    /// What a workflow handles now and did not, and the other way round.
    fn handlers_of(&self, workflow: &str) -> Option<String> {
        let handlers = self.handlers.as_ref()?.get(workflow)?;
        let kinds = [("signal", &handlers.signals), ("query", &handlers.queries), ("update", &handlers.updates)];
        let words: Vec<_> = kinds.into_iter().flat_map(|(kind, names)| names.in_words(kind)).collect();
        Some(words.join(", "))
    }
}

/// The workflows that both have and that handle something else now.
fn handlers(old: &[WorkflowDescription], new: &[WorkflowDescription]) -> BTreeMap<String, Handlers> {
    let both = old.iter().filter_map(|old| Some((old, new.iter().find(|new| new.name == old.name)?)));
    let compared = both.map(|(old, new)| (new.name.clone(), Handlers::between(old, new)));
    compared.filter(|(_, handlers)| !handlers.are_the_same()).collect()
}

fn print_change(mut out: &mut dyn Write, label: &str, old: &str, new: &str) -> io::Result<()> {
    let change = if old == new { format!("{old} (the same)") } else { format!("{old} -> {new}") };
    print_value(&mut out, label, &change)
}

//! `everturn deploy`: makes a component available on a host.

use std::fs;

use anyhow::Context;

use crate::arguments::{DeployOptions, GrantOptions, Successors};
use crate::client::{Client, Path};
use crate::commands::gate;
use crate::outcome::{Blame, Outcome};
use crate::table::print_value;
use crate::text::shown;
use crate::{component, print};

pub(crate) fn run(options: &DeployOptions) -> Outcome {
    let client = Client::new(&options.client)?;
    let successors = if options.successors == Successors::Same { "same" } else { "newest" };
    let path = Path::new(&["v1", "deployments"])
        .with_some("version", options.version.as_deref())
        .with("successors", successors);
    let path = gate::with_rollout(path, &options.rollout)?;
    let given = &options.component;
    let file = if given.is_dir() { component::build(given)? } else { given.clone() };
    let wasm =
        fs::read(&file).with_context(|| format!("failed to read the component {}", file.display())).or_input()?;
    let deployed = gate::watched(&client, &granted(path, &options.grants), Some(&wasm))?;
    print::warnings(&deployed.warnings);
    gate::finish(&client, options.client.output, &options.rollout, &deployed, |out| {
        let names = |names: &[String]| names.iter().map(|name| shown(name)).collect::<Vec<_>>().join(", ");
        let mut out = out;
        print_value(&mut out, "version", &shown(&deployed.version))?;
        print_value(&mut out, "digest", &shown(&deployed.digest))?;
        if !deployed.workflows.is_empty() {
            print_value(&mut out, "workflows", &names(&deployed.workflows))?;
        }
        if !deployed.activities.is_empty() {
            print_value(&mut out, "activities", &names(&deployed.activities))?;
        }
        gate::print_found(out, &deployed, &options.rollout)
    })
}

fn granted(mut path: Path, grants: &GrantOptions) -> Path {
    for host in &grants.allow_http {
        path = path.with("allowHttp", host);
    }
    for (name, value) in &grants.env {
        path = path.with("env", format!("{name}={value}"));
    }
    for secret in &grants.secret {
        path = path.with("secret", secret);
    }
    path
}

//! Builds a crate and deploys it, each time as a version of its own.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use everturn_guest::Digest;
use everturn_runtime::store::Deployment;
use everturn_runtime::{DeployRequest, Deployed, Permissions, Runtime};

use crate::arguments::GrantOptions;
use crate::component;
use crate::outcome::{Blame, Error};

/// How the labels of versions begin.
const LABEL_PREFIX: &str = "dev-";

/// What the activities of the crate may reach.
pub(super) fn permissions(grants: &GrantOptions) -> Result<Permissions, Error> {
    let http = grants.allow_http.iter().map(|host| host.parse()).collect::<Result<_, _>>();
    Ok(Permissions {
        http: http.map_err(anyhow::Error::from).context("--allow-http").or_input()?,
        environment: grants.env.iter().cloned().collect(),
        secrets: grants.secret.iter().cloned().collect(),
    })
}

/// Builds and deploys a crate.
pub(super) struct Deployer {
    pub(super) runtime: Runtime,
    pub(super) directory: PathBuf,
    pub(super) permissions: Permissions,
}

impl Deployer {
    /// Builds and deploys. What goes wrong is shown; the version before it goes on.
    pub(super) fn deploy(&self, tokio: &tokio::runtime::Handle) {
        match self.try_deploy(tokio) {
            Ok(deployed) if !deployed.is_active => {
                let why = deployed.report.causes.first().map_or("", |cause| cause.candidate.as_str());
                tracing::error!(why, "not deployed: it cannot run what is open; what is deployed goes on");
            }
            Ok(deployed) => {
                for warning in &deployed.warnings {
                    tracing::warn!("{warning}");
                }
                let (workflows, activities) = (deployed.workflows.join(", "), deployed.activities.join(", "));
                if deployed.report.diverged > 0 {
                    let (version, stay) = (&deployed.label, deployed.report.diverged);
                    tracing::warn!(version, stay, "open instances do not fit the new code; they stay on their version");
                }
                tracing::info!(version = deployed.label, workflows, activities, "deployed");
            }
            Err(error) => tracing::error!("not deployed: {error:#}; what is deployed goes on"),
        }
    }

    fn try_deploy(&self, tokio: &tokio::runtime::Handle) -> anyhow::Result<Deployed> {
        let file = component::build(&self.directory).map_err(Error::into_inner)?;
        let wasm = fs::read(&file).with_context(|| format!("failed to read {}", file.display()))?;
        let known = tokio.block_on(self.runtime.deployments())?;
        let label = label(&known, &Digest::of(&wasm));
        let request = DeployRequest {
            wasm,
            label: Some(label),
            permissions: self.permissions.clone(),
            ..DeployRequest::default()
        };
        Ok(tokio.block_on(self.runtime.deploy(request))?)
    }
}

/// The label that this component has, or the next one.
fn label(known: &[Deployment], digest: &Digest) -> String {
    let number = |deployment: &Deployment| deployment.label.strip_prefix(LABEL_PREFIX)?.parse::<u64>().ok();
    let same = known.iter().filter(|deployment| deployment.digest == *digest.as_bytes()).find_map(number);
    let next = known.iter().filter_map(number).max().unwrap_or(0) + 1;
    format!("{LABEL_PREFIX}{}", same.unwrap_or(next))
}

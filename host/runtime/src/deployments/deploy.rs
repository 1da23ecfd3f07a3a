//! A component on its way from a file to the active one, through the gate; and back.

use std::collections::HashSet;
use std::sync::{Arc, PoisonError};

use everturn_activity::{ActivityComponent, Permissions};
use everturn_guest::{Component, Digest};
use everturn_store::{
    Activation, Deployment, DeploymentId, Follow, GateReport as KeptReport, Instance, NewDeployment, StoreError,
};
use tokio::sync::MutexGuard;

use super::Deployments;
use super::slot::Slot;
use crate::RequestError;
use crate::gate::{self, Findings, OnProgress};
use crate::host::Host;
use crate::requests::{ActivateRequest, DeployRequest, Deployed, RolledBack, Rollout, Strategy};

/// How many digits of the digest name a deployment that was given no label.
const LABEL_DIGITS: usize = 12;
/// How many bytes a label may have.
const LABEL_LENGTH: usize = 128;

impl Deployments {
    /// Checks a component against all that is open, stores it, and makes it the active one.
    pub(crate) async fn deploy(
        &self,
        host: &Arc<Host>,
        request: DeployRequest,
        on_progress: Option<OnProgress>,
    ) -> Result<Deployed, RequestError> {
        let digest = Digest::of(&request.wasm);
        let label = request.label.unwrap_or_else(|| digest.to_string()[..LABEL_DIGITS].to_owned());
        check_label(&label)?;
        check_share(request.rollout.share)?;
        let wasm: Arc<[u8]> = request.wasm.into();
        let loaded = self.compile(Arc::clone(&wasm), host.options.limits.payload_size).await?;
        let workflows: Vec<_> = loaded.component.workflows().iter().map(|workflow| workflow.name.clone()).collect();
        let activities: Vec<_> = loaded.activities.iter().flat_map(ActivityComponent::activities).collect();
        let activities: Vec<_> = activities.into_iter().map(|activity| activity.name.clone()).collect();
        let warnings = missing_secrets(host, &request.permissions);
        let component = loaded.component.clone();

        // Before the gate, which may take long; the store has the last word.
        if self.labelled(&label).is_ok_and(|there| there.digest != *digest.as_bytes()) {
            return Err(StoreError::LabelInUse { label }.into());
        }
        let findings = self.check(host, &component, &label, request.rollout, on_progress).await?;
        let mut deployed = Deployed {
            label: label.clone(),
            digest,
            workflows: workflows.clone(),
            activities: activities.clone(),
            warnings,
            is_active: false,
            is_broken: findings.is_broken(),
            report: findings.report.clone(),
        };
        if request.dry_run {
            return Ok(deployed);
        }
        let deployment = NewDeployment {
            label,
            digest: *digest.as_bytes(),
            wasm: wasm.to_vec(),
            workflows,
            activities,
            grants: serde_json::to_string(&request.permissions).unwrap_or_default(),
            successors: request.successors,
            at: host.clock.now(),
        };
        // What the gate found stays true whatever was activated or undone meanwhile: it is about histories and this component.
        let turn = self.deploying.lock().await;
        let id = host.store.deploy(deployment).await?;
        self.refresh(host).await?;
        self.loaded
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry(*digest.as_bytes())
            .or_insert_with(|| Arc::new(Slot::filled(loaded)));
        deployed.is_active = self.take_over(host, turn, id, request.rollout, findings).await?;
        Ok(deployed)
    }

    /// Makes a deployment that is there the active one, through the gate as well.
    pub(crate) async fn activate(
        &self,
        host: &Arc<Host>,
        request: ActivateRequest,
        on_progress: Option<OnProgress>,
    ) -> Result<Deployed, RequestError> {
        check_share(request.rollout.share)?;
        let deployment = self.labelled(&request.label)?;
        if deployment.retired_at.is_some() {
            return Err(StoreError::Retired { label: request.label }.into());
        }
        let component = self.component(host, deployment.id).await?;
        let findings = self.check(host, &component, &request.label, request.rollout, on_progress).await?;
        let mut deployed = Deployed {
            label: request.label,
            digest: Digest::from_bytes(deployment.digest),
            workflows: deployment.workflows.clone(),
            activities: deployment.activities.clone(),
            warnings: Vec::new(),
            is_active: false,
            is_broken: findings.is_broken(),
            report: findings.report.clone(),
        };
        if !request.dry_run {
            let turn = self.deploying.lock().await;
            deployed.is_active = self.take_over(host, turn, deployment.id, request.rollout, findings).await?;
        }
        Ok(deployed)
    }

    /// Undoes the last activation.
    pub(crate) async fn roll_back(&self, host: &Arc<Host>) -> Result<RolledBack, RequestError> {
        let turn = self.deploying.lock().await;
        let undone = host.store.roll_back().await?.ok_or(RequestError::NothingToUndo)?;
        self.refresh(host).await?;
        drop(turn);
        // Those that the undone version could not go on with may go on where they come from.
        self.release_held(host, |held| self.destination(held).is_some()).await?;
        let label = |id| self.get(id).map(|deployment| deployment.label.clone());
        let workflows = undone.workflows.into_iter().map(|(name, to)| (name, to.and_then(label)));
        Ok(RolledBack { label: label(undone.deployment).unwrap_or_default(), workflows: workflows.collect() })
    }

    /// Gives up a deployment that nobody needs, and the names that no other has if they are to go too. Gives those.
    pub(crate) async fn retire(
        &self,
        host: &Arc<Host>,
        label: &str,
        drop_names: bool,
    ) -> Result<Vec<String>, RequestError> {
        let _turn = self.deploying.lock().await;
        let deployment = self.labelled(label)?;
        let dropped = host.store.retire(deployment.id, drop_names, host.clock.now()).await?;
        self.refresh(host).await?;
        self.unload(deployment.digest);
        Ok(dropped)
    }

    /// The deployment with this label.
    pub(crate) fn labelled(&self, label: &str) -> Result<Arc<Deployment>, RequestError> {
        let catalogue = self.catalogue();
        let found = catalogue.deployments.values().find(|deployment| deployment.label == label);
        found.cloned().ok_or_else(|| {
            let mut known: Vec<_> = catalogue.deployments.values().map(|deployment| deployment.label.clone()).collect();
            known.sort_unstable();
            RequestError::UnknownDeployment { label: label.to_owned(), known }
        })
    }

    /// Runs the gate, and keeps what it found.
    async fn check(
        &self,
        host: &Arc<Host>,
        component: &Component,
        label: &str,
        rollout: Rollout,
        on_progress: Option<OnProgress>,
    ) -> Result<Findings, RequestError> {
        let findings = gate::run(host, component, rollout.gate, on_progress).await?;
        let report = serde_json::to_string(&findings.report).unwrap_or_default();
        host.store.keep_report(KeptReport { label: label.to_owned(), at: host.clock.now(), report }).await?;
        Ok(findings)
    }

    /// Makes a deployment the active one, unless it cannot run what is open and is to move there. Whether it is.
    async fn take_over(
        &self,
        host: &Arc<Host>,
        turn: MutexGuard<'_, ()>,
        id: DeploymentId,
        rollout: Rollout,
        findings: Findings,
    ) -> Result<bool, RequestError> {
        let follow = match rollout.strategy {
            Strategy::Upgrade if rollout.share.is_none() => Follow::Everybody,
            _ => Follow::Nobody,
        };
        // If nobody moves, it need not run what is open.
        if findings.is_broken() && follow == Follow::Everybody {
            return Ok(false);
        }
        // Before anybody is sent there.
        for instance in &findings.unfit {
            self.remember_unfit(instance, id);
        }
        let activation = Activation { deployment: id, follow, share: rollout.share, at: host.clock.now() };
        host.store.activate(activation).await?;
        self.refresh(host).await?;
        drop(turn);
        if follow == Follow::Everybody {
            // Not only those that the gate saw: others are held since, or were not checked.
            let helped: HashSet<_> = findings.helped.into_iter().collect();
            let is_helped = |held: &Instance| held.deployment == Some(id) && helped.contains(&held.key);
            self.release_held(host, |held| self.destination(held) == Some(id) || is_helped(held)).await?;
        }
        Ok(true)
    }
}

fn check_label(label: &str) -> Result<(), RequestError> {
    let problem = match label.len() {
        0 => "is empty; leave it out to have one made from the component's digest".to_owned(),
        length if length > LABEL_LENGTH => format!("has {length} bytes, and the limit is {LABEL_LENGTH}"),
        _ => return Ok(()),
    };
    Err(RequestError::InvalidName { what: "version label", problem })
}

fn check_share(share: Option<u8>) -> Result<(), RequestError> {
    match share {
        Some(share) if !(1..=99).contains(&share) => Err(RequestError::InvalidShare { share }),
        _ => Ok(()),
    }
}

fn missing_secrets(host: &Host, permissions: &Permissions) -> Vec<String> {
    let missing = permissions.grants(|name| host.options.secrets.get(name)).err();
    missing.into_iter().map(|missing| missing.to_string()).collect()
}

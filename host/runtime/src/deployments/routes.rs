//! Where new starts of a workflow go, where children and next generations do, and which instances move.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use everturn_store::{Deployment, DeploymentId, Follow, Instance, InstanceKey, Route, Successors};

use super::Deployments;
use crate::RequestError;

/// All deployments, and where names lead.
#[derive(Debug)]
pub(super) struct Catalogue {
    pub(super) deployments: HashMap<DeploymentId, Arc<Deployment>>,
    pub(super) routes: BTreeMap<String, Route>,
    pub(super) activities: HashMap<String, DeploymentId>,
}

impl Catalogue {
    pub(super) fn new(deployed: Vec<Deployment>, routes: Vec<(String, Route)>) -> Self {
        let mut catalogue =
            Self { deployments: HashMap::new(), routes: routes.into_iter().collect(), activities: HashMap::new() };
        for deployment in &deployed {
            let active = deployment.active_activities.iter().map(|name| (name.clone(), deployment.id));
            catalogue.activities.extend(active);
        }
        // Newest first. What no name leads to any more is still there for instances that stay on such a version.
        for deployment in deployed {
            if deployment.retired_at.is_none() {
                for name in &deployment.activities {
                    catalogue.activities.entry(name.clone()).or_insert(deployment.id);
                }
            }
            catalogue.deployments.insert(deployment.id, Arc::new(deployment));
        }
        catalogue
    }

    fn labelled(&self, label: &str, workflow: &str) -> Option<DeploymentId> {
        let asked = |deployment: &&Arc<Deployment>| {
            deployment.label == label && deployment.retired_at.is_none() && has(deployment, workflow)
        };
        self.deployments.values().find(asked).map(|deployment| deployment.id)
    }
}

fn has(deployment: &Deployment, workflow: &str) -> bool {
    deployment.workflows.iter().any(|name| name == workflow)
}

/// The place of an id among a hundred: always the same for the same id, so that a start that is tried again goes where it
/// went before.
fn place(instance: &str) -> u8 {
    // FNV-1a.
    let hash = instance
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    // Its low bits change too little with the last byte.
    u8::try_from((hash ^ (hash >> 32)) % 100).unwrap_or_default()
}

/// Where a start of this id goes.
fn chosen(route: &Route, instance: &str) -> DeploymentId {
    match route.trial {
        Some(trial) if place(instance) < trial.share => trial.deployment,
        _ => route.deployment,
    }
}

/// How many instances are remembered that do not fit a deployment; beyond, they are found out again.
const REMEMBERED: usize = 100_000;

/// Runs of instances whose history does not fit a deployment. That stays so: the history of a run only grows. What was reset
/// or has continued as new is another run.
#[derive(Debug, Default)]
pub(super) struct Unfit(Mutex<HashSet<(InstanceKey, String, DeploymentId)>>);

impl Deployments {
    /// Where a new instance of a workflow goes.
    pub(crate) fn route(
        &self,
        workflow: &str,
        version: Option<&str>,
        instance: &str,
    ) -> Result<DeploymentId, RequestError> {
        let catalogue = self.catalogue();
        match version.filter(|version| !version.is_empty()) {
            Some(version) => catalogue.labelled(version, workflow).ok_or_else(|| RequestError::UnknownVersion {
                workflow: workflow.to_owned(),
                version: version.to_owned(),
            }),
            None => catalogue.routes.get(workflow).map(|route| chosen(route, instance)).ok_or_else(|| {
                let known = catalogue.routes.keys().cloned().collect();
                RequestError::UnknownWorkflow { workflow: workflow.to_owned(), known }
            }),
        }
    }

    /// Whether some component, active or not, has this workflow.
    pub(crate) fn has(&self, workflow: &str) -> bool {
        let catalogue = self.catalogue();
        let kept = |deployment: &&Arc<Deployment>| deployment.retired_at.is_none();
        catalogue.routes.contains_key(workflow)
            || catalogue.deployments.values().filter(kept).any(|deployment| has(deployment, workflow))
    }

    /// The deployment of an instance, if children and next generations stay with it and it has this workflow.
    pub(crate) fn stays_with(&self, instance: &Instance, workflow: &str) -> Option<DeploymentId> {
        let deployment = self.get(instance.deployment?)?;
        (deployment.successors == Successors::Same && has(&deployment, workflow)).then_some(deployment.id)
    }

    /// Where the next generation of an instance goes. None: it stays.
    pub(crate) fn next_generation(&self, instance: &Instance, version: Option<&str>) -> Option<DeploymentId> {
        instance.deployment?;
        let catalogue = self.catalogue();
        if let Some(version) = version.filter(|version| !version.is_empty()) {
            return catalogue.labelled(version, &instance.workflow);
        }
        if self.stays_with(instance, &instance.workflow).is_some() {
            return None;
        }
        catalogue.routes.get(&instance.workflow).map(|route| chosen(route, instance.id.as_str()))
    }

    /// Whether an instance may be taken along to another deployment. Who asked for a version keeps it, and so does what belongs
    /// to a version that keeps what belongs to it.
    pub(crate) fn goes_along(&self, instance: &Instance) -> bool {
        let own = instance.deployment.and_then(|deployment| self.get(deployment));
        let keeps = own.is_some_and(|deployment| deployment.successors == Successors::Same);
        !keeps && instance.version.as_deref().is_none_or(str::is_empty)
    }

    /// Where an instance is to go on from its next turn, if its history fits there. None: where it is.
    pub(crate) fn destination(&self, instance: &Instance) -> Option<DeploymentId> {
        self.wanted(instance).filter(|wanted| !self.is_unfit(instance, *wanted))
    }

    /// Where an instance is to go on, whether its history fits there or not. None: where it is.
    pub(crate) fn wanted(&self, instance: &Instance) -> Option<DeploymentId> {
        let current = instance.deployment?;
        if let Some(assigned) = instance.assigned {
            return (assigned != current).then_some(assigned);
        }
        if !self.goes_along(instance) {
            return None;
        }
        let catalogue = self.catalogue();
        let route = catalogue.routes.get(&instance.workflow)?;
        let is_on_trial = route.trial.is_some_and(|trial| trial.deployment == current);
        let follows = route.follow == Follow::Everybody || route.undone.contains(&current);
        (follows && !is_on_trial && route.deployment != current).then_some(route.deployment)
    }

    /// The history of an instance does not fit a deployment.
    pub(crate) fn remember_unfit(&self, instance: &Instance, deployment: DeploymentId) {
        let mut unfit = self.unfit.0.lock().unwrap_or_else(PoisonError::into_inner);
        if unfit.len() >= REMEMBERED {
            unfit.clear();
        }
        unfit.insert((instance.key, instance.execution_id.clone(), deployment));
    }

    /// Somebody wants it to be tried again.
    pub(crate) fn forget_unfit(&self, instance: &Instance, deployment: DeploymentId) {
        let unfit = (instance.key, instance.execution_id.clone(), deployment);
        self.unfit.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&unfit);
    }

    fn is_unfit(&self, instance: &Instance, deployment: DeploymentId) -> bool {
        let unfit = (instance.key, instance.execution_id.clone(), deployment);
        self.unfit.0.lock().unwrap_or_else(PoisonError::into_inner).contains(&unfit)
    }
}

#[cfg(test)]
mod tests {
    use everturn_store::Trial;

    use super::*;

    #[test]
    fn a_trial_gets_about_its_share_and_an_id_always_the_same() {
        let (old, new) = (DeploymentId(1), DeploymentId(2));
        for share in [0, 10, 50, 100] {
            let trial = Some(Trial { deployment: new, share });
            let route = Route { deployment: old, follow: Follow::Nobody, undone: Vec::new(), trial };
            let ids = (0..10_000).map(|number| format!("order-{number}"));
            let tried = ids.filter(|id| chosen(&route, id) == new).count();
            let expected = usize::from(share) * 100;
            assert!(tried.abs_diff(expected) < 300, "{share} %: {tried} of 10000");
            assert_eq!(chosen(&route, "order-1"), chosen(&route, "order-1"));
        }
    }
}

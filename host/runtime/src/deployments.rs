//! What is deployed: which component a name leads to, and components that were loaded already.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use everturn_activity::{ActivityComponent, ActivityLimits, Permissions};
use everturn_guest::{Component, ComponentCache, ComponentError, Digest, Engine};
use everturn_store::{ComponentDigest, Deployment, DeploymentId, NewDeployment, StoreError};
use tokio::sync::OnceCell;

use crate::host::Host;
use crate::persist::read;
use crate::requests::{DeployRequest, Deployed};
use crate::{OpenError, Options, RequestError};

/// How many digits of the digest name a deployment that was given no label.
const LABEL_DIGITS: usize = 12;
/// How many bytes a label may have.
const LABEL_LENGTH: usize = 128;

/// A component that is ready: its workflows and its activities.
#[derive(Clone, Debug)]
pub(crate) struct Loaded {
    pub(crate) component: Component,
    pub(crate) activities: Option<ActivityComponent>,
}

/// All deployments, and where names lead.
#[derive(Debug)]
struct Catalogue {
    deployments: HashMap<DeploymentId, Arc<Deployment>>,
    workflows: BTreeMap<String, DeploymentId>,
    activities: HashMap<String, DeploymentId>,
}

impl Catalogue {
    fn new(deployed: Vec<Deployment>) -> Self {
        let mut catalogue =
            Self { deployments: HashMap::new(), workflows: BTreeMap::new(), activities: HashMap::new() };
        for deployment in deployed {
            let id = deployment.id;
            catalogue.workflows.extend(deployment.active_workflows.iter().map(|name| (name.clone(), id)));
            catalogue.activities.extend(deployment.active_activities.iter().map(|name| (name.clone(), id)));
            catalogue.deployments.insert(id, Arc::new(deployment));
        }
        catalogue
    }
}

/// What is deployed.
pub(crate) struct Deployments {
    engine: Engine,
    cache: Option<Arc<ComponentCache>>,
    catalogue: RwLock<Arc<Catalogue>>,
    loaded: Mutex<HashMap<ComponentDigest, Arc<OnceCell<Loaded>>>>,
    /// One deployment after the other, so that the catalogue in memory is that of the last one.
    deploying: tokio::sync::Mutex<()>,
}

impl Deployments {
    pub(crate) fn open(options: &Options, deployed: Vec<Deployment>) -> Result<Self, OpenError> {
        let cache = options.component_cache.clone().map(ComponentCache::open).transpose()?;
        Ok(Self {
            engine: Engine::new(options.limits.clone())?,
            cache: cache.map(Arc::new),
            catalogue: RwLock::new(Arc::new(Catalogue::new(deployed))),
            loaded: Mutex::default(),
            deploying: tokio::sync::Mutex::default(),
        })
    }

    fn catalogue(&self) -> Arc<Catalogue> {
        Arc::clone(&self.catalogue.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn get(&self, id: DeploymentId) -> Option<Arc<Deployment>> {
        self.catalogue().deployments.get(&id).cloned()
    }

    /// Where a new instance of a workflow goes.
    pub(crate) fn route(&self, workflow: &str, version: Option<&str>) -> Result<DeploymentId, RequestError> {
        let catalogue = self.catalogue();
        match version.filter(|version| !version.is_empty()) {
            Some(version) => {
                let asked = |deployment: &&Arc<Deployment>| {
                    deployment.label == version && deployment.workflows.iter().any(|name| name == workflow)
                };
                let found = catalogue.deployments.values().find(asked).map(|deployment| deployment.id);
                found.ok_or_else(|| RequestError::UnknownVersion {
                    workflow: workflow.to_owned(),
                    version: version.to_owned(),
                })
            }
            None => catalogue.workflows.get(workflow).copied().ok_or_else(|| RequestError::UnknownWorkflow {
                workflow: workflow.to_owned(),
                known: catalogue.workflows.keys().cloned().collect(),
            }),
        }
    }

    /// Whether some component, active or not, has this workflow.
    pub(crate) fn has(&self, workflow: &str) -> bool {
        let catalogue = self.catalogue();
        let has = |deployment: &Arc<Deployment>| deployment.workflows.iter().any(|name| name == workflow);
        catalogue.workflows.contains_key(workflow) || catalogue.deployments.values().any(has)
    }

    /// The activities that components have.
    pub(crate) fn activities(&self) -> Vec<String> {
        self.catalogue().activities.keys().cloned().collect()
    }

    /// Where the calls of an activity go.
    pub(crate) fn activity(&self, name: &str) -> Option<DeploymentId> {
        self.catalogue().activities.get(name).copied()
    }

    /// The component of a deployment, to run workflows on.
    pub(crate) async fn component(&self, host: &Host, id: DeploymentId) -> Result<Component, RequestError> {
        let Some(deployment) = self.get(id) else {
            return Err(StoreError::NoComponent { digest: "of the instance".to_owned() }.into());
        };
        Ok(self.load(host, deployment.digest).await?.component)
    }

    /// The activities of a deployment, and what they may reach.
    pub(crate) async fn activity_component(
        &self,
        host: &Host,
        id: DeploymentId,
    ) -> Result<Option<(ActivityComponent, Permissions)>, RequestError> {
        let Some(deployment) = self.get(id) else { return Ok(None) };
        let permissions = serde_json::from_str(&deployment.grants).map_err(|error| StoreError::Corrupt {
            what: format!("what deployment {} is granted", deployment.label),
            detail: error.to_string(),
        })?;
        let loaded = self.load(host, deployment.digest).await?;
        Ok(loaded.activities.map(|activities| (activities, permissions)))
    }

    async fn load(&self, host: &Host, digest: ComponentDigest) -> Result<Loaded, RequestError> {
        let cell = Arc::clone(self.loaded.lock().unwrap_or_else(PoisonError::into_inner).entry(digest).or_default());
        let loaded = cell.get_or_try_init(|| async {
            let wasm = read(host, || host.store.component(digest)).await?;
            self.compile(wasm, host.options.limits.payload_size).await
        });
        loaded.await.cloned()
    }

    /// Checks and compiles where that may take its time.
    async fn compile(&self, wasm: Arc<[u8]>, payload_size: usize) -> Result<Loaded, RequestError> {
        let (engine, cache) = (self.engine.clone(), self.cache.clone());
        let compiling = tokio::task::spawn_blocking(move || {
            let component = match cache {
                Some(cache) => engine.load_cached(&wasm, &cache)?,
                None => engine.load(&wasm)?,
            };
            let limits = ActivityLimits { payload_size, ..ActivityLimits::default() };
            let activities = ActivityComponent::load_limited(&component, limits)?;
            Ok(Loaded { component, activities })
        });
        let cut_off = |error: tokio::task::JoinError| ComponentError::Invalid { detail: error.to_string() };
        compiling.await.map_err(cut_off)?
    }

    /// Makes a component available.
    pub(crate) async fn deploy(&self, host: &Host, request: DeployRequest) -> Result<Deployed, RequestError> {
        let digest = Digest::of(&request.wasm);
        let label = request.label.unwrap_or_else(|| digest.to_string()[..LABEL_DIGITS].to_owned());
        check_label(&label)?;
        let wasm: Arc<[u8]> = request.wasm.into();
        let loaded = self.compile(Arc::clone(&wasm), host.options.limits.payload_size).await?;
        let workflows: Vec<_> = loaded.component.workflows().iter().map(|workflow| workflow.name.clone()).collect();
        let activities: Vec<_> = loaded.activities.iter().flat_map(ActivityComponent::activities).collect();
        let activities: Vec<_> = activities.into_iter().map(|activity| activity.name.clone()).collect();
        let warnings = missing_secrets(host, &request.permissions);
        let grants = serde_json::to_string(&request.permissions).unwrap_or_default();
        let deployment = NewDeployment {
            label: label.clone(),
            digest: *digest.as_bytes(),
            wasm: wasm.to_vec(),
            workflows: workflows.clone(),
            activities: activities.clone(),
            grants,
            at: host.clock.now(),
        };
        let _turn = self.deploying.lock().await;
        host.store.deploy(deployment).await?;
        let loaded_here = OnceCell::new_with(Some(loaded));
        self.loaded
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry(*digest.as_bytes())
            .or_insert_with(|| Arc::new(loaded_here));
        self.refresh(host).await?;
        Ok(Deployed { label, digest, workflows, activities, warnings })
    }

    /// Reads again what is deployed.
    async fn refresh(&self, host: &Host) -> Result<(), StoreError> {
        let deployed = read(host, || host.store.deployments()).await?;
        *self.catalogue.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(Catalogue::new(deployed));
        Ok(())
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

fn missing_secrets(host: &Host, permissions: &Permissions) -> Vec<String> {
    let missing = permissions.grants(|name| host.options.secrets.get(name)).err();
    missing.into_iter().map(|missing| missing.to_string()).collect()
}

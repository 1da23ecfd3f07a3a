//! What is deployed: which component a name leads to, and components that were loaded already.
//!
//! - `routes`: where starts, children and next generations go, and who moves; `moving`: how many have not yet
//! - `deploy`: a component on its way from a file to the active one; and back
//! - `held`: who could not go on, and can elsewhere
//! - `slot`: a component on its way into memory

mod deploy;
mod held;
mod moving;
mod routes;
mod slot;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use everturn_activity::{ActivityComponent, ActivityLimits, Permissions};
use everturn_guest::{Component, ComponentCache, ComponentError, Engine};
use everturn_store::{ComponentDigest, Deployment, DeploymentId, Route, StoreError};
use tokio::sync::Semaphore;

use crate::host::Host;
use crate::persist::read;
use crate::{OpenError, Options, RequestError};

pub(crate) use moving::each_open;
use routes::{Catalogue, Unfit};
use slot::Slot;

/// Components that are compiled at the same time; the others wait. Those of a host that was started without its cache are
/// needed all at once, and each compiler may take `compile_memory`.
const COMPILERS: usize = 2;

/// A component that is ready: its workflows and its activities.
#[derive(Clone, Debug)]
pub(crate) struct Loaded {
    pub(crate) component: Component,
    pub(crate) activities: Option<ActivityComponent>,
}

/// What is deployed.
pub(crate) struct Deployments {
    engine: Engine,
    cache: Option<Arc<ComponentCache>>,
    catalogue: RwLock<Arc<Catalogue>>,
    unfit: Unfit,
    loaded: Mutex<HashMap<ComponentDigest, Arc<Slot>>>,
    compilers: Semaphore,
    /// One change after the other, so that the catalogue in memory is that of the last one. Never held while a gate runs: who
    /// wants to undo a deploy must not wait for the next one.
    deploying: tokio::sync::Mutex<()>,
}

impl Deployments {
    pub(crate) fn open(
        options: &Options,
        deployed: Vec<Deployment>,
        routes: Vec<(String, Route)>,
    ) -> Result<Self, OpenError> {
        let cache = options.component_cache.clone().map(ComponentCache::open).transpose()?;
        Ok(Self {
            engine: Engine::pooled(options.limits.clone(), options.compiler.clone(), options.guests_at_once())?,
            cache: cache.map(Arc::new),
            catalogue: RwLock::new(Arc::new(Catalogue::new(deployed, routes))),
            unfit: Unfit::default(),
            loaded: Mutex::default(),
            compilers: Semaphore::new(COMPILERS),
            deploying: tokio::sync::Mutex::default(),
        })
    }

    fn catalogue(&self) -> Arc<Catalogue> {
        Arc::clone(&self.catalogue.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn get(&self, id: DeploymentId) -> Option<Arc<Deployment>> {
        self.catalogue().deployments.get(&id).cloned()
    }

    /// The component of a deployment, to run workflows on.
    pub(crate) async fn component(&self, host: &Host, id: DeploymentId) -> Result<Component, RequestError> {
        let Some(deployment) = self.get(id) else {
            return Err(StoreError::NoComponent { digest: "of the instance".to_owned() }.into());
        };
        match self.load(host, deployment.digest).await {
            Err(RequestError::Store(StoreError::NoComponent { .. })) if deployment.retired_at.is_some() => {
                Err(StoreError::Retired { label: deployment.label.clone() }.into())
            }
            loaded => Ok(loaded?.component),
        }
    }

    /// The component that the calls of an activity go to, and what it may reach: the active one that has it, otherwise the
    /// newest. None: no component that is kept has it.
    pub(crate) async fn activity_component(
        &self,
        host: &Host,
        activity: &str,
    ) -> Result<Option<(ActivityComponent, Permissions)>, RequestError> {
        let mut failed = None;
        loop {
            let catalogue = self.catalogue();
            let found = catalogue.activities.get(activity).and_then(|id| catalogue.deployments.get(id));
            let Some(deployment) = found else { return Ok(None) };
            match self.activities(host, deployment).await {
                // It may be retired in this very moment: then another one has it, or none.
                Err(_) if failed != Some(deployment.id) => {
                    failed = Some(deployment.id);
                    self.read_again(host).await?;
                }
                found => return found.map(Some),
            }
        }
    }

    async fn activities(
        &self,
        host: &Host,
        deployment: &Deployment,
    ) -> Result<(ActivityComponent, Permissions), RequestError> {
        let permissions = serde_json::from_str(&deployment.grants).map_err(|error| StoreError::Corrupt {
            what: format!("what deployment {} is granted", deployment.label),
            detail: error.to_string(),
        })?;
        let activities = self.load(host, deployment.digest).await?.activities.ok_or_else(|| StoreError::Corrupt {
            what: format!("deployment {}", deployment.label),
            detail: "its component has no activities".to_owned(),
        })?;
        Ok((activities, permissions))
    }

    async fn load(&self, host: &Host, digest: ComponentDigest) -> Result<Loaded, RequestError> {
        let slot = Arc::clone(self.loaded.lock().unwrap_or_else(PoisonError::into_inner).entry(digest).or_default());
        let load = async || {
            let wasm = read(host, || host.store.component(digest)).await?;
            self.compile(wasm, host.options.limits.payload_size).await
        };
        slot.get(load).await
    }

    /// Checks and compiles where that may take its time.
    async fn compile(&self, wasm: Arc<[u8]>, payload_size: usize) -> Result<Loaded, RequestError> {
        let (engine, cache) = (self.engine.clone(), self.cache.clone());
        // It is never closed.
        let permit = self.compilers.acquire().await;
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
        let compiled = compiling.await;
        drop(permit);
        compiled.map_err(cut_off)?
    }

    /// Gives up the memory of a component that no deployment needs any more.
    fn unload(&self, digest: ComponentDigest) {
        let is_kept = |deployment: &Arc<Deployment>| deployment.digest == digest && deployment.retired_at.is_none();
        if !self.catalogue().deployments.values().any(is_kept) {
            self.loaded.lock().unwrap_or_else(PoisonError::into_inner).remove(&digest);
        }
    }

    /// Reads again what is deployed, and offers its activities. To be called by who changes something, in its turn.
    async fn refresh(&self, host: &Host) -> Result<(), StoreError> {
        let deployed = read(host, || host.store.deployments()).await?;
        let routes = read(host, || host.store.routes()).await?;
        *self.catalogue.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(Catalogue::new(deployed, routes));
        self.offer_activities(host);
        Ok(())
    }

    /// Reads again what is deployed, for who finds that something has changed.
    pub(crate) async fn read_again(&self, host: &Host) -> Result<(), StoreError> {
        let _turn = self.deploying.lock().await;
        self.refresh(host).await
    }

    /// Has the activities of components, and those of this process, given to this process.
    pub(crate) fn offer_activities(&self, host: &Host) {
        let native = host.options.activities.names().map(str::to_owned);
        host.dispatcher.offer(native.chain(self.catalogue().activities.keys().cloned()));
    }
}

//! An instance that is to go on on another deployment: at its next turn, if its whole history fits there. Otherwise it stays
//! where it is, and nothing has happened.

use std::sync::Arc;

use everturn_guest::{Digest, LiveGuest, Misfit, RunError, fits};
use everturn_history::{HistoryEvent, VersionChangedEvent};
use everturn_store::{DeploymentId, Instance, StoreError};

use super::driver::Trouble;
use crate::host::Host;
use crate::persist::read;

/// What an instance goes on with.
pub(super) struct Move {
    pub(super) to: DeploymentId,
    pub(super) guest: Box<LiveGuest>,
    pub(super) history: Vec<HistoryEvent>,
    /// What history says of it. None: there is no history that it could belong to.
    pub(super) changed: Option<VersionChangedEvent>,
}

/// Where an instance goes on. None: where it is.
pub(super) async fn next(host: &Arc<Host>, instance: &Instance) -> Result<Option<Move>, Trouble> {
    let Some(to) = host.deployments.destination(instance) else { return Ok(None) };
    let component = match host.deployments.component(host, to).await {
        Ok(component) => component,
        Err(error) => {
            tracing::warn!(instance = %instance.id, %error, "an instance cannot move; it stays where it is");
            return Ok(None);
        }
    };
    let loaded = read(host, || host.store.load(instance.key)).await?.ok_or(Trouble::Gone)?;
    if (loaded.instance.turns, loaded.instance.assigned) != (instance.turns, instance.assigned) {
        return Err(StoreError::Conflict.into());
    }
    let (history, checked) = (loaded.history.clone(), component.clone());
    // It is never closed.
    let permit = host.turns.acquire().await;
    let checking = tokio::task::spawn_blocking(move || fits(&checked, history)).await;
    drop(permit);
    match checking {
        Ok(Ok(())) => {}
        Ok(Err(misfit)) => {
            tracing::info!(instance = %instance.id, %misfit, "an instance does not fit the new version; it stays");
            // What ran out of time may have had too little of it.
            if !matches!(&misfit, Misfit::Run(RunError::Guest(fault)) if !fault.is_deterministic()) {
                host.deployments.remember_unfit(instance, to);
            }
            return Ok(None);
        }
        Err(error) => {
            tracing::error!(instance = %instance.id, %error, "a check was cut off; the instance stays");
            host.deployments.remember_unfit(instance, to);
            return Ok(None);
        }
    }
    host.counters.replays.one();
    let changed = (!loaded.history.is_empty()).then(|| changed(host, instance, to));
    Ok(Some(Move { to, guest: Box::new(LiveGuest::new(&component)), history: loaded.history, changed }))
}

fn changed(host: &Host, instance: &Instance, to: DeploymentId) -> VersionChangedEvent {
    let name = |id: Option<DeploymentId>| {
        let found = id.and_then(|id| host.deployments.get(id));
        found.map(|one| (one.label.clone(), Digest::from_bytes(one.digest).to_string())).unwrap_or_default()
    };
    let ((from_version, from_digest), (to_version, to_digest)) = (name(instance.deployment), name(Some(to)));
    VersionChangedEvent { from_version, from_digest, to_version, to_digest }
}

//! Instances that are held and have another version to go to: they go on there by themselves.

use std::sync::Arc;

use everturn_store::{Filter, Instance, Status};

use super::Deployments;
use crate::RequestError;
use crate::host::Host;
use crate::instance;
use crate::persist::read;

/// How many held instances are read at a time.
const PAGE: usize = 500;

impl Deployments {
    /// Lets those go on that are held and fit this. One that does not fit where it is to go is held again by its next turn.
    pub(crate) async fn release_held(
        &self,
        host: &Arc<Host>,
        may_go_on: impl Fn(&Instance) -> bool,
    ) -> Result<(), RequestError> {
        let filter = Filter { statuses: vec![Status::Stalled], remote: Some(false), ..Filter::default() };
        let mut from = None;
        loop {
            let page = read(host, || host.store.list(filter.clone(), from, PAGE)).await?;
            for held in page.instances.iter().filter(|held| may_go_on(held)) {
                instance::release(host, held.key).await?;
            }
            from = page.next;
            if from.is_none() {
                return Ok(());
            }
        }
    }

    /// Lets those go on that a crash kept from it: a version was activated or undone, and nobody came to tell them.
    pub(crate) async fn release_left(&self, host: &Arc<Host>) {
        if let Err(error) = self.release_held(host, |held| self.destination(held).is_some()).await {
            tracing::warn!(%error, "instances that are held could not be let go; the next start tries it again");
        }
    }
}

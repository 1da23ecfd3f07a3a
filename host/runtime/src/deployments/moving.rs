//! Who is to move to a deployment, and has not had a turn since.

use everturn_store::{Deployment, Filter, Instance, Status};

use super::Deployments;
use crate::RequestError;
use crate::host::Host;
use crate::persist::read;

/// How many instances are read from the store at a time.
const PAGE: usize = 500;

impl Deployments {
    /// How many open instances are to go on on a deployment from their next turn.
    pub(crate) async fn moving(&self, host: &Host, deployment: &Deployment) -> Result<u64, RequestError> {
        let mut count = 0;
        for workflow in &deployment.workflows {
            each_open(host, workflow, |instance| {
                count += u64::from(self.destination(instance) == Some(deployment.id));
            })
            .await?;
        }
        Ok(count)
    }
}

/// Looks at every open instance of a workflow that runs on a component.
pub(crate) async fn each_open(
    host: &Host,
    workflow: &str,
    mut look: impl FnMut(&Instance),
) -> Result<(), RequestError> {
    let filter = Filter {
        statuses: Status::ALL.into_iter().filter(|status| !status.is_ended()).collect(),
        workflow: Some(workflow.to_owned()),
        remote: Some(false),
        ..Filter::default()
    };
    let mut from = None;
    loop {
        let page = read(host, || host.store.list(filter.clone(), from, PAGE)).await?;
        page.instances.iter().for_each(&mut look);
        from = page.next;
        if from.is_none() {
            return Ok(());
        }
    }
}

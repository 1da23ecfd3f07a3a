//! Which run this is.

use std::collections::BTreeMap;
use std::time::SystemTime;

use crate::bindings::everturn::workflow::context;
use crate::time::to_system_time;

/// Which run this is. Given by [`Ctx::info`](crate::Ctx::info).
///
/// ```no_run
/// use everturn_sdk::{Ctx, Result};
///
/// async fn whoami(ctx: Ctx) -> Result<String> {
///     let info = ctx.info();
///     Ok(format!("{} in generation {}", info.instance_id, info.generation))
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Info {
    /// The instance's id, unique on the host.
    pub instance_id: String,
    /// The name under which the workflow was started.
    pub workflow: String,
    /// The version label it was started with, if any.
    pub version: Option<String>,
    /// How often it has restarted itself by continue-as-new.
    pub generation: u32,
    /// When this generation had its first turn.
    pub started_at: SystemTime,
    /// The instance that called this one as a child, if one did.
    pub parent: Option<Parent>,
    /// Labels given at the start.
    pub tags: BTreeMap<String, String>,
}

/// The instance that called this one as a child.
///
/// ```no_run
/// use everturn_sdk::{Ctx, Result};
///
/// async fn report(ctx: Ctx) -> Result<()> {
///     if let Some(parent) = ctx.info().parent {
///         ctx.raise_event(&parent.instance_id, "progress", &50)?;
///     }
///     Ok(())
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parent {
    /// Its id.
    pub instance_id: String,
    /// The name of its workflow; empty where its host did not say.
    pub workflow: String,
}

impl From<context::InstanceInfo> for Info {
    fn from(info: context::InstanceInfo) -> Self {
        let parent =
            |parent: context::ParentInfo| Parent { instance_id: parent.instance_id, workflow: parent.workflow };
        Self {
            instance_id: info.instance_id,
            workflow: info.workflow,
            version: info.version,
            generation: info.generation,
            started_at: to_system_time(info.started_at),
            parent: info.parent.map(parent),
            tags: info.tags.into_iter().collect(),
        }
    }
}

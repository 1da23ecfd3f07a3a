//! A component that is ready to make guests: checked, compiled, linked, and asked what is inside.
//!
//! - `describe`: the workflows and activities inside; `error`: why a component is refused

mod describe;
mod error;

use std::fmt;
use std::sync::Arc;

use wasmtime::component::ComponentExportIndex;

use crate::bindings::WorkflowPre;
use crate::check::{self, Inside, QUERIES, VERSION};
use crate::digest::Digest;
use crate::engine::Engine;
use crate::limits::Limits;
use crate::pace::Pace;
use crate::state::State;
use crate::wasi;

pub use describe::{ActivityDescription, WorkflowDescription};
pub use error::ComponentError;

/// A loaded component. Cheap to clone.
#[derive(Clone)]
pub struct Component(Arc<Loaded>);

struct Loaded {
    engine: Engine,
    digest: Digest,
    compiled: wasmtime::component::Component,
    /// None: it holds activities only.
    linked: Option<WorkflowPre<State>>,
    /// Where queries are asked. None: it answers none.
    queries: Option<ComponentExportIndex>,
    workflows: Vec<WorkflowDescription>,
    activities: Vec<ActivityDescription>,
    pace: Pace,
}

impl Component {
    /// Links and describes what was compiled.
    pub(crate) fn link(
        engine: &Engine,
        digest: Digest,
        compiled: wasmtime::component::Component,
        inside: Inside,
    ) -> Result<Self, ComponentError> {
        check_resources(&compiled, engine.limits())?;
        let unfit = |error: wasmtime::Error| ComponentError::Unfit { detail: format!("{error:#}") };
        let mut linker = engine.linker().clone();
        wasi::forbid(&mut linker, &compiled).map_err(unfit)?;
        let instance = linker.instantiate_pre(&compiled).map_err(unfit)?;
        let activities = if inside.activities { describe::activities(engine, &instance)? } else { Vec::new() };
        if let (true, Some(import)) = (activities.is_empty(), inside.network) {
            return Err(check::useless(import));
        }
        let linked = inside.workflows.then(|| WorkflowPre::new(instance)).transpose().map_err(unfit)?;
        let workflows = linked.as_ref().map(|linked| describe::workflows(engine, linked)).transpose()?;
        let workflows = workflows.unwrap_or_default();
        if workflows.is_empty() && activities.is_empty() {
            return Err(ComponentError::NothingInside);
        }
        let (engine, pace) = (engine.clone(), Pace::default());
        let queries = compiled.get_export_index(None, format!("{QUERIES}@{VERSION}"));
        let queries = queries.and_then(|interface| compiled.get_export_index(Some(&interface), "query"));
        Ok(Self(Arc::new(Loaded { engine, digest, compiled, linked, queries, workflows, activities, pace })))
    }

    /// The digest of its bytes.
    pub fn digest(&self) -> Digest {
        self.0.digest
    }

    /// The workflows inside; none in a component that holds activities only.
    pub fn workflows(&self) -> &[WorkflowDescription] {
        &self.0.workflows
    }

    /// The activities inside. They are run by another crate, in another way than workflows.
    pub fn activities(&self) -> &[ActivityDescription] {
        &self.0.activities
    }

    /// The component as it was compiled, for who links it in another way than workflows are.
    pub fn compiled(&self) -> &wasmtime::component::Component {
        &self.0.compiled
    }

    /// The engine that it was loaded in.
    pub fn engine(&self) -> &Engine {
        &self.0.engine
    }

    /// How long its guests run until they wait.
    pub(crate) fn pace(&self) -> &Pace {
        &self.0.pace
    }

    /// Where queries are asked. None: its workflows answer none.
    pub(crate) fn queries(&self) -> Option<ComponentExportIndex> {
        self.0.queries
    }

    /// What guests are made from; None in a component that holds activities only.
    pub(crate) fn linked(&self) -> Option<&WorkflowPre<State>> {
        self.0.linked.as_ref()
    }
}

impl fmt::Debug for Component {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Component({})", self.0.digest)
    }
}

/// The store has the same limits, but says so in words only.
fn check_resources(compiled: &wasmtime::component::Component, limits: &Limits) -> Result<(), ComponentError> {
    // None: it imports modules, which `check` lets no component do.
    let Some(required) = compiled.resources_required() else { return Ok(()) };
    let counts = [("memories", required.num_memories, limits.memories), ("tables", required.num_tables, limits.tables)];
    counts.into_iter().try_for_each(|(what, count, limit)| match usize::try_from(count) {
        Ok(number) if number <= limit => Ok(()),
        _ => Err(ComponentError::TooMany { what, count, limit }),
    })
}

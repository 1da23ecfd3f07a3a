//! A component that is ready to make guests: checked, compiled, linked, and asked which workflows are inside.

mod error;

use std::collections::BTreeSet;
use std::fmt;
use std::pin::pin;
use std::sync::Arc;

use crate::bindings::WorkflowPre;
use crate::bindings::exports::everturn::workflow::workflows;
use crate::digest::Digest;
use crate::engine::Engine;
use crate::fault::GuestFault;
use crate::limits::Limits;
use crate::link::Link;
use crate::run::{self, Poller};
use crate::state::{Role, State};
use crate::wasi;

pub use error::ComponentError;

/// A loaded component. Cheap to clone.
#[derive(Clone)]
pub struct Component(Arc<Loaded>);

struct Loaded {
    engine: Engine,
    digest: Digest,
    linked: WorkflowPre<State>,
    workflows: Vec<WorkflowDescription>,
}

/// What a component tells of one of its workflows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowDescription {
    /// The name to start it by.
    pub name: String,
    /// What it does, in words; may be empty.
    pub summary: String,
    /// The names of the signals it handles.
    pub signals: Vec<String>,
    /// The names of the updates it handles.
    pub updates: Vec<String>,
    /// The names of the queries it answers.
    pub queries: Vec<String>,
}

impl Component {
    /// Links and describes what was compiled.
    pub(crate) fn link(
        engine: &Engine,
        digest: Digest,
        compiled: &wasmtime::component::Component,
    ) -> Result<Self, ComponentError> {
        check_resources(compiled, engine.limits())?;
        let mut linker = engine.linker().clone();
        let linked = wasi::forbid(&mut linker, compiled)
            .and_then(|()| linker.instantiate_pre(compiled))
            .and_then(WorkflowPre::new)
            .map_err(|error| ComponentError::Unfit { detail: format!("{error:#}") })?;
        let workflows = describe(engine, &linked).map_err(ComponentError::Describe)?;
        check_workflows(&workflows, engine.limits())?;
        Ok(Self(Arc::new(Loaded { engine: engine.clone(), digest, linked, workflows })))
    }

    /// The digest of its bytes.
    pub fn digest(&self) -> Digest {
        self.0.digest
    }

    /// The workflows inside.
    pub fn workflows(&self) -> &[WorkflowDescription] {
        &self.0.workflows
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.0.engine
    }

    pub(crate) fn linked(&self) -> &WorkflowPre<State> {
        &self.0.linked
    }
}

impl fmt::Debug for Component {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Component({})", self.0.digest)
    }
}

/// Asks a guest that is thrown away afterwards, under the same limits as any.
fn describe(engine: &Engine, component: &WorkflowPre<State>) -> Result<Vec<WorkflowDescription>, GuestFault> {
    let _running = engine.running();
    let link = Link::new();
    link.lock().stretch.begin(engine.limits());
    let state = State::new(link, engine.limits().clone(), Role::Describe);
    let asking = async {
        let mut store = run::new_store(component.engine(), state);
        let guest = run::instantiate(component, &mut store).await?;
        let described = guest.everturn_workflow_workflows().call_describe(&mut store).await;
        described.map_err(|error| run::stopped(&mut store, error))
    };
    let described = Poller::new().poll(pin!(asking)).ok_or(GuestFault::Deadlocked)??;
    Ok(described.into_iter().map(WorkflowDescription::from).collect())
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

fn check_workflows(workflows: &[WorkflowDescription], limits: &Limits) -> Result<(), ComponentError> {
    let (count, limit) = (workflows.len(), limits.workflows);
    if count == 0 {
        return Err(ComponentError::NoWorkflows);
    }
    if count > limit {
        return Err(ComponentError::TooManyWorkflows { count, limit });
    }
    let mut names = BTreeSet::new();
    for workflow in workflows {
        check_name("workflow", &workflow.name, limits)?;
        if !names.insert(&workflow.name) {
            return Err(ComponentError::DuplicateName { name: workflow.name.clone() });
        }
        let parts = [("signal", &workflow.signals), ("update", &workflow.updates), ("query", &workflow.queries)];
        for (what, names) in parts {
            names.iter().try_for_each(|name| check_name(what, name, limits))?;
        }
    }
    Ok(())
}

fn check_name(what: &'static str, name: &str, limits: &Limits) -> Result<(), ComponentError> {
    let (length, limit) = (name.len(), limits.name_length);
    if length == 0 || length > limit {
        return Err(ComponentError::InvalidName { what, length, limit });
    }
    Ok(())
}

impl From<workflows::WorkflowDescription> for WorkflowDescription {
    fn from(described: workflows::WorkflowDescription) -> Self {
        Self {
            name: described.name,
            summary: described.summary,
            signals: described.signals,
            updates: described.updates,
            queries: described.queries,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> WorkflowDescription {
        WorkflowDescription {
            name: name.to_owned(),
            summary: String::new(),
            signals: Vec::new(),
            updates: Vec::new(),
            queries: Vec::new(),
        }
    }

    #[test]
    fn names_are_there_and_short_and_unique() {
        let limits = Limits { workflows: 2, name_length: 5, ..Limits::default() };
        let invalid = |what, length| Err(ComponentError::InvalidName { what, length, limit: 5 });
        let signals = |name: &str| WorkflowDescription { signals: vec![name.to_owned()], ..named("a") };
        let table = [
            (vec![named("a"), named("bcdef")], Ok(())),
            (vec![signals("b")], Ok(())),
            (vec![], Err(ComponentError::NoWorkflows)),
            (vec![named("a"), named("b"), named("c")], Err(ComponentError::TooManyWorkflows { count: 3, limit: 2 })),
            (vec![named("")], invalid("workflow", 0)),
            (vec![named("abcdef")], invalid("workflow", 6)),
            (vec![signals("")], invalid("signal", 0)),
            (vec![named("a"), named("a")], Err(ComponentError::DuplicateName { name: "a".to_owned() })),
        ];
        for (workflows, expected) in table {
            assert_eq!(check_workflows(&workflows, &limits), expected, "{workflows:?}");
        }
    }
}

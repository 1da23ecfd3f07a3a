//! What a component tells of its inside: asked once, in a guest that is thrown away, and checked.

use std::collections::BTreeSet;
use std::pin::pin;

use wasmtime::Store;
use wasmtime::component::{ComponentType, InstancePre, Lift};

use super::ComponentError;
use crate::bindings::WorkflowPre;
use crate::bindings::exports::everturn::workflow::workflows;
use crate::check::{ACTIVITIES, VERSION};
use crate::engine::Engine;
use crate::fault::GuestFault;
use crate::limits::Limits;
use crate::link::Link;
use crate::run::{self, Poller};
use crate::state::{Role, State};

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

/// What a component tells of one of its activities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActivityDescription {
    /// The name to call it by.
    pub name: String,
    /// What it does, in words; may be empty.
    pub summary: String,
}

/// As the guest gives it. All else that it exports for activities is not this crate's.
#[derive(ComponentType, Lift)]
#[component(record)]
struct DescribedActivity {
    name: String,
    summary: String,
}

/// Asks which workflows are inside.
pub(super) fn workflows(
    engine: &Engine,
    component: &WorkflowPre<State>,
) -> Result<Vec<WorkflowDescription>, ComponentError> {
    let described = ask(engine, async |store| {
        let guest = run::instantiate(component, store).await?;
        let described = guest.everturn_workflow_workflows().call_describe(&mut *store).await;
        described.map_err(|error| run::stopped(store, error))
    })?;
    let workflows: Vec<_> = described.into_iter().map(WorkflowDescription::from).collect();
    check_workflows(&workflows, engine.limits())?;
    Ok(workflows)
}

/// Asks which activities are inside.
pub(super) fn activities(
    engine: &Engine,
    component: &InstancePre<State>,
) -> Result<Vec<ActivityDescription>, ComponentError> {
    let unfit = |error: &dyn std::fmt::Display| ComponentError::Unfit { detail: format!("{error:#}") };
    let compiled = component.component();
    let interface = compiled.get_export_index(None, format!("{ACTIVITIES}@{VERSION}"));
    let describe = interface.and_then(|interface| compiled.get_export_index(Some(&interface), "describe"));
    let describe = describe.ok_or_else(|| unfit(&"it exports activities without `describe`"))?;
    let described = ask(engine, async |store| {
        let instance = component.instantiate_async(&mut *store).await;
        let instance = instance.map_err(|error| run::stopped(store, error))?;
        let function = match instance.get_typed_func::<(), (Vec<DescribedActivity>,)>(&mut *store, describe) {
            Ok(function) => function,
            Err(error) => return Ok(Err(unfit(&error))),
        };
        match function.call_async(&mut *store, ()).await {
            Ok((described,)) => Ok(Ok(described)),
            Err(error) => Err(run::stopped(store, error)),
        }
    })??;
    let activity =
        |described: DescribedActivity| ActivityDescription { name: described.name, summary: described.summary };
    let activities: Vec<_> = described.into_iter().map(activity).collect();
    check_activities(&activities, engine.limits())?;
    Ok(activities)
}

/// Asks a guest that is thrown away afterwards, under the same limits as any.
fn ask<T>(
    engine: &Engine,
    question: impl AsyncFnOnce(&mut Store<State>) -> Result<T, GuestFault>,
) -> Result<T, ComponentError> {
    let _running = engine.running();
    let link = Link::new();
    link.lock().stretch.begin(engine.limits());
    let state = State::new(link, engine.limits().clone(), Role::Describe);
    let asking = async {
        let mut store = run::new_store(engine.wasmtime(), state);
        question(&mut store).await
    };
    let answer = Poller::new().poll(pin!(asking)).ok_or(ComponentError::Describe(GuestFault::Deadlocked))?;
    answer.map_err(ComponentError::Describe)
}

fn check_workflows(workflows: &[WorkflowDescription], limits: &Limits) -> Result<(), ComponentError> {
    let names = workflows.iter().map(|workflow| workflow.name.as_str());
    check_names("workflow", "workflows", names, limits)?;
    for workflow in workflows {
        let parts = [("signal", &workflow.signals), ("update", &workflow.updates), ("query", &workflow.queries)];
        for (what, names) in parts {
            names.iter().try_for_each(|name| check_name(what, name, limits))?;
        }
    }
    Ok(())
}

fn check_activities(activities: &[ActivityDescription], limits: &Limits) -> Result<(), ComponentError> {
    check_names("activity", "activities", activities.iter().map(|activity| activity.name.as_str()), limits)
}

fn check_names<'a>(
    one: &'static str,
    many: &'static str,
    names: impl ExactSizeIterator<Item = &'a str>,
    limits: &Limits,
) -> Result<(), ComponentError> {
    let (count, limit) = (names.len(), limits.workflows);
    if count > limit {
        return Err(ComponentError::TooManyInside { what: many, count, limit });
    }
    let mut known = BTreeSet::new();
    for name in names {
        check_name(one, name, limits)?;
        if !known.insert(name) {
            return Err(ComponentError::DuplicateName { what: many, name: name.to_owned() });
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

    fn limits() -> Limits {
        Limits { workflows: 2, name_length: 5, ..Limits::default() }
    }

    #[test]
    fn names_of_workflows_are_there_and_short_and_unique() {
        let invalid = |what, length| Err(ComponentError::InvalidName { what, length, limit: 5 });
        let signals = |name: &str| WorkflowDescription { signals: vec![name.to_owned()], ..named("a") };
        let what = "workflows";
        let table = [
            (vec![named("a"), named("bcdef")], Ok(())),
            (vec![signals("b")], Ok(())),
            (vec![], Ok(())),
            (vec![named("a"), named("b"), named("c")], Err(ComponentError::TooManyInside { what, count: 3, limit: 2 })),
            (vec![named("")], invalid("workflow", 0)),
            (vec![named("abcdef")], invalid("workflow", 6)),
            (vec![signals("")], invalid("signal", 0)),
            (vec![named("a"), named("a")], Err(ComponentError::DuplicateName { what, name: "a".to_owned() })),
        ];
        for (workflows, expected) in table {
            assert_eq!(check_workflows(&workflows, &limits()), expected, "{workflows:?}");
        }
    }

    #[test]
    fn names_of_activities_are_held_to_the_same() {
        let activities = |names: &[&str]| -> Vec<_> {
            let activity = |name: &&str| ActivityDescription { name: (*name).to_owned(), summary: String::new() };
            names.iter().map(activity).collect()
        };
        let what = "activities";
        let table: [(&[&str], _); 4] = [
            (&["a", "b"], Ok(())),
            (&["a", "b", "c"], Err(ComponentError::TooManyInside { what, count: 3, limit: 2 })),
            (&[""], Err(ComponentError::InvalidName { what: "activity", length: 0, limit: 5 })),
            (&["a", "a"], Err(ComponentError::DuplicateName { what, name: "a".to_owned() })),
        ];
        for (names, expected) in table {
            assert_eq!(check_activities(&activities(names), &limits()), expected, "{names:?}");
        }
    }
}

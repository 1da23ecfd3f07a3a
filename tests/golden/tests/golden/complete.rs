//! Everything has a golden history: every feature, every workflow of every example, every kind of event.

use std::collections::BTreeSet;

use everturn_golden::files::{self, FEATURES};
use everturn_golden::stories::STORIES;
use everturn_history::history_event::EventType;

use crate::components;

fn events() -> Vec<(String, EventType)> {
    let paths = files::found().into_keys();
    let all = paths.flat_map(|path| files::read(&path).into_iter().map(move |event| (path.clone(), event)));
    all.filter_map(|(path, event)| Some((path, event.event_type?))).collect()
}

#[test]
fn every_feature_has_a_golden_history_and_every_such_history_its_story() {
    let found: BTreeSet<_> = files::found().into_keys().filter(|path| path.starts_with(FEATURES)).collect();
    let told: BTreeSet<_> = STORIES.iter().map(|story| files::of_story(story.name)).collect();
    let missing: Vec<_> = told.difference(&found).collect();
    assert!(missing.is_empty(), "record with `cargo run -p everturn-golden`: {missing:#?}");
    let unknown: Vec<_> = found.difference(&told).collect();
    assert!(unknown.is_empty(), "no story in tests/golden/src/stories made these: {unknown:#?}");
}

#[test]
fn every_workflow_of_every_example_has_a_golden_history() {
    let started: BTreeSet<_> = events()
        .into_iter()
        .filter_map(|(path, event)| match event {
            EventType::ExecutionStarted(start) => Some((path, start.name)),
            _ => None,
        })
        .collect();
    let mut missing = Vec::new();
    for (directory, component) in components::all().iter().filter(|(directory, _)| directory.starts_with("examples/")) {
        for workflow in component.workflows() {
            let has = |(path, name): &(String, String)| {
                *name == workflow.name && path.starts_with(&format!("{directory}/tests/histories/"))
            };
            if !started.iter().any(has) {
                missing.push(format!(
                    "workflow {} of {directory}: record one with `run.save_history` in its tests or \
                     `everturn workflow history ID -o json`, in {directory}/tests/histories",
                    workflow.name
                ));
            }
        }
    }
    assert!(missing.is_empty(), "\n{}\n", missing.join("\n"));
}

/// The name of a kind of event that a host writes for guests. None: it writes none.
fn kind(event: &EventType) -> Option<&'static str> {
    Some(match event {
        EventType::ExecutionStarted(_) => "ExecutionStarted",
        EventType::ExecutionCompleted(_) => "ExecutionCompleted",
        EventType::ExecutionTerminated(_) => "ExecutionTerminated",
        EventType::TaskScheduled(_) => "TaskScheduled",
        EventType::TaskCompleted(_) => "TaskCompleted",
        EventType::TaskFailed(_) => "TaskFailed",
        EventType::ChildWorkflowInstanceCreated(_) => "ChildWorkflowInstanceCreated",
        EventType::ChildWorkflowInstanceCompleted(_) => "ChildWorkflowInstanceCompleted",
        EventType::ChildWorkflowInstanceFailed(_) => "ChildWorkflowInstanceFailed",
        EventType::TimerCreated(_) => "TimerCreated",
        EventType::TimerFired(_) => "TimerFired",
        EventType::WorkflowStarted(_) => "WorkflowStarted",
        EventType::EventSent(_) => "EventSent",
        EventType::EventRaised(_) => "EventRaised",
        EventType::ExecutionSuspended(_) => "ExecutionSuspended",
        EventType::ExecutionResumed(_) => "ExecutionResumed",
        EventType::DetachedWorkflowInstanceCreated(_) => "DetachedWorkflowInstanceCreated",
        EventType::UpdateAccepted(_) => "UpdateAccepted",
        EventType::UpdateCompleted(_) => "UpdateCompleted",
        EventType::VersionChanged(_) => "VersionChanged",
        EventType::WorkflowReset(_) => "WorkflowReset",
        // The protocol has them, and no history of a guest does.
        EventType::WorkflowCompleted(_) | EventType::ContinueAsNew(_) | EventType::ExecutionStalled(_) => return None,
    })
}

/// How many kinds [`kind`] names. A new kind does not compile there, and is missing here until a history has it.
const KINDS: usize = 21;

#[test]
fn every_kind_of_event_is_in_a_golden_history() {
    let kinds: BTreeSet<_> = events().iter().filter_map(|(_, event)| kind(event)).collect();
    assert_eq!(kinds.len(), KINDS, "{kinds:?}");
}

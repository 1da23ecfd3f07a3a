//! What is loaded and what is refused; and workflows beside activities.

use std::sync::Arc;

use everturn_activity::{ActivityComponent, Grants, error_types};
use everturn_activity_tests::{LONE_ACTIVITY, NETWORK};
use everturn_guest::{Component, ComponentError, GuestFault, LiveGuest, RunError};
use everturn_history::workflow_action::ActionType;
use everturn_replay::Source;
use everturn_test_world::histories::started_as;
use serde_json::json;

use crate::fixture::*;

fn first_turn(component: &Component, workflow: &str, input: &str) -> Result<LiveGuest, RunError> {
    let mut guest = LiveGuest::new(component);
    started_as(workflow, input).into_iter().for_each(|event| guest.push(event, Source::New));
    guest.run().map(|()| guest)
}

#[test]
fn a_component_may_hold_workflows_and_activities() {
    let workflows: Vec<_> = component().workflows().iter().map(|workflow| workflow.name.as_str()).collect();
    assert_eq!(workflows, ["asks_for_info", "beats_as_an_activity", "sends_a_request"]);
    assert!(component().activities().iter().any(|activity| activity.name == "info"));

    let turn = first_turn(component(), "asks_for_info", "null").unwrap().end_turn();
    let Some(ActionType::ScheduleTask(task)) = &turn.actions[0].action_type else { panic!("{:?}", turn.actions) };
    assert_eq!(task.name, "info");
}

#[test]
fn a_workflow_that_sends_a_request_is_stopped_and_told_what_to_do() {
    let error = first_turn(component(), "sends_a_request", "\"https://example.com/\"").err().unwrap();
    let RunError::Guest(fault) = error else { panic!("{error:?}") };
    let GuestFault::Forbidden { interface, instead } = &fault else { panic!("{fault:?}") };
    assert!(interface.starts_with("wasi:http/"), "{interface}");
    assert!(instead.starts_with("workflows have no network: call an activity"), "{instead}");
    assert!(fault.is_deterministic());
}

#[test]
fn each_kind_has_its_own_context_and_not_the_others() {
    let error = first_turn(component(), "beats_as_an_activity", "null").err().unwrap();
    let RunError::Guest(GuestFault::Forbidden { interface, .. }) = &error else { panic!("{error:?}") };
    assert_eq!(interface, "everturn:activity/context@0.1.0 heartbeat");

    let failure = failure(run("asks_as_a_workflow", &json!(null)));
    assert_eq!(failure.error_type, error_types::TRAPPED);
    assert!(failure.message.contains("everturn:workflow/context@0.1.0 history-length"), "{}", failure.message);
}

#[test]
fn a_component_may_hold_activities_only() {
    let component = load(LONE_ACTIVITY).unwrap();
    assert_eq!(component.workflows(), []);
    let activities = ActivityComponent::load(&component).unwrap().unwrap();
    let doubled = block_on(activities.run(call("double", &json!(21)), &Grants::default(), Arc::new(())));
    assert_eq!(json(doubled), json!(42));

    let error = first_turn(&component, "double", "21").err().unwrap();
    assert!(matches!(error, RunError::UnknownWorkflow { .. }), "{error:?}");
    assert!(error.to_string().contains("has no workflow `double`, only activities"), "{error}");
}

#[test]
fn a_component_that_sends_requests_without_an_activity_is_refused() {
    match load(NETWORK) {
        Err(ComponentError::ForbiddenImport { import, instead }) => {
            assert!(import.starts_with("wasi:http/"), "{import}");
            assert!(instead.contains("call an activity"), "{instead}");
        }
        other => panic!("{other:?}"),
    }
}

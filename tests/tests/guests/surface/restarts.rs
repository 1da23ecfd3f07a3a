//! Continue-as-new from deep inside, and changes of code behind patches.

use everturn_history::history_event::EventType;
use everturn_history::{
    CompleteWorkflowAction, ExecutionStartedEvent, HistoryEvent, OrchestrationStatus, WorkflowInstance, event, text,
};
use everturn_test_world::Player;
use everturn_test_world::histories::*;
use everturn_tests::player::Compiled;
use serde_json::{Value, json};

use super::instance::{Instance, answer, asked, cancelled, only_turn};

/// Ends a generation that has three unread events; with that end.
fn restart(input: &Value) -> CompleteWorkflowAction {
    let (mut instance, first) = Instance::start("restarts_from_deep_inside", input);
    assert_eq!(asked(&first), ["activity endless", "wait go"]);
    instance.turn(1, [raised("b", "1"), raised("A", "2")]);
    let turn = instance.turn(2, [raised("b", "3"), raised("Go", "null")]);
    assert_eq!(cancelled(&turn), [0, 1], "the open activity and the needless timer");
    let end = only_completion(&turn);
    assert_eq!(end.workflow_status(), OrchestrationStatus::ContinuedAsNew);
    assert_eq!(end.failure_details, None);
    end
}

#[test]
fn a_restart_from_deep_inside_carries_unread_events_over_in_the_order_of_their_arrival() {
    let end = restart(&json!({"done": 4, "version": null}));
    let unread = vec![raised("b", "1"), raised("A", "2"), raised("b", "3")];
    assert_eq!(end.carryover_events, unread);
    assert_eq!(end.new_version, None);
    let next: Value = serde_json::from_str(&end.result.unwrap().value).unwrap();
    assert_eq!(next["done"], 5);
}

#[test]
fn a_restart_may_drop_unread_events_and_change_the_version() {
    let end = restart(&json!({"done": 0, "drop_unread_events": true, "version": "2"}));
    assert_eq!(end.carryover_events, []);
    assert_eq!(end.new_version, Some(text("2")));
}

fn next_generation(workflow: &str, input: String, generation: u32) -> HistoryEvent {
    let started = ExecutionStartedEvent {
        name: workflow.into(),
        input: Some(text(input)),
        workflow_instance: Some(WorkflowInstance { instance_id: "instance".into(), execution_id: None }),
        generation,
        ..ExecutionStartedEvent::default()
    };
    event::event(at(0), EventType::ExecutionStarted(started.into()))
}

#[test]
fn the_next_generation_goes_on_with_the_new_input_and_the_events_that_came_along() {
    let (mut instance, _) = Instance::start("restarts_plainly", &json!(1));
    let end = only_completion(&instance.turn(1, [timer_fired(0), raised("kept", "7")]));
    assert_eq!(end.result, Some(text("2")));

    let mut messages = vec![next_generation("restarts_plainly", end.result.unwrap().value, 1)];
    messages.extend(end.carryover_events);
    let (mut instance, _) = Instance::begin(messages);
    let end = only_completion(&instance.turn(1, [raised("new", "8"), timer_fired(0)]));
    assert_eq!(end.result, Some(text("3")));
    assert_eq!(end.carryover_events, [raised("kept", "7"), raised("new", "8")], "still nobody has read them");
}

#[test]
fn a_restart_that_is_not_returned_does_nothing() {
    let turn = only_turn("changes_its_mind", &Value::Null);
    assert_eq!(only_completion(&turn).workflow_status(), OrchestrationStatus::Completed);
    assert_eq!(answer(&turn), true);
}

#[test]
fn a_new_instance_takes_a_patch_and_records_it_with_the_turn() {
    let (mut instance, first) = Instance::start("takes_patches", &Value::Null);
    assert_eq!((asked(&first), &first.patches), (vec!["activity New".to_owned()], &vec!["first".to_owned()]));

    let last = instance.turn(1, [task_completed(0, "1")]);
    assert_eq!(answer(&last), json!([true, true, true]));
    assert_eq!(last.patches, ["second"], "what was recorded before is not recorded again");
}

#[test]
fn an_instance_that_has_passed_a_patch_stays_on_the_old_way_and_takes_later_ones() {
    let mut history = started_as("takes_patches", "null");
    history.push(task_scheduled(0, "Old"));
    let end = Compiled::new().play(history, vec![turn(1), task_completed(0, "1")]).unwrap();
    assert_eq!(answer(&end), json!([false, false, true]));
    assert_eq!(end.patches, ["second"]);
}

#[test]
fn an_old_history_does_not_fit_the_code_behind_a_patch_that_it_recorded() {
    let mut history = started_as("takes_patches", "null");
    history[0] = event::turn_started(at(0), vec!["first".into()]);
    history.push(task_scheduled(0, "Old"));
    let error = Compiled::new().play(history, vec![]).unwrap_err().to_string();
    assert!(error.contains("New") && error.contains("Old"), "{error}");
}

//! Signals: in order, before the main function sees what came after them, at once or patiently.

use everturn_guest::Limits;
use everturn_history::{OrchestrationStatus, event, text};
use everturn_replay::Turn;
use everturn_test_world::histories::*;
use serde_json::{Value, json};

use super::instance::{Instance, activity, answer, asked, cancelled, failure};

fn start() -> (Instance, Turn) {
    Instance::start("takes_notes", &Value::Null)
}

#[test]
fn a_component_tells_which_handlers_its_workflows_have() {
    let component = everturn_tests::player::test_component();
    let notes = component.workflows().iter().find(|workflow| workflow.name == "takes_notes").unwrap();
    assert_eq!(notes.signals, ["note", "Done", "fetch", "fail", "begin_again"]);
    assert_eq!(notes.updates, ["add", "fetch_now", "clear"]);
    assert_eq!(notes.queries, ["texts", "text", "calls_an_activity", "changes_the_state"]);
    assert!(notes.summary.starts_with("Calls activity `A` with the notes"), "{}", notes.summary);
}

#[test]
fn the_state_begins_as_it_was_made_and_signals_change_it() {
    let (mut instance, first) = Instance::start("takes_notes", &json!("zero"));
    assert_eq!(asked(&first), ["activity A"], "a wait for signals takes no place in history");
    assert_eq!(activity(&first, 0).input, Some(text("[\"zero\"]")));
    instance.turn(1, [raised("note", "\"one\""), raised("NOTE", "\"two\"")]);
    instance.turn(2, [task_completed(0, "1")]);
    assert_eq!(answer(&instance.turn(3, [raised("done", "null")])), json!([3, ["zero", "one", "two"]]));
}

#[test]
fn a_signal_is_handled_before_the_main_function_sees_what_came_after_it() {
    let (mut instance, _) = start();
    instance.turn(1, [raised("note", "\"before\""), task_completed(0, "1"), raised("note", "\"after\"")]);
    assert_eq!(answer(&instance.turn(2, [raised("Done", "null")])), json!([1, ["before", "after"]]));
}

#[test]
fn signals_that_are_there_at_the_start_are_handled_before_the_main_function_begins() {
    let start = event::execution_started(at(0), &"instance".into(), "takes_notes", "null");
    let (_, first) = Instance::begin(vec![raised("note", "\"early\""), start, raised("note", "\"late\"")]);
    assert_eq!(activity(&first, 0).input, Some(text("[\"early\"]")));
}

#[test]
fn there_may_be_more_unread_signals_than_calls_without_a_wait() {
    let many = Limits::default().calls + 1;
    let mut messages = vec![raised("note", "\"early\""); many];
    messages.push(event::execution_started(at(0), &"instance".into(), "takes_notes", "null"));
    let (mut instance, first) = Instance::begin(messages);
    assert_eq!(asked(&first), ["activity A"]);
    instance.turn(1, [task_completed(0, "1"), raised("done", "null")]);
    assert_eq!(instance.ask("texts").as_array().unwrap().len(), many);
}

#[test]
fn a_signal_that_cannot_be_read_is_dropped_and_nothing_else_happens() {
    let (mut instance, _) = start();
    let turn = instance.turn(1, [raised("note", "{\"no\": \"text\"}"), raised("note", "\"fine\"")]);
    assert_eq!(asked(&turn), [""; 0]);
    instance.turn(2, [task_completed(0, "1")]);
    assert_eq!(answer(&instance.turn(3, [raised("done", "1")])), json!([1, ["fine"]]));
}

#[test]
fn a_handler_that_waits_goes_on_beside_the_main_function_and_other_handlers() {
    let (mut instance, _) = start();
    let second =
        instance.turn(1, [raised("fetch", "\"Ada\""), raised("note", "\"between\""), raised("fetch", "\"Bob\"")]);
    assert_eq!(asked(&second), ["activity fetch", "activity fetch"]);
    assert_eq!(activity(&second, 1).input, Some(text("\"Bob\"")));
    instance.turn(2, [task_completed(2, "\"from Bob\"")]);
    // It waits for its handlers although it is done.
    assert_eq!(asked(&instance.turn(3, [task_completed(0, "1"), raised("done", "1")])), [""; 0]);
    let last = instance.turn(4, [task_completed(1, "\"from Ada\"")]);
    assert_eq!(answer(&last), json!([4, ["asking Ada", "between", "asking Bob", "from Bob", "from Ada"]]));
}

#[test]
fn a_handler_that_fails_fails_the_workflow() {
    let (mut instance, _) = start();
    let at_once = instance.turn(1, [raised("fail", "\"wires cut\"")]);
    assert_eq!(failure(&at_once).error_type, "Sabotaged");
    assert_eq!(cancelled(&at_once), [0]);

    let (mut instance, _) = start();
    instance.turn(1, [raised("fetch", "\"Ada\"")]);
    assert_eq!(failure(&instance.turn(2, [task_failed(1, "NobodyHome")])).error_type, "NobodyHome");
}

#[test]
fn a_handler_may_continue_as_new_and_unread_events_come_along() {
    let (mut instance, _) = start();
    let last = instance.turn(1, [raised("begin_again", "null"), raised("note", "\"unread\""), raised("other", "1")]);
    let completion = completion(&last);
    assert_eq!(completion.workflow_status(), OrchestrationStatus::ContinuedAsNew);
    assert_eq!(completion.result, Some(text("\"again\"")));
    assert_eq!(completion.carryover_events.len(), 2);
}

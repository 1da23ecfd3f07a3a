//! Updates: accepted and answered, at once or later; or refused, and never heard of again.

use everturn_guest::{GuestFault, RunError};
use everturn_replay::{Turn, UpdateVerdict};
use everturn_test_world::Player;
use everturn_test_world::histories::*;
use everturn_tests::player::Compiled;
use serde_json::{Value, json};

use super::instance::{Instance, answer, answered, asked, rejected, updated};

fn start() -> (Instance, Turn) {
    Instance::start("takes_notes", &Value::Null)
}

#[test]
fn an_update_changes_the_state_and_is_answered_in_its_turn() {
    let (mut instance, _) = start();
    let turn = instance.update(1, "add", &json!("one"));
    assert_eq!(turn.update, Some(UpdateVerdict::Accepted));
    assert_eq!(answered(&turn, "add"), Some(Ok(json!(1))));
    assert_eq!(answered(&instance.update(2, "ADD", &json!("two")), "ADD"), Some(Ok(json!(2))));
    assert_eq!(instance.ask("texts"), json!(["one", "two"]));
}

#[test]
fn an_update_that_is_refused_leaves_no_trace() {
    let (mut instance, _) = start();
    let before = instance.history.len();
    assert_eq!(rejected(&instance.update(1, "add", &json!(""))), "Empty");
    assert_eq!(rejected(&instance.update(2, "add", &json!({"no": "text"}))), "InvalidInput");
    assert_eq!(instance.history.len(), before);
    assert_eq!(answered(&instance.update(3, "add", &json!("one")), "add"), Some(Ok(json!(1))));
}

#[test]
fn an_update_that_waits_is_answered_later() {
    let (mut instance, _) = start();
    let turn = instance.update(1, "fetch_now", &json!("Ada"));
    assert_eq!((turn.update.clone(), answered(&turn, "fetch_now")), (Some(UpdateVerdict::Accepted), None));
    assert_eq!(asked(&turn), ["activity fetch"]);
    instance.turn(2, [task_completed(0, "1"), raised("note", "\"between\"")]);
    let later = instance.turn(3, [task_completed(1, "\"from Ada\"")]);
    assert_eq!(answered(&later, "fetch_now"), Some(Ok(json!(2))));
    assert_eq!(answer(&instance.turn(4, [raised("done", "1")])), json!([0, ["between", "from Ada"]]));
}

#[test]
fn an_update_that_fails_is_answered_with_its_failure_and_the_workflow_goes_on() {
    let (mut instance, _) = start();
    instance.update(1, "add", &json!("one"));
    let turn = instance.update(2, "clear", &Value::Null);
    assert_eq!(turn.update, Some(UpdateVerdict::Accepted));
    assert_eq!(answered(&turn, "clear"), Some(Err("Cleared".to_owned())));
    assert_eq!(instance.ask("texts"), json!([]), "what it did stays done");

    instance.update(3, "fetch_now", &json!("Ada"));
    let later = instance.turn(4, [task_failed(1, "NobodyHome")]);
    assert_eq!((answered(&later, "fetch_now"), asked(&later)), (Some(Err("NobodyHome".to_owned())), vec![]));
}

#[test]
fn an_update_that_nobody_handles_is_not_read() {
    let (mut instance, _) = start();
    assert_eq!(instance.update(1, "no_such_update", &Value::Null).update, Some(UpdateVerdict::Unread));
    assert_eq!(answered(&instance.update(2, "add", &json!("one")), "add"), Some(Ok(json!(1))));
}

#[test]
fn a_validator_that_would_leave_a_trace_is_stopped_with_help() {
    let (instance, _) = Instance::start("validates_wrongly", &Value::Null);
    let new = vec![turn(1), updated(1, "change", 1, &Value::Null)];
    match Compiled::new().play(instance.history, new) {
        Err(RunError::Guest(GuestFault::Panicked { message })) => {
            assert!(message.contains("a validator cannot raise event `hello`: an update that it rejects"), "{message}");
        }
        other => panic!("{other:?}"),
    }
}

//! Queries: of a workflow that waits and of one that has ended; and what they may not do.

use everturn_guest::{GuestFault, QueryError, RunError};
use everturn_test_world::histories::*;
use serde_json::{Value, json};

use super::instance::Instance;

fn started() -> Instance {
    let (mut instance, _) = Instance::start("takes_notes", &json!("zero"));
    instance.turn(1, [raised("note", "\"one\"")]);
    instance
}

#[test]
fn a_query_reads_the_state_of_a_workflow_that_waits_and_of_one_that_has_ended() {
    let mut instance = started();
    assert_eq!(instance.ask("texts"), json!(["zero", "one"]));
    assert_eq!(instance.query("TEXT", &json!(1)).unwrap().unwrap(), "one");

    instance.turn(2, [task_completed(0, "1"), raised("done", "1")]);
    assert_eq!(instance.ask("texts"), json!(["zero", "one"]));
}

#[test]
fn a_query_that_fails_or_cannot_be_read_says_why() {
    let instance = started();
    match instance.query("text", &json!(7)).unwrap() {
        Err(QueryError::Failed(failure)) => assert_eq!(failure.error_type, "NoSuchNote"),
        other => panic!("{other:?}"),
    }
    match instance.query("text", &json!("first")).unwrap() {
        Err(QueryError::Failed(failure)) => {
            assert_eq!(failure.error_type, "InvalidInput");
            assert!(failure.message.starts_with("the input of query `text` cannot be read as a `usize`"));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_unknown_query_is_answered_with_those_that_there_are() {
    match started().query("txet", &Value::Null).unwrap() {
        Err(QueryError::Unknown { known, .. }) => {
            assert_eq!(known, ["calls_an_activity", "changes_the_state", "text", "texts"]);
        }
        other => panic!("{other:?}"),
    }
    let (instance, _) = Instance::start("waits_for_approval", &Value::Null);
    assert!(
        matches!(instance.query("text", &Value::Null).unwrap(), Err(QueryError::Unknown { known, .. }) if known.is_empty())
    );
}

#[test]
fn a_query_that_would_leave_a_trace_is_stopped_with_help() {
    for (query, what) in [
        ("calls_an_activity", "a query cannot call activity `charge`: it only reads the state"),
        ("changes_the_state", "a query cannot change the state: it only reads the state"),
    ] {
        match started().query(query, &Value::Null) {
            Err(RunError::Guest(GuestFault::Panicked { message })) => assert!(message.contains(what), "{message}"),
            other => panic!("{query}: {other:?}"),
        }
    }
}

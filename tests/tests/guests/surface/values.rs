//! Typed values on their way in and out, those that fit and those that do not.

use everturn_history::history_event::EventType;
use everturn_history::{ExecutionStartedEvent, WorkflowInstance, event};
use everturn_test_world::histories::*;
use serde_json::{Value, json};

use super::instance::{Instance, answer, asked, failure, only_turn};

#[test]
fn values_of_all_shapes_go_in_and_come_out() {
    let table = [
        (
            "closes_an_order",
            json!({"id": 7, "lines": ["x"], "status": "open"}),
            json!({"id": 7, "lines": ["x"], "status": {"closed": {"by": "me"}}}),
        ),
        (
            "closes_an_order",
            json!({"id": 7, "status": {"closed": {"by": "you"}}, "more": "is ignored"}),
            json!({"id": 7, "lines": [], "status": {"closed": {"by": "me"}}}),
        ),
        ("doubles", json!(4), json!([4, 8])),
        ("doubles", json!(null), json!([null, null])),
        ("has_no_input", json!({"whatever": 1}), json!("done")),
    ];
    for (workflow, input, output) in table {
        assert_eq!(answer(&only_turn(workflow, &input)), output, "{workflow}: {input}");
    }
}

#[test]
fn a_start_without_input_is_a_start_with_null() {
    let started = ExecutionStartedEvent {
        name: "doubles".into(),
        workflow_instance: Some(WorkflowInstance { instance_id: "instance".into(), execution_id: None }),
        ..ExecutionStartedEvent::default()
    };
    let (_, turn) = Instance::begin(vec![event::event(at(0), EventType::ExecutionStarted(started.into()))]);
    assert_eq!(answer(&turn), json!([null, null]));
}

#[test]
fn who_expects_nothing_takes_anything() {
    let (mut instance, _) = Instance::start("wants_nothing", &json!([1, 2]));
    assert_eq!(only_result(&instance.turn(1, [task_completed(0, "{not even JSON")])), "null");
}

#[test]
fn an_input_that_does_not_fit_fails_for_good_and_says_whose_it_is_and_why() {
    let table = [
        ("closes_an_order", json!({"id": "seven", "status": "open"}), "`Order`", "expected u64"),
        ("closes_an_order", json!({"id": 7}), "`Order`", "missing field `status`"),
        ("closes_an_order", json!({"id": 7, "status": "lost"}), "`Order`", "unknown variant `lost`"),
        ("doubles", json!(-1), "`Option<u32>`", "expected u32"),
    ];
    for (workflow, input, expected_type, why) in table {
        let failure = failure(&only_turn(workflow, &input));
        assert_eq!((failure.error_type.as_str(), failure.is_non_retriable), ("InvalidInput", true), "{input}");
        for part in [&format!("the input of workflow `{workflow}`"), expected_type, why] {
            assert!(failure.error_message.contains(part), "no {part:?} in {:?}", failure.error_message);
        }
    }
}

#[test]
fn an_answer_that_does_not_fit_is_an_error_of_the_caller() {
    let (mut instance, _) = Instance::start("expects_numbers", &Value::Null);
    instance.turn(1, [task_completed(0, "\"one\"")]);
    instance.turn(2, [event::child_completed(at(2), id(1), "{broken")]);
    let turn = instance.turn(3, [raised("E", "-3")]);
    assert_eq!(
        answer(&turn),
        json!(["InvalidOutput, retriable: false", "InvalidOutput, retriable: false", "InvalidEvent, retriable: false"])
    );

    for (given, seen) in [("\"one\"", 0), ("7", 7)] {
        let (mut instance, _) = Instance::start("falls_back", &Value::Null);
        assert_eq!(answer(&instance.turn(1, [task_completed(0, given)])), seen, "{given}");
    }
}

#[test]
fn a_value_that_cannot_be_written_is_an_error_and_leaves_no_trace() {
    let table = [
        ("activity", "InvalidInput", "the input of activity `A`"),
        ("child", "InvalidInput", "the input of child `C`"),
        ("detached", "InvalidInput", "the input of workflow `D`"),
        ("event", "InvalidEvent", "event `e`"),
        ("status", "InvalidStatus", "the custom status"),
        ("restart", "InvalidInput", "the input of the next generation"),
        ("result", "InvalidOutput", "the result of workflow `puts_the_unwritable`"),
    ];
    for (place, error_type, whose) in table {
        let turn = only_turn("puts_the_unwritable", &json!(place));
        assert_eq!((asked(&turn), &turn.custom_status), (vec!["end".to_owned()], &None), "{place}");
        let failure = failure(&turn);
        assert_eq!((failure.error_type.as_str(), failure.is_non_retriable), (error_type, true), "{place}");
        assert!(failure.error_message.starts_with(whose), "{}", failure.error_message);
        assert!(failure.error_message.contains("a `BTreeMap<(u8, u8), u8>`"), "{}", failure.error_message);
    }
}

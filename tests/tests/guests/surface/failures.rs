//! Failures: those a workflow ends with, and those of its callees as it sees them.

use everturn_history::{OrchestrationStatus, TaskFailureDetails, event, text};
use everturn_test_world::histories::*;
use serde_json::{Value, json};

use super::instance::{Instance, answer, failure, only_turn};

/// A failure and what led to it, the nearest cause first.
fn chain(details: &TaskFailureDetails) -> Vec<(&str, &str, Option<&str>)> {
    std::iter::successors(Some(details), |details| details.inner_failure.as_deref())
        .map(|link| {
            let details = link.stack_trace.as_ref().map(|trace| trace.value.as_str());
            (link.error_type.as_str(), link.error_message.as_str(), details)
        })
        .collect()
}

/// As another host might record it: with everything there is.
fn card_declined() -> TaskFailureDetails {
    let failure = |error_type: &str, message: &str, trace: Option<&str>, inner| TaskFailureDetails {
        error_type: error_type.into(),
        error_message: message.into(),
        stack_trace: trace.map(text),
        inner_failure: inner,
        ..TaskFailureDetails::default()
    };
    let root = failure("Timeout", "no answer", None, None);
    let cause = failure("BankSaidNo", "code 51", Some("at bank.rs:7"), Some(Box::new(root)));
    let declined = failure("CardDeclined", "the card was declined", Some("card 1234"), Some(Box::new(cause)));
    TaskFailureDetails { is_non_retriable: true, ..declined }
}

#[test]
fn the_question_mark_takes_kind_and_causes_from_standard_errors() {
    for workflow in ["fails_by_question_mark", "fails_with_its_own_type"] {
        let turn = only_turn(workflow, &json!("12b"));
        assert_eq!(only_completion(&turn).workflow_status(), OrchestrationStatus::Failed);
        let failure = failure(&turn);
        assert_eq!(
            chain(&failure),
            [
                ("ShipmentLost", "the shipment is lost", None),
                ("Error", "the house has no number", None),
                ("Error", "invalid digit found in string", None),
            ],
            "{workflow}"
        );
        assert!(!failure.is_non_retriable);
        assert_eq!(answer(&only_turn(workflow, &json!("12"))), 12);
    }
}

#[test]
fn an_error_that_is_built_by_hand_keeps_all_that_it_was_given() {
    let failure = failure(&only_turn("fails_in_full", &Value::Null));
    assert_eq!(
        chain(&failure),
        [
            ("CardDeclined", "the card was declined", Some("card 1234")),
            ("BankSaidNo", "code 51", Some("{\"code\": 51}")),
            ("fmt::Error", "an error occurred when formatting an argument", None),
        ]
    );
    assert!(failure.is_non_retriable);
}

#[test]
fn a_chain_of_causes_is_cut_at_its_limit() {
    let failure = failure(&only_turn("fails_with_many_causes", &Value::Null));
    let messages: Vec<_> = chain(&failure).iter().map(|link| link.1.to_owned()).collect();
    let expected: Vec<_> = (0..=32).rev().map(|number| number.to_string()).collect();
    assert_eq!(messages, expected, "the failure and its 32 nearest causes");
}

#[test]
fn a_callees_failure_that_passes_through_a_workflow_stays_as_it_was() {
    let (mut instance, _) = Instance::start("passes_on_an_activitys_failure", &Value::Null);
    let turn = instance.turn(1, [event::task_failed(at(1), id(0), card_declined())]);
    assert_eq!(failure(&turn), card_declined());

    let (mut instance, _) = Instance::start("passes_on_a_childs_failure", &Value::Null);
    let turn = instance.turn(1, [event::child_failed(at(1), id(0), card_declined())]);
    assert_eq!(failure(&turn), card_declined());
}

#[test]
fn a_workflow_sees_all_of_a_callees_failure() {
    let (mut instance, _) = Instance::start("tells_of_a_failure", &Value::Null);
    let turn = instance.turn(1, [event::task_failed(at(1), id(0), card_declined())]);
    assert_eq!(
        answer(&turn),
        json!({
            "error_type": "CardDeclined",
            "message": "the card was declined",
            "details": "card 1234",
            "causes": [["BankSaidNo", "code 51", "at bank.rs:7"], ["Timeout", "no answer", null]],
            "retriable": false,
            "shown": "CardDeclined: the card was declined",
            "is_card_declined": true,
            "is_restart": false,
        })
    );
}

#[test]
fn a_failure_that_says_nothing_is_retriable_and_has_no_causes() {
    let (mut instance, _) = Instance::start("tells_of_a_failure", &Value::Null);
    let told = answer(&instance.turn(1, [task_failed(0, "E")]));
    assert_eq!((&told["error_type"], &told["message"], &told["details"]), (&json!("E"), &json!(""), &json!(null)));
    assert_eq!((&told["retriable"], &told["causes"]), (&json!(true), &json!([])));
    assert_eq!(told["is_card_declined"], false);
}

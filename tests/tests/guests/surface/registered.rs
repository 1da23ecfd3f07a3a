//! Handlers that a plain function registers while it runs.

use everturn_replay::UpdateVerdict;
use everturn_test_world::histories::*;
use serde_json::{Value, json};

use super::instance::{Instance, answer, answered, asked, rejected};

#[test]
fn signals_that_came_before_their_handler_are_handled_when_it_is_there() {
    let (mut instance, _) = Instance::start("listens_late", &Value::Null);
    instance.turn(1, [raised("add", "1"), raised("ADD", "2")]);
    assert_eq!(instance.update(2, "set", &json!(9)).update, Some(UpdateVerdict::Unread));
    assert_eq!(asked(&instance.turn(5, [timer_fired(0)])), ["wait end"]);
    assert_eq!(instance.ask("sum"), 3);

    instance.turn(6, [raised("add", "4")]);
    assert_eq!(rejected(&instance.update(7, "set", &json!(101))), "TooMuch");
    assert_eq!(answered(&instance.update(8, "set", &json!(50)), "set"), Some(Ok(json!(7))));
    assert_eq!(asked(&instance.update(9, "fetch", &Value::Null)), ["activity fetch"]);
    assert_eq!(answered(&instance.turn(10, [task_completed(2, "60")]), "fetch"), Some(Ok(json!(60))));
    assert_eq!(answer(&instance.turn(11, [raised("end", "1")])), 60);
    assert_eq!(instance.ask("sum"), 60, "its handlers outlive the workflow");
}

#[test]
fn a_handler_may_register_another() {
    let (mut instance, _) = Instance::start("registers_from_a_handler", &Value::Null);
    instance.turn(1, [raised("more", "\"early\"")]);
    assert_eq!(asked(&instance.turn(2, [raised("go", "\"go\"")])), [""; 0]);
    assert_eq!(answer(&instance.turn(3, [raised("more", "\"late\"")])), json!(["go", "early", "late"]));
}

#[test]
fn handlers_on_the_context_may_wait() {
    let (mut instance, first) = Instance::start("asks_patiently", &Value::Null);
    assert_eq!(asked(&first), [""; 0]);
    assert_eq!(asked(&instance.turn(1, [raised("ask", "1"), raised("ask", "2")])), ["activity answer"; 2]);
    instance.turn(2, [task_completed(1, "20")]);
    assert_eq!(answer(&instance.turn(3, [task_completed(0, "10")])), json!([20, 10]));
}

//! WebAssembly workflows and workers in other languages call each other by name alone.

use everturn_sdk_tests::GUEST;
use serde_json::json;

use super::stories;
use crate::stage::Stage;

stories![
    a_wasm_workflow_calls_an_activity_of_the_worker,
    a_wasm_workflow_sees_how_an_activity_of_the_worker_failed,
    a_wasm_workflow_is_the_child_of_a_workflow_of_the_worker,
    a_wasm_workflow_is_the_parent_of_a_workflow_of_the_worker,
];

fn a_wasm_workflow_calls_an_activity_of_the_worker(stage: &Stage) {
    stage.host.deploy(GUEST);
    let state = stage.client.run("wasm_calls_activity", "wasm-caller", &json!({"name": "greet", "input": "Rust"}));
    assert_eq!(state.status, "COMPLETED", "{state:?}");
    assert_eq!(state.output(), "Hello, Rust!");
}

fn a_wasm_workflow_sees_how_an_activity_of_the_worker_failed(stage: &Stage) {
    stage.host.deploy(GUEST);
    let state = stage.client.run("wasm_witness", "wasm-witness", &json!({"name": "refuse", "input": "out of tune"}));
    assert_eq!(state.status, "COMPLETED", "{state:?}");
    let failure = state.output();
    assert!(failure[0].as_str().unwrap().ends_with("Refused"), "{failure}");
    assert_eq!(failure[1], "out of tune");
}

fn a_wasm_workflow_is_the_child_of_a_workflow_of_the_worker(stage: &Stage) {
    stage.host.deploy(GUEST);
    let call = json!({"workflow": "wasm_adds", "input": [1, 2, 3], "id": "wasm-child"});
    let state = stage.client.run("calls_child", "parent-of-wasm", &call);
    assert_eq!(state.status, "COMPLETED", "{state:?}");
    assert_eq!(state.output(), 6);
}

fn a_wasm_workflow_is_the_parent_of_a_workflow_of_the_worker(stage: &Stage) {
    stage.host.deploy(GUEST);
    let state = stage.client.run("wasm_calls_child", "wasm-parent", &json!({"name": "fan", "input": 3}));
    assert_eq!(state.status, "COMPLETED", "{state:?}");
    assert_eq!(state.output(), 12);
}

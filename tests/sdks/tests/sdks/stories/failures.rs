//! Failures keep their type and their message on the way.

use serde_json::json;

use super::stories;
use crate::stage::Stage;

stories![
    a_client_sees_how_a_workflow_failed,
    a_workflow_sees_how_its_activity_failed,
    a_workflow_fails_with_its_activity,
    a_parent_fails_with_its_child,
];

fn a_client_sees_how_a_workflow_failed(stage: &Stage) {
    let state = stage.client.run("raising", "raising", &json!("out of paper"));
    assert_eq!(state.status, "FAILED");
    let failure = state.failure.unwrap();
    // Some SDKs put the module before it.
    assert!(failure.error_type.ends_with("Refused"), "{failure:?}");
    assert_eq!(failure.message, "out of paper");
}

fn a_workflow_sees_how_its_activity_failed(stage: &Stage) {
    let state = stage.client.run("witness", "witness", &json!("out of ink"));
    assert_eq!(state.status, "COMPLETED", "{state:?}");
    let failure = state.output();
    assert!(failure["type"].as_str().unwrap().ends_with("Refused"), "{failure}");
    assert_eq!(failure["message"], "out of ink");
}

fn a_workflow_fails_with_its_activity(stage: &Stage) {
    let call = json!({"activity": "refuse", "input": "out of order"});
    let state = stage.client.run("calls_activity", "fails-with-activity", &call);
    assert_eq!(state.status, "FAILED");
    let failure = state.failure.unwrap();
    assert!(failure.message.contains("out of order"), "{failure:?}");
}

fn a_parent_fails_with_its_child(stage: &Stage) {
    let call = json!({"workflow": "raising", "input": "out of luck", "id": "fails-as-child"});
    let state = stage.client.run("calls_child", "fails-with-child", &call);
    assert_eq!(state.status, "FAILED");
    let failure = state.failure.unwrap();
    assert!(failure.message.contains("out of luck"), "{failure:?}");
}

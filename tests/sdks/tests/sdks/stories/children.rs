//! Workflows that call workflows.

use serde_json::json;

use super::stories;
use crate::sdk::Language;
use crate::stage::Stage;
use crate::until::until;

stories![
    a_child_answers_its_parent,
    a_parent_fails_when_its_child_is_terminated,
    a_child_is_terminated_with_its_parent,
];

fn a_child_answers_its_parent(stage: &Stage) {
    let call = json!({"workflow": "sequence", "input": ["Barbara"], "id": "the-child"});
    let state = stage.client.run("calls_child", "the-parent", &call);
    assert_eq!(state.status, "COMPLETED", "{state:?}");
    assert_eq!(state.output(), json!(["Hello, Barbara!"]));
    assert_eq!(stage.client.get("the-child").unwrap().output(), json!(["Hello, Barbara!"]));
}

fn a_parent_fails_when_its_child_is_terminated(stage: &Stage) {
    family(stage, "bereft", "lost");
    stage.client.terminate("lost", &json!("enough"));
    assert_eq!(stage.client.wait("lost").status, "TERMINATED");
    assert_eq!(stage.client.wait("bereft").status, "FAILED");
}

fn a_child_is_terminated_with_its_parent(stage: &Stage) {
    // The SDKs for JavaScript leave children alone.
    if stage.sdk.language == Language::Python {
        family(stage, "taken-along", "going-too");
        stage.client.terminate("taken-along", &json!("enough"));
        assert_eq!(stage.client.wait("taken-along").status, "TERMINATED");
        assert_eq!(stage.client.wait("going-too").status, "TERMINATED");
    }
}

/// Starts a parent, and waits until its child waits.
fn family(stage: &Stage, parent: &str, child: &str) {
    let call = json!({"workflow": "listener", "input": "never", "id": child});
    stage.client.start_workflow("calls_child", parent, &call);
    until("the child runs", || stage.client.get(child).filter(|state| state.status == "RUNNING"));
}

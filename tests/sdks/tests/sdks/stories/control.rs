//! What a client does to instances.

use serde_json::json;

use super::stories;
use crate::stage::Stage;
use crate::until::until;

stories![
    a_suspended_workflow_does_not_handle_events_until_it_is_resumed,
    a_workflow_is_terminated_with_what_the_client_says,
    a_purged_workflow_is_gone,
    a_workflow_that_never_was_is_not_there,
    an_id_in_use_is_refused,
];

fn a_suspended_workflow_does_not_handle_events_until_it_is_resumed(stage: &Stage) {
    stage.client.start_workflow("announcer", "suspended", &json!("x"));
    until("the workflow waits for its event", || {
        stage.client.get("suspended").filter(|state| state.custom_status() == "waits")
    });

    stage.client.suspend("suspended");
    until("it is suspended", || stage.client.get("suspended").filter(|state| state.status == "SUSPENDED"));
    stage.client.raise_event("suspended", "go", &json!("now"));
    // By the time that another workflow has come and gone, the event could have been handled.
    assert_eq!(stage.client.run("sequence", "meanwhile", &json!(["you"])).status, "COMPLETED");
    let state = stage.client.get("suspended").unwrap();
    assert_eq!((state.status.as_str(), state.custom_status()), ("SUSPENDED", json!("waits")));

    stage.client.resume("suspended");
    let state = stage.client.wait("suspended");
    assert_eq!((state.status.as_str(), state.output()), ("COMPLETED", json!("done")));
}

fn a_workflow_is_terminated_with_what_the_client_says(stage: &Stage) {
    stage.client.start_workflow("listener", "terminated", &json!("never"));
    stage.client.wait_for_start("terminated");
    stage.client.terminate("terminated", &json!({"because": "of rain"}));
    let state = stage.client.wait("terminated");
    assert_eq!(state.status, "TERMINATED");
    assert_eq!(state.output(), json!({"because": "of rain"}));
}

fn a_purged_workflow_is_gone(stage: &Stage) {
    stage.client.run("sequence", "purged", &json!(["you"]));
    stage.client.purge("purged");
    assert_eq!(stage.client.get("purged"), None);
}

fn a_workflow_that_never_was_is_not_there(stage: &Stage) {
    assert_eq!(stage.client.get("nobody"), None);
}

fn an_id_in_use_is_refused(stage: &Stage) {
    stage.client.start_workflow("listener", "taken", &json!("go"));
    let request = json!({"do": "start", "workflow": "listener", "id": "taken", "input": "go"});
    let refusal = stage.client.ask(&request).unwrap_err();
    assert_eq!(refusal.code, "ALREADY_EXISTS", "{}", refusal.message);
    // The one that has the id is none the worse for it.
    stage.client.raise_event("taken", "go", &json!("well"));
    assert_eq!(stage.client.wait("taken").output(), "well");
}

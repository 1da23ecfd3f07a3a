//! Code that changes while instances run: the SDK asks history which patches an instance has seen.

use serde_json::json;

use crate::client::Client;
use crate::host::Host;
use crate::sdk::{DAPR_1_17, DAPR_1_18, DAPR_1_19, Sdk};
use crate::until::until;
use crate::worker::Worker;

#[test]
fn an_instance_keeps_to_the_code_that_it_began_with_under_dapr_1_19() {
    an_instance_keeps_to_the_code_that_it_began_with(&DAPR_1_19);
}

#[test]
fn an_instance_keeps_to_the_code_that_it_began_with_under_dapr_1_18() {
    an_instance_keeps_to_the_code_that_it_began_with(&DAPR_1_18);
}

#[test]
fn an_instance_keeps_to_the_code_that_it_began_with_under_dapr_1_17() {
    an_instance_keeps_to_the_code_that_it_began_with(&DAPR_1_17);
}

fn an_instance_keeps_to_the_code_that_it_began_with(sdk: &'static Sdk) {
    assert!(sdk.patches);
    let directory = tempfile::tempdir().unwrap();
    let host = Host::start(directory.path());
    let client = Client::start(sdk, &host, directory.path());
    let greeted = |id: &str| {
        until("the instance has its greeting", || {
            host.history(id).iter().any(|event| event.get("taskCompleted").is_some()).then_some(())
        });
    };

    // Given an instance that began before the change,
    let before = Worker::start(sdk, &host, directory.path(), "before");
    client.start_workflow("evolving", "old", &json!("you"));
    greeted("old");
    before.kill();

    // and one that began after it,
    let patched = json!({"patched": true});
    let after = Worker::with(sdk, &host, directory.path(), "after", patched.clone());
    client.start_workflow("evolving", "new", &json!("you"));
    greeted("new");
    after.kill();

    // when a worker that has seen neither goes on with them,
    let _later = Worker::with(sdk, &host, directory.path(), "later", patched);
    for id in ["old", "new"] {
        client.raise_event(id, "go", &json!("now"));
    }

    // then each sees the code that it began with.
    assert_eq!(client.wait("old").output(), "Hello, you!");
    assert_eq!(client.wait("new").output(), "Hello, YOU!");
}

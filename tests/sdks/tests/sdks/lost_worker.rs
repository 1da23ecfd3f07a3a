//! A worker dies in the middle of an activity: the next worker gets it.

use std::fs;

use serde_json::json;

use crate::client::Client;
use crate::host::Host;
use crate::ledger::Ledger;
use crate::sdk::{DAPR_1_17, DAPR_1_18, DAPR_1_19, DAPR_JAVASCRIPT, MICROSOFT_JAVASCRIPT, MICROSOFT_PYTHON, Sdk};
use crate::until::until;
use crate::worker::Worker;

#[test]
fn what_a_killed_worker_held_goes_to_the_next_with_microsofts_sdk_for_python() {
    what_a_killed_worker_held_goes_to_the_next(&MICROSOFT_PYTHON);
}

#[test]
fn what_a_killed_worker_held_goes_to_the_next_with_microsofts_sdk_for_javascript() {
    what_a_killed_worker_held_goes_to_the_next(&MICROSOFT_JAVASCRIPT);
}

#[test]
fn what_a_killed_worker_held_goes_to_the_next_with_dapr_1_19() {
    what_a_killed_worker_held_goes_to_the_next(&DAPR_1_19);
}

#[test]
fn what_a_killed_worker_held_goes_to_the_next_with_dapr_1_18() {
    what_a_killed_worker_held_goes_to_the_next(&DAPR_1_18);
}

#[test]
fn what_a_killed_worker_held_goes_to_the_next_with_dapr_1_17() {
    what_a_killed_worker_held_goes_to_the_next(&DAPR_1_17);
}

#[test]
fn what_a_killed_worker_held_goes_to_the_next_with_daprs_sdk_for_javascript() {
    what_a_killed_worker_held_goes_to_the_next(&DAPR_JAVASCRIPT);
}

fn what_a_killed_worker_held_goes_to_the_next(sdk: &Sdk) {
    let directory = tempfile::tempdir().unwrap();
    let host = Host::start(directory.path());
    let client = Client::start(sdk, &host, directory.path());
    let ledger = Ledger::new(directory.path().join("ledger"));
    let gate = directory.path().join("gate");

    // Given a worker that holds an activity,
    let first = Worker::start(sdk, &host, directory.path(), "first");
    let call = json!({"activity": "hold", "input": {"ledger": ledger.path(), "gate": gate}});
    client.start_workflow("calls_activity", "held", &call);
    until("the first worker has the activity", || (ledger.lines() == ["first began"]).then_some(()));

    // when it is killed and another one comes,
    first.kill();
    let _second = Worker::start(sdk, &host, directory.path(), "second");
    until("the second worker has the activity", || (ledger.lines() == ["first began", "second began"]).then_some(()));

    // then that one finishes it.
    fs::write(gate, "").unwrap();
    let state = client.wait("held");
    assert_eq!(state.status, "COMPLETED", "{state:?}");
    assert_eq!(state.output(), "second");
}

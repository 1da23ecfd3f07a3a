//! Retries are the SDK's: the host only has to play along with their timers.

use std::fs;

use serde_json::json;

use super::stories;
use crate::client::State;
use crate::stage::Stage;

stories![
    an_activity_that_fails_twice_succeeds_at_last,
    an_activity_is_given_up_when_its_attempts_are_used_up,
    a_child_that_fails_twice_succeeds_at_last,
    a_child_is_given_up_when_its_attempts_are_used_up,
];

fn an_activity_that_fails_twice_succeeds_at_last(stage: &Stage) {
    succeeds_at_the_third_attempt(&three_attempts(stage, "persistent", "activity-third", 2));
}

fn an_activity_is_given_up_when_its_attempts_are_used_up(stage: &Stage) {
    gives_up_after_three_attempts(&three_attempts(stage, "persistent", "activity-given-up", 9));
}

fn a_child_that_fails_twice_succeeds_at_last(stage: &Stage) {
    succeeds_at_the_third_attempt(&three_attempts(stage, "persistent_parent", "child-third", 2));
}

fn a_child_is_given_up_when_its_attempts_are_used_up(stage: &Stage) {
    gives_up_after_three_attempts(&three_attempts(stage, "persistent_parent", "child-given-up", 9));
}

/// Lets a workflow try three times what fails so often; returns how it ended, and how many attempts there were.
fn three_attempts(stage: &Stage, workflow: &str, id: &str, failures: u64) -> (State, usize) {
    let ledger = stage.file(&format!("{id}.ledger"));
    let task = json!({"ledger": ledger, "failures": failures, "attempts": 3});
    let state = stage.client.run(workflow, id, &task);
    (state, fs::read_to_string(ledger).unwrap().lines().count())
}

fn succeeds_at_the_third_attempt((state, attempts): &(State, usize)) {
    assert_eq!(state.status, "COMPLETED", "{state:?}");
    assert_eq!(state.output(), 3);
    assert_eq!(*attempts, 3);
}

fn gives_up_after_three_attempts((state, attempts): &(State, usize)) {
    assert_eq!(state.status, "FAILED", "{state:?}");
    assert!(state.failure.as_ref().unwrap().message.contains("attempt 3"), "{state:?}");
    assert_eq!(*attempts, 3);
}

//! Activities, timers and statuses.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::json;

use super::stories;
use crate::stage::Stage;
use crate::until::until;

stories![
    activities_run_one_after_the_other,
    twenty_activities_run_at_once_and_all_results_come_back,
    a_timer_does_not_fire_early,
    a_workflow_says_how_far_it_is,
    a_workflow_starts_not_before_its_time,
    a_workflow_whose_time_has_not_come_is_pending,
];

fn activities_run_one_after_the_other(stage: &Stage) {
    let state = stage.client.run("sequence", "sequence", &json!(["Ada", "Grace", "Edsger"]));
    assert_eq!(state.status, "COMPLETED", "{state:?}");
    assert_eq!(state.output(), json!(["Hello, Ada!", "Hello, Grace!", "Hello, Edsger!"]));
}

fn twenty_activities_run_at_once_and_all_results_come_back(stage: &Stage) {
    let state = stage.client.run("fan", "fan", &json!(20));
    assert_eq!(state.status, "COMPLETED", "{state:?}");
    // Twice the sum of 1 to 20.
    assert_eq!(state.output(), 420);
}

fn a_timer_does_not_fire_early(stage: &Stage) {
    let state = stage.client.run("sleeper", "sleeper", &json!(300));
    assert_eq!(state.status, "COMPLETED", "{state:?}");
    let slept = state.output().as_u64().unwrap();
    assert!(slept >= 300, "it slept for {slept} ms");
}

fn a_workflow_says_how_far_it_is(stage: &Stage) {
    stage.client.start_workflow("announcer", "announcer", &json!("x"));
    until("the workflow says that it waits", || {
        stage.client.get("announcer").filter(|state| state.custom_status() == "waits")
    });
    stage.client.raise_event("announcer", "go", &json!("now"));
    let state = stage.client.wait("announcer");
    assert_eq!(state.custom_status(), "went");
    assert_eq!(state.output(), "done");
}

fn a_workflow_starts_not_before_its_time(stage: &Stage) {
    let moment = now() + 1_500;
    stage.client.start_at("clock", "clock", moment);
    let state = stage.client.wait("clock");
    assert_eq!(state.status, "COMPLETED", "{state:?}");
    let began = state.output().as_u64().unwrap();
    assert!(began >= moment, "it began at {began}, and was to begin at {moment}");
}

fn a_workflow_whose_time_has_not_come_is_pending(stage: &Stage) {
    stage.client.start_at("clock", "tomorrow", now() + 86_400_000);
    assert_eq!(stage.client.get("tomorrow").unwrap().status, "PENDING");
    stage.client.terminate("tomorrow", &json!("never mind"));
    assert_eq!(stage.client.wait("tomorrow").status, "TERMINATED");
}

/// Milliseconds since 1970.
fn now() -> u64 {
    let elapsed: Duration = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    u64::try_from(elapsed.as_millis()).unwrap()
}

//! Events from outside.

use serde_json::json;

use super::stories;
use crate::stage::Stage;
use crate::until::until;

stories![
    an_event_reaches_a_workflow_that_waits_for_it,
    the_first_of_several_events_is_taken_and_none_of_another_name,
    an_event_that_comes_in_time_is_taken,
    an_event_that_does_not_come_in_time_is_not_waited_for,
    no_event_is_lost_when_a_workflow_continues_as_new,
];

fn an_event_reaches_a_workflow_that_waits_for_it(stage: &Stage) {
    stage.client.start_workflow("listener", "waits", &json!("news"));
    assert_eq!(stage.client.wait_for_start("waits").status, "RUNNING");
    stage.client.raise_event("waits", "news", &json!({"good": [1, 2]}));
    let state = stage.client.wait("waits");
    assert_eq!(state.status, "COMPLETED", "{state:?}");
    assert_eq!(state.output(), json!({"good": [1, 2]}));
}

fn the_first_of_several_events_is_taken_and_none_of_another_name(stage: &Stage) {
    stage.client.start_workflow("listener", "early", &json!("news"));
    stage.client.raise_event("early", "other", &json!("not for you"));
    stage.client.raise_event("early", "news", &json!("first"));
    stage.client.raise_event("early", "news", &json!("second"));
    assert_eq!(stage.client.wait("early").output(), "first");
}

fn an_event_that_comes_in_time_is_taken(stage: &Stage) {
    // An hour is more than any test takes.
    stage.client.start_workflow("patient", "in-time", &json!(3_600_000));
    stage.client.raise_event("in-time", "answer", &json!("yes"));
    let state = stage.client.wait("in-time");
    assert_eq!(state.status, "COMPLETED", "{state:?}");
    assert_eq!(state.output(), "yes");
}

fn an_event_that_does_not_come_in_time_is_not_waited_for(stage: &Stage) {
    let state = stage.client.run("patient", "too-late", &json!(100));
    assert_eq!(state.status, "COMPLETED", "{state:?}");
    assert_eq!(state.output(), "nothing came");
}

fn no_event_is_lost_when_a_workflow_continues_as_new(stage: &Stage) {
    stage.client.start_workflow("collector", "collector", &json!([]));
    for number in 1..=6 {
        if stage.sdk.loses_events_that_come_together {
            let seen = format!("{} seen", number - 1);
            until("the event before was taken", || {
                stage.client.get("collector").filter(|state| state.custom_status() == seen)
            });
        }
        stage.client.raise_event("collector", "number", &json!(number));
    }
    let state = stage.client.wait("collector");
    assert_eq!(state.status, "COMPLETED", "{state:?}");
    assert_eq!(state.output(), json!([1, 2, 3, 4, 5, 6]));
}

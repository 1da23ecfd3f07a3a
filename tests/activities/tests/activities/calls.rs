//! What an activity knows of its call, what it is granted, and what it says.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use everturn_activity::{ActivityLimits, Grants, error_types};
use serde_json::{Value, json};

use crate::fixture::*;
use crate::logs::{heard, line};

#[test]
fn an_activity_knows_which_call_it_is() {
    let expected = json!({
        "id": "order-7::3::2", "name": "info", "instanceId": "order-7", "workflow": "place_order", "taskId": 3,
        "generation": 2, "taskExecutionId": "the-call", "attempt": 4, "dispatch": 5,
    });
    assert_eq!(json(run("info", &Value::Null)), expected);
}

#[test]
fn activities_are_listed_by_the_names_and_summaries_that_their_authors_gave() {
    let summaries: BTreeMap<_, _> =
        activities().activities().iter().map(|activity| (activity.name.as_str(), activity.summary.as_str())).collect();
    assert_eq!(summaries["info"], "Tells which call it is.");
    assert_eq!(summaries["Another Name"], "");
    assert!(!summaries.contains_key("renamed"));
    assert_eq!(json(run("Another Name", &json!([1, "a"]))), json!([1, "a"]));
}

#[test]
fn a_heartbeat_says_how_far_it_is_and_hears_whether_to_go_on() {
    let patient = Arc::new(Listener { wanted: 100, ..Listener::default() });
    let outcome = block_on(activities().run(call("beats", &json!(2)), &Grants::default(), patient.clone()));
    assert_eq!(json(outcome), json!(2));
    let details = |beat: u32| Some(json!({ "beat": beat }).to_string());
    assert_eq!(*patient.heard.lock().unwrap(), [details(0), details(1), None]);

    let impatient = Arc::new(Listener { wanted: 1, ..Listener::default() });
    let outcome = block_on(activities().run(call("beats", &json!(9)), &Grants::default(), impatient.clone()));
    assert_eq!(json(outcome), json!(1));
    assert_eq!(*impatient.heard.lock().unwrap(), [details(0), details(1)]);
}

#[test]
fn the_environment_is_what_was_granted_and_nothing_else() {
    assert_eq!(json(run("environment", &Value::Null)), json!([]));
    let environment = BTreeMap::from([("REGION".to_owned(), "north".to_owned())]);
    let grants = Grants { environment, ..Grants::default() };
    assert_eq!(json(run_granted("environment", &Value::Null, &grants)), json!([["REGION", "north"]]));
}

#[test]
fn a_secret_is_given_only_if_it_was_granted() {
    let secrets = BTreeMap::from([("API_KEY".to_owned(), "sesame".into())]);
    let grants = Grants { secrets, ..Grants::default() };
    assert_eq!(json(run_granted("secret", &json!("API_KEY"), &grants)), json!("sesame"));
    assert_eq!(json(run_granted("secret", &json!("OTHER"), &grants)), Value::Null);
    assert_eq!(json(run("secret", &json!("API_KEY"))), Value::Null);
    assert_eq!(json(run_granted("environment", &Value::Null, &grants)), json!([]));
}

#[test]
fn what_it_says_becomes_log_lines_that_tell_whose_they_are() {
    let lines = heard(|| assert_eq!(json(run("logs", &Value::Null)), Value::Null));
    let expected = [
        line("INFO", "charged", r#"order="7""#),
        line("ERROR", "a problem", ""),
        line("INFO", "to stdout", ""),
        line("WARN", "to stderr", ""),
        line("INFO", "without an end", ""),
    ];
    assert_eq!(lines, expected);
}

#[test]
fn output_beyond_the_limit_is_dropped_and_that_is_said() {
    let limits = ActivityLimits { log_bytes: 3 * 1024, ..ActivityLimits::default() };
    let lines = heard(|| {
        let chatty = limited(limits).run(call("logs_a_lot", &json!(5)), &Grants::default(), Arc::new(()));
        assert_eq!(json(block_on(chatty)), Value::Null);
    });
    let messages: Vec<_> = lines.iter().map(|line| line.message.as_str()).collect();
    let long = "x".repeat(1023);
    assert_eq!(messages[..3], [long.as_str(); 3]);
    assert_eq!(messages[3..], ["more than 3072 bytes of output of one run: the rest is dropped"]);
}

#[test]
fn clocks_and_random_numbers_are_as_usual() {
    let before = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let (seconds, slept, differs): (u64, bool, bool) =
        serde_json::from_value(json(run("usual_world", &Value::Null))).unwrap();
    assert!(seconds >= before);
    assert!(slept && differs);
}

#[test]
fn an_unknown_activity_is_told_those_that_exist() {
    let failure = failure(run("nonsense", &Value::Null));
    assert_eq!((failure.error_type.as_str(), failure.retriable), (error_types::UNKNOWN_ACTIVITY, false));
    assert!(failure.message.starts_with("this component has no activity `nonsense`; it has `"), "{}", failure.message);
    assert!(failure.message.contains("`fetch`"), "{}", failure.message);
}

#[test]
fn input_of_the_wrong_type_is_refused_for_good() {
    let failure = failure(run("beats", &json!("many")));
    assert_eq!((failure.error_type.as_str(), failure.retriable), (error_types::INVALID_INPUT, false));
    assert!(failure.message.starts_with("the input of activity `beats` cannot be read as a `u32`"), "{failure:?}");
}

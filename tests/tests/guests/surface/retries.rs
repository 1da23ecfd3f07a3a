//! Retry policies as authors build them: what each setting does to the attempts that follow, of activities and children.

use everturn_history::event;
use everturn_test_world::histories::*;
use serde_json::{Value, json};

use super::instance::{Instance, answer, asked, failure};

/// More attempts than any of the policies here allows, or a test needs to see.
const ENOUGH: i32 = 6;

/// The delays in milliseconds between attempts that all fail at once, until the workflow fails with them.
fn delays(workflow: &str, policy: &Value, error_type: &str) -> Vec<i64> {
    let (mut instance, _) = Instance::start(workflow, policy);
    let mut delays = vec![];
    let mut now = at(0);
    for attempt in 0..ENOUGH {
        let failed = match workflow {
            "retries_an_activity" => task_failed(2 * attempt, error_type),
            _ => event::child_failed(at(0), id(2 * attempt), failure_details(error_type)),
        };
        // Whole seconds suffice: turns are played at the second after each timer.
        let turn = instance.turn(now.seconds - START_SECONDS, [failed]);
        if asked(&turn) == ["end"] {
            assert_eq!(failure(&turn).error_type, error_type);
            return delays;
        }
        assert_eq!(asked(&turn), ["timer"]);
        let fire_at = timers(&turn)[0].fire_at.unwrap();
        delays.push((fire_at.seconds - now.seconds) * 1000 + i64::from(fire_at.nanos) / 1_000_000);
        now.seconds = fire_at.seconds + i64::from(fire_at.nanos > 0);
        let next = instance.turn(now.seconds - START_SECONDS, [timer_fired(2 * attempt + 1)]);
        assert_eq!(next.actions.len(), 1, "the next attempt: {next:#?}");
    }
    delays.push(i64::MAX);
    delays
}

#[test]
fn every_setting_of_a_policy_shows_in_the_attempts() {
    let seconds = |seconds: u64| json!({"secs": seconds, "nanos": 0});
    let on_and_on = i64::MAX;
    let table = [
        ("exponential", json!({"max_attempts": 4}), vec![1000, 2000, 4000]),
        ("fixed", json!({"fixed": true, "max_attempts": 4}), vec![1000, 1000, 1000]),
        ("coefficient", json!({"coefficient": 1.5, "max_attempts": 3}), vec![1000, 1500]),
        ("coefficient below one", json!({"coefficient": 0.1, "max_attempts": 3}), vec![1000, 1000]),
        ("one attempt", json!({"max_attempts": 1}), vec![]),
        ("no limit", json!({"fixed": true, "max_attempts": 0}), [vec![1000; 6], vec![on_and_on]].concat()),
        ("no limit set", json!({"fixed": true}), [vec![1000; 6], vec![on_and_on]].concat()),
        ("cap", json!({"max_interval": seconds(3), "max_attempts": 5}), vec![1000, 2000, 3000, 3000]),
        ("overall time", json!({"timeout": seconds(7)}), vec![1000, 2000, 4000]),
        ("other final error", json!({"not_on": ["Other", "e"], "max_attempts": 2}), vec![1000]),
        ("final error", json!({"not_on": ["Other", "E"], "max_attempts": 2}), vec![]),
    ];
    for (case, mut policy, expected) in table {
        policy["first_interval"] = seconds(1);
        for workflow in ["retries_an_activity", "retries_a_child"] {
            assert_eq!(delays(workflow, &policy, "E"), expected, "{case}: {workflow}");
        }
    }
}

#[test]
fn a_failure_that_says_that_it_is_final_is_final() {
    let policy = json!({"first_interval": {"secs": 1, "nanos": 0}});
    let mut details = failure_details("E");
    details.is_non_retriable = true;
    let (mut instance, _) = Instance::start("retries_an_activity", &policy);
    let turn = instance.turn(1, [event::task_failed(at(1), id(0), details.clone())]);
    assert_eq!(failure(&turn), details);
}

#[test]
fn a_later_attempt_that_succeeds_is_the_answer() {
    let policy = json!({"first_interval": {"secs": 1, "nanos": 0}, "max_attempts": 2});
    let (mut instance, _) = Instance::start("retries_an_activity", &policy);
    instance.turn(1, [task_failed(0, "E")]);
    instance.turn(2, [timer_fired(1)]);
    assert_eq!(answer(&instance.turn(3, [task_completed(2, "42")])), 42);
}

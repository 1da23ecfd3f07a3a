//! What a guest sees is a function of its history: in another process, live or rebuilt, at every event.

use std::process::Command;

use everturn_history::json;
use everturn_test_world::world::World;
use everturn_tests::cuts::check_every_cut;
use everturn_tests::player::Compiled;

const SEED: u64 = 20;

/// Plays a workflow in a process of its own, and returns the history.
fn in_another_process(workflow: &str, input: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_record"))
        .args([workflow, input, &SEED.to_string()])
        .env("NOT_FOR_GUESTS", "secret")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

#[test]
fn a_guest_that_looks_everywhere_does_the_same_in_every_process() {
    let here = World::new(SEED).record(&mut Compiled::new(), "nosy", "null").unwrap();
    let here = json::to_string(&here.history).unwrap();
    assert!(here.contains("map_order"), "it told an activity what it saw: {here}");
    assert_eq!(in_another_process("nosy", "null"), here);
    assert_eq!(in_another_process("nosy", "null"), here);
}

#[test]
fn a_guest_that_looks_everywhere_does_the_same_live_or_rebuilt_at_every_event() {
    let recording = World::new(SEED).record(&mut Compiled::new(), "nosy", "null").unwrap();
    check_every_cut(&recording, Compiled::new);
}

#[test]
fn two_instances_see_different_randomness() {
    let of = |workflow: &str, seed| World::new(seed).record(&mut Compiled::new(), workflow, "null").unwrap();
    let (first, second) = (of("nosy", 1), of("nosy", 2));
    // The same instance id in two worlds: the same randomness, at other times.
    assert_eq!(map_order(&first.history[2]), map_order(&second.history[2]));
}

/// The order of a hash map, out of the input of the first activity.
fn map_order(event: &everturn_history::HistoryEvent) -> String {
    match &event.event_type {
        Some(everturn_history::history_event::EventType::TaskScheduled(task)) => {
            let input: serde_json::Value = serde_json::from_str(&task.input.as_ref().unwrap().value).unwrap();
            input["map_order"].to_string()
        }
        other => panic!("not an activity: {other:?}"),
    }
}

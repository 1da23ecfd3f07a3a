//! What a guest sees is a function of its history: in another process, live or rebuilt, at every event.

use std::process::Command;

use everturn_history::{event, json};
use everturn_replay::recorded_events;
use everturn_test_world::Player;
use everturn_test_world::histories::{at, turn};
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
fn an_instance_sees_the_same_randomness_at_any_time_and_another_one_sees_its_own() {
    let first_look = |instance: &str, seconds| {
        let start = event::execution_started(at(seconds), &instance.into(), "nosy", "null");
        let turn = Compiled::new().play(vec![], vec![turn(seconds), start]).unwrap();
        map_order(&recorded_events(&turn, at(seconds))[0])
    };
    assert_eq!(first_look("one", 0), first_look("one", 1_000));
    assert_ne!(first_look("one", 0), first_look("other", 0));
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

//! What an instance is told of itself, of its time and its history.

use std::collections::BTreeMap;

use everturn_history::history_event::EventType;
use everturn_history::{ExecutionStartedEvent, ParentInstanceInfo, WorkflowInstance, event, text};
use everturn_replay::{Execution, Source, Step, Turn, recorded_events};
use everturn_test_world::Player;
use everturn_test_world::histories::*;
use everturn_tests::player::{Compiled, test_component};
use serde_json::{Value, json};

use super::instance::{Instance, answer, only_turn};

fn instance(id: &str) -> Option<WorkflowInstance> {
    Some(WorkflowInstance { instance_id: id.into(), execution_id: None })
}

#[test]
fn an_instance_is_told_all_that_it_was_started_with() {
    let parent = ParentInstanceInfo {
        name: Some(text("Parent")),
        workflow_instance: instance("parent-1"),
        ..ParentInstanceInfo::default()
    };
    let started = ExecutionStartedEvent {
        name: "who_am_i".into(),
        version: Some(text("1.2")),
        workflow_instance: instance("order-17"),
        parent_instance: Some(parent),
        tags: BTreeMap::from([("region".into(), "eu".into()), ("customer".into(), "Ada".into())]),
        generation: 3,
        ..ExecutionStartedEvent::default()
    };
    let (mut instance, _) = Instance::begin(vec![event::event(at(-5), EventType::ExecutionStarted(started.into()))]);

    assert_eq!(
        answer(&instance.turn(9, [timer_fired(0)])),
        json!({
            "instance_id": "order-17",
            "workflow": "who_am_i",
            "version": "1.2",
            "generation": 3,
            "started_at": {"secs_since_epoch": START_SECONDS, "nanos_since_epoch": 0},
            "parent": ["parent-1", "Parent"],
            "tags": {"customer": "Ada", "region": "eu"},
        })
    );
}

#[test]
fn what_an_instance_was_not_started_with_is_absent() {
    let (mut instance, _) = Instance::start("who_am_i", &Value::Null);
    let told = answer(&instance.turn(1, [timer_fired(0)]));
    assert_eq!((&told["instance_id"], &told["generation"]), (&json!("instance"), &json!(0)));
    assert_eq!((&told["version"], &told["parent"], &told["tags"]), (&json!(null), &json!(null), &json!({})));
}

/// What `looks_at_the_clock` saw: seconds after the start, events so far, whether it replayed.
fn moments(turn: &Turn) -> Vec<(i64, u64, bool)> {
    let seen = answer(turn);
    let seconds = |moment: &Value| moment["now"]["secs_since_epoch"].as_i64().unwrap() - START_SECONDS;
    let seen = seen.as_array().unwrap().iter();
    seen.map(|moment| {
        (seconds(moment), moment["history_length"].as_u64().unwrap(), moment["is_replaying"].as_bool().unwrap())
    })
    .collect()
}

#[test]
fn clock_and_history_length_are_those_of_the_turn_live_and_replayed() {
    let mut live = Compiled::new();
    let mut history = started_as("looks_at_the_clock", "null");
    let first = live.play(vec![], history.clone()).unwrap();
    let first = recorded_events(&first, at(0));
    let timer = vec![turn(7), timer_fired(0)];
    let second = live.play(first.clone(), timer.clone()).unwrap();
    let second = recorded_events(&second, at(7));
    let end = vec![turn(9), task_completed(1, "1")];
    let lived = live.play(second.clone(), end.clone()).unwrap();

    // Turn, start; timer created, turn, timer fired; activity scheduled, turn, activity completed.
    assert_eq!(moments(&lived), [(0, 2, false), (7, 5, false), (9, 8, false)]);

    history.extend([first, timer, second].concat());
    let rebuilt = Compiled::new().play(history.clone(), end.clone()).unwrap();
    assert_eq!(moments(&rebuilt), [(0, 2, true), (7, 5, true), (9, 8, false)]);

    history.extend(end);
    let replayed = Compiled::new().play(history, vec![]).unwrap();
    assert_eq!(moments(&replayed), [(0, 2, true), (7, 5, true), (9, 8, true)]);
}

#[test]
fn random_is_the_stream_of_the_core_also_beyond_one_call_of_the_host() {
    let length = 3 * 64 * 1024 + 11;
    let mut core = Execution::new();
    started_as("draws_random", "null").into_iter().for_each(|event| core.push(event, Source::New));
    assert_eq!(core.next_step().unwrap(), Step::Start);
    let uuid = core.uuid();
    let mut bytes = vec![0; length];
    core.random_bytes(&mut bytes);

    let drawn = answer(&only_turn("draws_random", &json!(length)));

    assert_eq!(drawn, json!([uuid, length, bytes[length - 8..]]));
}

#[test]
fn a_workflow_is_described_by_its_name_and_the_first_paragraph_of_its_documentation() {
    let described = |name: &str| {
        let workflow = test_component().workflows().iter().find(|workflow| workflow.name == name);
        workflow.map(|workflow| workflow.summary.as_str())
    };
    assert_eq!(described("Named/by hand"), Some("Has a name of its own."));
    assert_eq!(described("another_name"), None);
    assert_eq!(described("loops_for_ever"), Some(""));
    assert_eq!(answer(&only_turn("Named/by hand", &Value::Null)), Value::Null);
}

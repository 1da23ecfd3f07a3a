//! The guest `approval`, played to its end in each way it can go, and its recorded histories.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use everturn_guest::{Component, Engine, Limits, LiveGuest};
use everturn_history::{HistoryEvent, Timestamp, event, json};
use everturn_replay::{Source, recorded_events};
use everturn_test_world::Player;
use everturn_test_world::histories::{failure_details, id, result};
use everturn_tests::guests::APPROVAL;
use everturn_tests::player::Compiled;

const REQUEST: &str = r#"{"requester":"ann","approver":"bob","manager":"eve","purpose":"desk","amount":42000}"#;

fn component() -> &'static Component {
    static COMPONENT: OnceLock<Component> = OnceLock::new();
    COMPONENT.get_or_init(|| Engine::new(Limits::default()).unwrap().load(&APPROVAL.bytes().unwrap()).unwrap())
}

/// 2026-01-01T09:00:00Z and so many minutes.
fn at(minutes: i64) -> Timestamp {
    Timestamp { seconds: 1_767_258_000 + 60 * minutes, nanos: 0 }
}

const THREE_DAYS: i64 = 3 * 24 * 60;

/// Plays a run, one message a turn, and returns its result.
fn run(messages: Vec<HistoryEvent>) -> String {
    let mut guest = Compiled(LiveGuest::new(component()));
    let mut last = None;
    let start = event::execution_started(at(0), &"desk-1".into(), "approval", REQUEST);
    for message in [start].into_iter().chain(messages) {
        let now = message.timestamp.unwrap();
        let new = [event::turn_started(now, vec![]), message];
        let turn = guest.play(vec![], new.to_vec()).unwrap();
        recorded_events(&turn, now).into_iter().for_each(|event| guest.push(event, Source::History));
        guest.run().unwrap();
        last = Some(turn);
    }
    result(&last.unwrap())
}

fn approved() -> Vec<HistoryEvent> {
    vec![
        event::task_completed(at(1), id(0), "null"),
        event::event_raised(at(1500), "decision", r#"{"approved":true,"by":"bob"}"#),
        event::task_failed(at(1501), id(2), failure_details("LedgerUnavailable")),
        event::timer_fired(at(1502), id(3)),
        event::task_completed(at(1503), id(4), "null"),
    ]
}

fn escalated() -> Vec<HistoryEvent> {
    vec![
        event::task_completed(at(1), id(0), "null"),
        event::timer_fired(at(THREE_DAYS + 1), id(1)),
        event::task_completed(at(THREE_DAYS + 2), id(2), "null"),
        event::event_raised(at(THREE_DAYS + 9), "Decision", r#"{"approved":false,"by":"eve"}"#),
        event::task_completed(at(THREE_DAYS + 10), id(4), "null"),
    ]
}

fn unanswered() -> Vec<HistoryEvent> {
    vec![
        event::task_completed(at(1), id(0), "null"),
        event::timer_fired(at(THREE_DAYS + 1), id(1)),
        event::task_completed(at(THREE_DAYS + 2), id(2), "null"),
        event::timer_fired(at(2 * THREE_DAYS + 2), id(3)),
        event::task_completed(at(2 * THREE_DAYS + 3), id(4), "null"),
    ]
}

#[test]
fn the_approver_decides_the_manager_decides_or_nobody_does() {
    assert_eq!(run(approved()), r#"{"approved":true,"by":"bob"}"#);
    assert_eq!(run(escalated()), r#"{"approved":false,"by":"eve"}"#);
    assert_eq!(run(unanswered()), r#"{"approved":false,"by":"nobody"}"#);
}

fn recorded_files() -> Vec<PathBuf> {
    let directory = Path::new(APPROVAL.directory).join("histories");
    let mut files: Vec<_> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn every_recorded_history_replays_on_the_current_build() {
    let files = recorded_files();
    assert!(files.len() >= 3, "{files:?}");
    for file in files {
        let history = json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        let turn = Compiled(LiveGuest::new(component())).play(history, vec![]).unwrap();
        assert_eq!(turn.actions, [], "{file:?} is complete");
    }
}

/// With no more than its data and its stack, it would have to ask for memory before it does anything.
#[test]
fn a_guest_begins_with_a_heap() {
    const PAGES_OF_STACK_AND_HEAP: u64 = 16 + 4;
    let required = component().compiled().resources_required().unwrap();
    let pages = required.max_initial_memory_size.unwrap();
    assert!(pages > PAGES_OF_STACK_AND_HEAP, "{pages}");
}

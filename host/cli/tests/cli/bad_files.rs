//! `everturn replay` with files that cannot be used: it says which one, which event, and why, and exits with 2.

use std::path::Path;

use everturn_tests::guests::{APPROVAL, TEST_GUESTS};

use crate::room::Room;
use crate::story;

fn with_history(history: &str) -> String {
    let room = Room::new();
    let history = room.file("history.json", history);
    room.run(["replay".as_ref(), APPROVAL.path(), history.as_path()])
}

fn with_component(component: impl AsRef<[u8]>) -> String {
    let room = Room::new();
    let history = room.file("history.json", story::first(12));
    let component = room.file("component.wasm", component);
    room.run(["replay".as_ref(), component.as_path(), history.as_path()])
}

#[test]
fn a_history_that_is_not_there() {
    let room = Room::new();
    let missing = room.path().join("missing.json");
    insta::assert_snapshot!(room.run(["replay".as_ref(), APPROVAL.path(), missing.as_path()]), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: failed to read the history ROOM/missing.json: No such file or directory (os error 2)
    ");
}

#[test]
fn a_history_that_is_not_json() {
    insta::assert_snapshot!(with_history("once upon a time"), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: ROOM/history.json: not a history: expected value at line 1 column 1; a history is a JSON array of events
    ");
}

#[test]
fn a_history_that_is_cut_off() {
    let history = story::first(4);
    insta::assert_snapshot!(with_history(&history[..history.len() - 10]), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: ROOM/history.json: not a history: EOF while parsing a string at line 5 column 68; a history is a JSON array of events
    ");
}

#[test]
fn a_history_that_is_no_array() {
    insta::assert_snapshot!(with_history(r#"{"events": []}"#), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: ROOM/history.json: not a history: invalid type: map, expected a sequence at line 1 column 0; a history is a JSON array of events
    ");
}

#[test]
fn an_event_with_an_unknown_field() {
    let event = r#"{"eventId": -1, "timestamp": "2026-01-01T09:01:00Z", "taskCompleted": {"task": 0}}"#;
    insta::assert_snapshot!(with_history(&story::falsified(5, event)), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: ROOM/history.json: event 5 (line 6) is not a history event: unknown field `task`, expected one of `task_scheduled_id`, `taskScheduledId`, `result`, `task_execution_id`, `taskExecutionId`, `attestation`, `signer_certificate`, `signerCertificate`
    ");
}

#[test]
fn an_event_that_says_nothing() {
    insta::assert_snapshot!(with_history(&story::falsified(3, r#"{"eventId": 0}"#)), @r#"
    exit code 2
    -- stdout --
    -- stderr --
    error: ROOM/history.json: event 3 (line 4) is not a history event: it says nothing happened: one of the event kinds, such as "timerFired", is missing
    "#);
}

#[test]
fn an_empty_history() {
    insta::assert_snapshot!(with_history("[]"), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: ROOM/history.json: the history is empty; it begins with workflowStarted and executionStarted
    ");
}

#[test]
fn a_history_without_a_start() {
    insta::assert_snapshot!(with_history(&story::file(&story::events()[3..])), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: ROOM/history.json: none of its events (1 to 9) is executionStarted, which names the workflow
    ");
}

#[test]
fn a_history_with_an_event_before_the_start() {
    let mut events = story::events();
    events.swap(1, 2);
    insta::assert_snapshot!(with_history(&story::file(&events)), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: ROOM/history.json: event 2 of the history is wrong: it comes before the execution started; a history begins with workflowStarted and executionStarted
    ");
}

#[test]
fn a_history_that_starts_twice() {
    insta::assert_snapshot!(with_history(&story::falsified(4, &story::events()[1])), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: ROOM/history.json: event 4 of the history is wrong: the execution has started already
    ");
}

#[test]
fn a_history_of_another_workflow() {
    let event = story::events()[1].replace("\"approval\"", "\"approve\"");
    insta::assert_snapshot!(with_history(&story::falsified(2, &event)), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: ROOM/history.json is the history of workflow approve, and approval.wasm holds approval
    ");
}

#[test]
fn a_component_that_is_not_there() {
    let room = Room::new();
    let history = room.file("history.json", story::first(12));
    let missing = room.path().join("missing.wasm");
    insta::assert_snapshot!(room.run(["replay".as_ref(), missing.as_path(), history.as_path()]), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: failed to read the component ROOM/missing.wasm: No such file or directory (os error 2)
    ");
}

#[test]
fn a_component_that_is_text() {
    insta::assert_snapshot!(with_component("once upon a time"), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: cannot use ROOM/component.wasm as a component: this is no WebAssembly; give the .wasm file of a component, for example from a build for wasm32-wasip2
    ");
}

#[test]
fn a_component_that_is_a_core_module() {
    insta::assert_snapshot!(with_component(b"\0asm\x01\0\0\0"), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: cannot use ROOM/component.wasm as a component: this is a core module, not a component; build it for the target wasm32-wasip2, which makes components
    ");
}

#[test]
fn a_directory_that_is_no_crate() {
    let room = Room::new();
    let history = room.file("history.json", story::first(12));
    insta::assert_snapshot!(room.run(["replay".as_ref(), room.path().as_path(), history.as_path()]), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: ROOM holds no Cargo.toml: give the directory of a workflow crate
    ");
}

#[test]
fn a_cache_that_cannot_be_used() {
    let room = Room::new();
    let history = room.file("history.json", story::first(12));
    let not_a_directory = room.file("cache", "");
    let mut command = room.everturn(["replay".as_ref(), APPROVAL.path(), history.as_path()]);
    insta::assert_snapshot!(room.show(command.env("EVERTURN_CACHE_DIR", not_a_directory)), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: EVERTURN_CACHE_DIR: cannot use ROOM/cache as a cache of compiled components; give a directory that this user owns: File exists (os error 17)
    ");
}

#[test]
fn components_are_kept_in_the_cache_and_only_there() {
    let room = Room::new();
    let history = room.file("history.json", story::first(12));
    let kept = |directory: &Path| directory.read_dir().map_or(0, Iterator::count);
    let arguments = ["replay".as_ref(), TEST_GUESTS.path(), history.as_path()];

    let cache = room.path().join("cache");
    room.everturn(arguments).arg("--no-cache").env("EVERTURN_CACHE_DIR", &cache).output().unwrap();
    assert_eq!(kept(&cache), 0);
    room.everturn(arguments).env("EVERTURN_CACHE_DIR", &cache).output().unwrap();
    assert!(kept(&cache) > 0);
}

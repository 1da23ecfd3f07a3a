//! Recorded histories, and code that does not fit them.

use std::fs;
use std::path::{Path, PathBuf};

use everturn_test::{TestHost, assert_replays, history};
use serde_json::Value;
use tempfile::TempDir;

use crate::{approval, complaint, guests};

fn recorded(pattern: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/guests/approval/histories").join(pattern)
}

/// A folder with one history of `approval`, in which something is replaced.
fn changed(old: &str, new: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(recorded("approved.json")).unwrap();
    assert!(text.contains(old));
    fs::write(folder.path().join("changed.json"), text.replace(old, new)).unwrap();
    folder
}

/// What is said of the histories in a folder, without what differs from run to run.
fn said_of(folder: &TempDir) -> String {
    let said = complaint(|| assert_replays(&approval(), folder.path().join("*.json")));
    said.replace(&folder.path().display().to_string(), "FOLDER")
}

#[test]
fn recorded_histories_fit_the_code_that_made_them() {
    assert_replays(&approval(), recorded("*.json"));
    assert_replays(&approval(), recorded("approved.json"));
}

#[test]
fn no_history_at_all_is_a_mistake() {
    let folder = tempfile::tempdir().unwrap();
    let said = complaint(|| assert_replays(&approval(), folder.path().join("*.json")));
    assert!(said.starts_with("no file matches "), "{said}");
    assert!(said.contains("run.save_history"), "{said}");
}

#[test]
fn the_first_difference_is_told() {
    insta::assert_snapshot!(said_of(&changed("\"record\"", "\"write_down\"")), @r#"
    1 of 1 recorded histories do not fit

    FOLDER/changed.json: workflow "approval" no longer fits the history of instance "desk-1" at event 9 (sequence id 2)
      recorded: activity "write_down"
      code now: activity "record"
    Either the code was changed before this point, or it is not deterministic. Put the change behind `patched`, or keep this instance on the version it ran on.
      that event: activity write_down called
    "#);
}

#[test]
fn a_file_that_is_no_history_is_told() {
    let said = said_of(&changed("taskScheduled", "taskPlanned"));
    assert!(said.contains("FOLDER/changed.json: event 3 (line 20) is not a history event"), "{said}");
}

#[test]
fn a_history_of_another_workflow_is_told() {
    insta::assert_snapshot!(said_of(&changed("\"name\": \"approval\"", "\"name\": \"refusal\"")), @r"
    1 of 1 recorded histories do not fit

    FOLDER/changed.json: the component has no workflow `refusal`, only `approval`; run it on a component that has it, or start a workflow that it has
    ");
}

#[test]
fn code_that_does_more_than_an_open_history_says_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(recorded("approved.json")).unwrap();
    let mut events = history::json::from_str(&text).unwrap();
    // Without the wait for the decision, which the code asks for in the second turn.
    events.truncate(5);
    fs::write(folder.path().join("open.json"), history::json::to_string(&events).unwrap()).unwrap();
    insta::assert_snapshot!(said_of(&folder), @r#"
    1 of 1 recorded histories do not fit

    FOLDER/open.json: workflow "approval" no longer fits the history of instance "desk-1" at event 6 (sequence id 1)
      recorded: nothing: the workflow waits
      code now: wait for event "decision"
    Either the code was changed before this point, or it is not deterministic. Put the change behind `patched`, or keep this instance on the version it ran on.
    "#);
}

#[test]
fn code_that_ends_where_history_waits_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(recorded("approved.json")).unwrap();
    let mut events = history::json::from_str(&text).unwrap();
    events.pop();
    fs::write(folder.path().join("open.json"), history::json::to_string(&events).unwrap()).unwrap();
    insta::assert_snapshot!(said_of(&folder), @r#"
    1 of 1 recorded histories do not fit

    FOLDER/open.json: after the last event
      recorded: nothing: the workflow waits
      code now: the workflow ended: completed {"approved":true,"by":"bob"}
    "#);
}

#[test]
fn a_saved_history_is_one_to_keep() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("histories/waiting.json");
    let mut run = TestHost::new(guests()).start("waits_twice", &());
    run.until_blocked();
    run.raise_event("go", &1);
    run.save_history(&path);
    assert_replays(&guests(), &path);
    run.raise_event("go", &2);
    run.result::<Value>().unwrap();
    run.save_history(&path);
    assert_replays(&guests(), &path);
}

#[test]
fn a_workflow_that_is_not_deterministic_fails_its_test() {
    let host = TestHost::new(guests()).activity_returns("A", ());
    // It returns whether it is replayed.
    let said = complaint(|| drop(host.start("looks_at_the_clock", &()).result::<Value>()));
    assert!(said.starts_with("workflow `looks_at_the_clock` does something else when it is replayed"), "{said}");
    assert!(said.contains("it ends in another way"), "{said}");
    host.without_replays().start("looks_at_the_clock", &()).result::<Value>().unwrap();
}

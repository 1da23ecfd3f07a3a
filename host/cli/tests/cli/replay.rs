//! `everturn replay` when component and history can be used: what it prints, and how it exits.

use everturn_tests::guests::{APPROVAL, Guest, TEST_GUESTS};

use crate::room::Room;
use crate::story;

fn replay(history: &str, more: &[&str]) -> String {
    replay_on(APPROVAL, history, more)
}

fn replay_on(guest: Guest, history: &str, more: &[&str]) -> String {
    let room = Room::new();
    let history = room.file("history.json", history);
    let arguments = ["replay".as_ref(), guest.path(), history.as_path()];
    room.run(arguments.into_iter().chain(more.iter().map(AsRef::as_ref)))
}

#[test]
fn a_history_that_is_over() {
    insta::assert_snapshot!(replay(&story::first(12), &[]), @r#"
    exit code 0
    -- stdout --
    workflow  approval
    instance  desk-1
    history   12 events, the code matches
    status    COMPLETED
    result    {"approved":true,"by":"bob"}
    custom    "waiting for bob"
    -- stderr --
    "#);
}

#[test]
fn a_history_that_is_over_as_json() {
    insta::assert_snapshot!(replay(&story::first(12), &["-o", "json"]), @r#"
    exit code 0
    -- stdout --
    {
      "matches": true,
      "workflow": "approval",
      "instanceId": "desk-1",
      "events": 12,
      "status": "COMPLETED",
      "result": "{\"approved\":true,\"by\":\"bob\"}",
      "failure": null,
      "customStatus": "\"waiting for bob\"",
      "openTasks": 0,
      "actions": [],
      "cancelledTimers": []
    }
    -- stderr --
    "#);
}

#[test]
fn a_workflow_that_waits() {
    insta::assert_snapshot!(replay(&story::first(6), &[]), @r#"
    exit code 0
    -- stdout --
    workflow  approval
    instance  desk-1
    history   6 events, the code matches
    status    RUNNING, waits for 1 answer
    custom    "waiting for bob"
    -- stderr --
    "#);
}

#[test]
fn a_workflow_that_asks_for_more() {
    insta::assert_snapshot!(replay(&story::first(8), &[]), @r#"
    exit code 0
    -- stdout --
    workflow  approval
    instance  desk-1
    history   8 events, the code matches
    status    RUNNING, waits for 1 answer
    custom    "waiting for bob"
    next      call activity record with [{"requester":"ann","approver":"bob","manager":"eve","purpose":"desk","amount":42},{"approved":true,"by":"bob"}]
    cancelled sequence id 1
    -- stderr --
    "#);
}

#[test]
fn a_workflow_that_asks_for_more_as_json() {
    insta::assert_snapshot!(replay(&story::first(8), &["--output", "json"]), @r#"
    exit code 0
    -- stdout --
    {
      "matches": true,
      "workflow": "approval",
      "instanceId": "desk-1",
      "events": 8,
      "status": "RUNNING",
      "result": null,
      "failure": null,
      "customStatus": "\"waiting for bob\"",
      "openTasks": 1,
      "actions": [
        {
          "id": 2,
          "scheduleTask": {
            "name": "record",
            "input": "[{\"requester\":\"ann\",\"approver\":\"bob\",\"manager\":\"eve\",\"purpose\":\"desk\",\"amount\":42},{\"approved\":true,\"by\":\"bob\"}]",
            "taskExecutionId": "83a8edf3-29dd-80b9-b159-db2500000002",
            "attempt": 1
          }
        }
      ],
      "cancelledTimers": [
        1
      ]
    }
    -- stderr --
    "#);
}

#[test]
fn a_workflow_that_ends_beyond_its_history() {
    insta::assert_snapshot!(replay(&story::first(11), &["--no-cache"]), @r#"
    exit code 0
    -- stdout --
    workflow  approval
    instance  desk-1
    history   11 events, the code matches
    status    COMPLETED
    result    {"approved":true,"by":"bob"}
    custom    "waiting for bob"
    next      complete
    -- stderr --
    "#);
}

#[test]
fn a_workflow_that_fails() {
    let start = story::events()[1].replace("requester", "nobody");
    let history = story::file(&[story::events()[0].clone(), start]);
    insta::assert_snapshot!(replay(&history, &[]), @r"
    exit code 0
    -- stdout --
    workflow  approval
    instance  desk-1
    history   2 events, the code matches
    status    FAILED
    failure   InvalidInput: the input of workflow `approval` cannot be read as a `Request`: missing field `requester` at line 1 column 78
    next      fail
    -- stderr --
    ");
}

#[test]
fn code_that_does_something_else() {
    let event = story::events()[8].replace("record", "archive");
    insta::assert_snapshot!(replay(&story::falsified(9, &event), &[]), @r#"
    exit code 1
    -- stdout --
    mismatch: workflow "approval" no longer fits the history of instance "desk-1" at event 9 (sequence id 2)
      recorded: activity "archive"
      code now: activity "record"
    Either the code was changed before this point, or it is not deterministic. Put the change behind `patched`, or keep this instance on the version it ran on.
    -- stderr --
    "#);
}

#[test]
fn code_that_does_something_else_as_json() {
    let event = story::events()[8].replace("record", "archive");
    insta::assert_snapshot!(replay(&story::falsified(9, &event), &["-o", "json"]), @r#"
    exit code 1
    -- stdout --
    {
      "matches": false,
      "mismatch": {
        "workflow": "approval",
        "instanceId": "desk-1",
        "event": 9,
        "sequenceId": 2,
        "recorded": {
          "called": {
            "kind": "activity",
            "name": "archive"
          }
        },
        "attempted": {
          "called": {
            "kind": "activity",
            "name": "record"
          }
        }
      }
    }
    -- stderr --
    "#);
}

#[test]
fn data_does_not_drive_the_terminal() {
    let start = story::events()[1].replace("desk-1", r"desk-\u001b[31m1");
    let history = story::file(&[story::events()[0].clone(), start]);
    insta::assert_snapshot!(replay(&history, &[]), @r#"
    exit code 0
    -- stdout --
    workflow  approval
    instance  desk-\u{1b}[31m1
    history   2 events, the code matches
    status    RUNNING, waits for 1 answer
    custom    "waiting for bob"
    next      call activity notify with ["bob",{"requester":"ann","approver":"bob","manager":"eve","purpose":"desk","amount":42}]
    -- stderr --
    "#);
}

#[test]
fn code_that_panics() {
    let history = r#"[{"eventId": -1, "timestamp": "2026-01-01T09:00:00Z", "executionStarted":
        {"name": "panics", "input": "\"no coffee left\"", "workflowInstance": {"instanceId": "i"}}}]"#;

    let shown = replay_on(TEST_GUESTS, history, &[]);
    assert!(shown.starts_with("exit code 1\n-- stdout --\nfault: workflow \"panics\" of instance \"i\""), "{shown}");
    assert!(shown.contains("no coffee left"), "{shown}");

    let shown = replay_on(TEST_GUESTS, history, &["-o", "json"]);
    assert!(shown.starts_with("exit code 1\n-- stdout --\n{\n  \"matches\": false,\n  \"fault\": {"), "{shown}");
    assert!(shown.contains("no coffee left"), "{shown}");
}

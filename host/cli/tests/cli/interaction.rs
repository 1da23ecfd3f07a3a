//! `everturn workflow signal`, `query` and `update`.

use crate::serving::Serving;

#[test]
fn a_workflow_is_told_asked_and_changed() {
    let host = Serving::new();
    let run = |arguments: &[&str]| host.run(&[&["workflow"], arguments].concat());
    run(&["start", "takes_notes", "--id", "notes", "--input", "\"zero\""]);
    host.sees("notes", "#0 activity A scheduled");
    insta::assert_snapshot!(run(&["signal", "notes", "note", "--data", "\"one\""]), @r"
    exit code 0
    -- stdout --
    sent note to notes
    -- stderr --
    ");
    host.sees("notes", "event note arrived");
    insta::assert_snapshot!(run(&["query", "notes", "texts"]), @r#"
    exit code 0
    -- stdout --
    ["zero","one"]
    -- stderr --
    "#);
    insta::assert_snapshot!(run(&["update", "notes", "add", "--input", "\"two\""]), @r"
    exit code 0
    -- stdout --
    3
    -- stderr --
    ");
    insta::assert_snapshot!(run(&["update", "notes", "add", "--input", "\"\""]), @r"
    exit code 1
    -- stdout --
    refused: Empty: a note has a text
    -- stderr --
    ");
    // Nobody does the activity that it waits for.
    let asks = ["update", "notes", "fetch_now", "--input", "\"x\"", "--update-id", "u1", "--timeout", "100ms"];
    insta::assert_snapshot!(run(&asks), @r"
    exit code 1
    -- stdout --
    -- stderr --
    error: notes has not answered within 100ms; the same command asks for the answer again
    ");
    insta::assert_snapshot!(run(&["query", "notes", "txet"]), @r"
    exit code 1
    -- stdout --
    -- stderr --
    error: workflow `takes_notes` has no query `txet`, only `texts`, `text`, `calls_an_activity`, `changes_the_state`
    ");
}

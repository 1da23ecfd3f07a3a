//! What changed from one version to another.

use everturn_tests::guests::{APPROVAL, in_version};

use crate::serving::Serving;
use crate::versions::{file, under_way};

/// Runs a comparison, without the size of components, which is the compiler's.
fn diff(host: &Serving, arguments: &[&str]) -> String {
    let shown = host.run(&[&["deployment", "diff"], arguments].concat());
    let sizes = [in_version("first").len(), APPROVAL.bytes().unwrap().len()];
    shown.replace(&sizes[0].to_string(), "SIZE").replace(&sizes[1].to_string(), "OTHER")
}

#[test]
fn versions_are_compared() {
    let host = under_way();
    let grants = ["--allow-http", "api.example.com", "--env", "MODE=live", "--secret", "KEY", "--successors", "same"];
    let later = file(&host, "later");
    host.run(&[&["deploy", &later, "--version", "second", "--strategy", "pin"], &grants[..]].concat());
    insta::assert_snapshot!(diff(&host, &["first", "second"]), @r"
    exit code 1
    -- stdout --
    version    first -> second
    digest     dddddddddddd -> dddddddddddd
    size       SIZE (the same)
    workflows  = generations, journey, numbered_rounds, round_by_round, rounds, steady, tells, two_branches, two_patches
    http       + api.example.com
    env        + MODE
    secrets    + KEY
    successors newest -> same
    open       2 -> 0
    -- stderr --
    ");
    host.run(&["deploy", &file(&host, "first"), "--version", "again"]);
    insta::assert_snapshot!(diff(&host, &["first", "again"]), @r"
    exit code 0
    -- stdout --
    version    first -> again
    digest     dddddddddddd (the same)
    size       SIZE (the same)
    workflows  = generations, journey, numbered_rounds, round_by_round, rounds, steady, tells, two_branches, two_patches
    successors newest (the same)
    open       2 -> 0
    -- stderr --
    ");
    host.run(&["deploy", APPROVAL.path, "--version", "other"]);
    insta::assert_snapshot!(diff(&host, &["first", "other"]), @r"
    exit code 1
    -- stdout --
    version    first -> other
    digest     dddddddddddd -> dddddddddddd
    size       SIZE -> OTHER
    workflows  + approval
               - generations
               - journey
               - numbered_rounds
               - round_by_round
               - rounds
               - steady
               - tells
               - two_branches
               - two_patches
    successors newest (the same)
    open       2 -> 0
    -- stderr --
    ");
    insta::assert_snapshot!(diff(&host, &["first", "again", "-o", "json"]), @r#"
    exit code 0
    -- stdout --
    {
      "version": {
        "old": "first",
        "new": "again"
      },
      "same": true,
      "digest": {
        "old": "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd",
        "new": "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"
      },
      "size": {
        "old": SIZE,
        "new": SIZE
      },
      "successors": {
        "old": "newest",
        "new": "newest"
      },
      "workflows": {
        "added": [],
        "removed": [],
        "same": [
          "generations",
          "journey",
          "numbered_rounds",
          "round_by_round",
          "rounds",
          "steady",
          "tells",
          "two_branches",
          "two_patches"
        ]
      },
      "handlers": {},
      "activities": {
        "added": [],
        "removed": [],
        "same": []
      },
      "http": {
        "added": [],
        "removed": [],
        "same": []
      },
      "environment": {
        "added": [],
        "removed": [],
        "same": []
      },
      "secrets": {
        "added": [],
        "removed": [],
        "same": []
      },
      "openInstances": {
        "old": 2,
        "new": 0
      }
    }
    -- stderr --
    "#);
}

#[test]
fn a_version_alone_is_compared_with_the_active_one() {
    let host = under_way();
    host.run(&["deploy", &file(&host, "later"), "--version", "second", "--ramp", "10"]);
    let shown = diff(&host, &["second"]);
    assert!(shown.starts_with("exit code 1\n-- stdout --\nversion    first -> second\n"), "{shown}");
    insta::assert_snapshot!(diff(&host, &["first"]), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: first is the active version itself; give two versions: everturn deployment diff OLD first
    ");
    host.run(&["deployment", "rollback"]);
    host.run(&["deployment", "rollback"]);
    insta::assert_snapshot!(diff(&host, &["second"]), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: nothing in second has an active version; give two versions: everturn deployment diff OLD second
    ");
}

#[test]
fn what_cannot_be_compared_is_neither_the_same_nor_different() {
    let host = under_way();
    insta::assert_snapshot!(diff(&host, &["first", "nowhere"]), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: there is no version `nowhere`, only `first`; `everturn deployment list` shows them
    ");
    let shown = host.room.run(["deployment", "diff", "a", "b", "--host", "http://127.0.0.1:1"]);
    assert!(shown.starts_with("exit code 2"), "{shown}");
}

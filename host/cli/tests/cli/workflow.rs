//! `everturn workflow`, `deploy` and `deployment` against a host.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use everturn_tests::guests::APPROVAL;

use crate::serving::Serving;

#[test]
fn a_workflow_from_start_to_end() {
    let host = Serving::new();
    let mut shown = String::new();
    for arguments in [
        &["workflow", "start", "park", "--id", "p", "--input", "{\"a\": 1}", "--tag", "team=blue"][..],
        &["workflow", "show", "p"],
        &["workflow", "raise-event", "p", "go", "--data", "[1, 2]"],
        &["workflow", "wait", "p"],
        &["workflow", "history", "p"],
        &["workflow", "show", "p"],
    ] {
        shown += &format!("$ everturn {}\n{}\n", arguments.join(" "), host.run(arguments));
        host.sees("p", "timer for event go");
    }
    insta::assert_snapshot!(shown, @r#"
    $ everturn workflow start park --id p --input {"a": 1} --tag team=blue
    exit code 0
    -- stdout --
    p
    -- stderr --
    $ everturn workflow show p
    exit code 0
    -- stdout --
    id         p
    workflow   park
    version    one
    status     running
    created    0000-00-00T00:00:00.000Z
    updated    0000-00-00T00:00:00.000Z
    input      {"a": 1}
    history    3 events, SOME bytes, generation 0
    tags       team=blue
    -- stderr --
    $ everturn workflow raise-event p go --data [1, 2]
    exit code 0
    -- stdout --
    raised go to p
    -- stderr --
    $ everturn workflow wait p
    exit code 0
    -- stdout --
    [1,2]
    -- stderr --
    $ everturn workflow history p
    exit code 0
    -- stdout --
       1  0000-00-00T00:00:00.000Z  turn
       2  0000-00-00T00:00:00.000Z  started park with {"a": 1}
       3  0000-00-00T00:00:00.000Z  #0 timer for event go, never
       4  0000-00-00T00:00:00.000Z  turn
       5  0000-00-00T00:00:00.000Z  event go arrived with [1, 2]
       6  0000-00-00T00:00:00.000Z  completed -> [1,2]
    -- stderr --
    $ everturn workflow show p
    exit code 0
    -- stdout --
    id         p
    workflow   park
    version    one
    status     completed
    created    0000-00-00T00:00:00.000Z
    ended      0000-00-00T00:00:00.000Z
    input      {"a": 1}
    output     [1,2]
    history    6 events, SOME bytes, generation 0
    tags       team=blue
    -- stderr --
    "#);
}

#[test]
fn a_list_with_filters_and_pages() {
    let host = Serving::new();
    for id in ["a-1", "a-2", "b-1"] {
        host.stdout(&["workflow", "start", "doubles", "--id", id, "--input", "2", "--wait"]);
    }
    host.stdout(&["workflow", "start", "park", "--id", "b-2", "--in", "1h"]);
    insta::assert_snapshot!(host.run(&["workflow", "list"]), @r"
    exit code 0
    -- stdout --
    ID   WORKFLOW  STATUS     CREATED               UPDATED               EVENTS
    b-2  park      pending    0000-00-00T00:00:00Z  0000-00-00T00:00:00Z  0
    b-1  doubles   completed  0000-00-00T00:00:00Z  0000-00-00T00:00:00Z  3
    a-2  doubles   completed  0000-00-00T00:00:00Z  0000-00-00T00:00:00Z  3
    a-1  doubles   completed  0000-00-00T00:00:00Z  0000-00-00T00:00:00Z  3
    -- stderr --
    ");
    insta::assert_snapshot!(
        host.run(&["workflow", "list", "--status", "completed", "--workflow", "doubles", "--prefix", "a-", "--since", "1h"]),
        @r"
        exit code 0
        -- stdout --
        ID   WORKFLOW  STATUS     CREATED               UPDATED               EVENTS
        a-2  doubles   completed  0000-00-00T00:00:00Z  0000-00-00T00:00:00Z  3
        a-1  doubles   completed  0000-00-00T00:00:00Z  0000-00-00T00:00:00Z  3
        -- stderr --
        "
    );
    let first = host.run(&["workflow", "list", "--limit", "3"]);
    let token = first.split("--page ").nth(1).unwrap().split(' ').next().unwrap();
    let second = host.stdout(&["workflow", "list", "--limit", "3", "--page", token]);
    assert!(second.lines().count() == 2 && second.contains("a-1"), "{second}");
    let all = host.stdout(&["workflow", "list", "--all", "-o", "json"]);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&all).unwrap()["instances"].as_array().unwrap().len(), 4);
    insta::assert_snapshot!(host.run(&["workflow", "list", "--until", "2000-01-01T00:00:00Z"]), @r"
    exit code 0
    -- stdout --
    -- stderr --
    there is no such instance
    ");
}

#[test]
fn a_workflow_that_fails() {
    let host = Serving::new();
    insta::assert_snapshot!(host.run(&["workflow", "start", "fails_in_full", "--id", "f", "--wait"]), @r"
    exit code 1
    -- stdout --
    failed: CardDeclined: the card was declined; caused by BankSaidNo: code 51; caused by fmt::Error: an error occurred when formatting an argument
    -- stderr --
    ");
    insta::assert_snapshot!(host.run(&["workflow", "show", "f"]), @r"
    exit code 0
    -- stdout --
    id         f
    workflow   fails_in_full
    version    one
    status     failed
    created    0000-00-00T00:00:00.000Z
    ended      0000-00-00T00:00:00.000Z
    input      null
    failure    CardDeclined: the card was declined; caused by BankSaidNo: code 51; caused by fmt::Error: an error occurred when formatting an argument
    details    card 1234
    history    3 events, SOME bytes, generation 0
    -- stderr --
    ");
}

#[test]
fn output_for_programs() {
    let host = Serving::new();
    insta::assert_snapshot!(host.run(&["workflow", "start", "doubles", "--id", "d", "--input", "2", "-o", "json"]), @r#"
    exit code 0
    -- stdout --
    {
      "id": "d",
      "isNew": true
    }
    -- stderr --
    "#);
    let ended = host.stdout(&["workflow", "wait", "d", "-o", "json"]);
    let ended: serde_json::Value = serde_json::from_str(&ended).unwrap();
    assert_eq!((&ended["status"], &ended["output"]), (&"completed".into(), &serde_json::json!([2, 4])));
    let history = host.room.file("history.json", host.stdout(&["workflow", "history", "d", "-o", "json"]));
    let replayed = host.stdout(&["replay", everturn_tests::guests::TEST_GUESTS.path, history.to_str().unwrap()]);
    assert!(replayed.contains("the code matches"), "{replayed}");
}

fn doubled(input: &str) -> [&str; 6] {
    ["workflow", "start", "doubles", "--wait", "--input", input]
}

#[test]
fn inputs_come_from_files_and_stdin() {
    let host = Serving::new();
    let file = host.room.file("input.json", "21\n");
    assert_eq!(host.stdout(&doubled(&format!("@{}", file.display()))), "[21,42]\n");
    let mut child = host.everturn(&doubled("-")).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"4").unwrap();
    assert_eq!(child.wait_with_output().unwrap().stdout, b"[4,8]\n");
    insta::assert_snapshot!(host.run(&doubled("{oops")), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: --input: it is not JSON: key must be a string at line 1 column 2
    ");
    insta::assert_snapshot!(host.run(&doubled("@/nowhere.json")), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: --input: failed to read /nowhere.json: No such file or directory (os error 2)
    ");
}

#[test]
fn suspend_resume_terminate_rerun_and_purge() {
    let host = Serving::new();
    host.stdout(&["workflow", "start", "park", "--id", "p"]);
    let mut shown = String::new();
    for (arguments, seen) in [
        (&["workflow", "suspend", "p", "--reason", "lunch"][..], "suspended: lunch"),
        (&["workflow", "resume", "p"], "resumed"),
    ] {
        shown += &format!("$ everturn {}\n{}\n", arguments.join(" "), host.run(arguments));
        host.sees("p", seen);
    }
    for arguments in [
        &["workflow", "purge", "p"][..],
        &["workflow", "terminate", "p", "--result", "\"enough\""],
        &["workflow", "wait", "p"],
        &["workflow", "raise-event", "p", "go"],
        &["workflow", "rerun", "p", "--from", "9"],
        &["workflow", "rerun", "p", "--from", "0", "--new-id", "q"],
        &["workflow", "purge", "p"],
        &["workflow", "purge", "q", "--force"],
        &["workflow", "purge", "--status", "completed", "--older-than", "7d", "--yes"],
        &["workflow", "show", "p"],
    ] {
        shown += &format!("$ everturn {}\n{}\n", arguments.join(" "), host.run(arguments));
    }
    insta::assert_snapshot!(shown, @r#"
    $ everturn workflow suspend p --reason lunch
    exit code 0
    -- stdout --
    suspended p
    -- stderr --
    $ everturn workflow resume p
    exit code 0
    -- stdout --
    resumed p
    -- stderr --
    $ everturn workflow purge p
    exit code 1
    -- stdout --
    -- stderr --
    error: instance `p` has not ended (running); terminate it first
    $ everturn workflow terminate p --result "enough"
    exit code 0
    -- stdout --
    terminated p
    -- stderr --
    $ everturn workflow wait p
    exit code 1
    -- stdout --
    terminated: "enough"
    -- stderr --
    $ everturn workflow raise-event p go
    exit code 1
    -- stdout --
    -- stderr --
    error: instance `p` has ended (terminated): nothing reaches it any more
    $ everturn workflow rerun p --from 9
    exit code 1
    -- stdout --
    -- stderr --
    error: instance `p` cannot be run again from 9: its history has no activity, timer or child with that number
    $ everturn workflow rerun p --from 0 --new-id q
    exit code 0
    -- stdout --
    q
    -- stderr --
    $ everturn workflow purge p
    exit code 0
    -- stdout --
    purged 1 instance
    -- stderr --
    $ everturn workflow purge q --force
    exit code 0
    -- stdout --
    purged 1 instance
    -- stderr --
    $ everturn workflow purge --status completed --older-than 7d --yes
    exit code 0
    -- stdout --
    purged 0 instances
    -- stderr --
    $ everturn workflow show p
    exit code 1
    -- stdout --
    -- stderr --
    error: there is no instance `p`; `everturn workflow list` shows those there are
    "#);
}

#[test]
fn deletion_by_filter_is_confirmed() {
    let host = Serving::empty();
    let shown = host.run(&["workflow", "purge", "--status", "completed,failed", "--workflow", "park"]);
    insta::assert_snapshot!(shown, @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: this deletes all completed and failed instances of park; add --yes to do it
    ");
}

#[test]
fn a_wait_that_takes_too_long() {
    let host = Serving::new();
    host.stdout(&["workflow", "start", "park", "--id", "p"]);
    insta::assert_snapshot!(host.run(&["workflow", "wait", "p", "--timeout", "10ms"]), @r"
    exit code 1
    -- stdout --
    -- stderr --
    error: p has not ended within 10ms; it goes on
    ");
}

#[test]
fn a_history_is_followed_to_its_end() {
    let host = Serving::new();
    host.stdout(&["workflow", "start", "park", "--id", "p"]);
    let mut child = host.everturn(&["workflow", "history", "p", "--follow"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.by_ref().any(|line| line.contains("timer for event go, never")));
    host.stdout(&["workflow", "raise-event", "p", "go", "--data", "5"]);
    let rest: Vec<_> = lines.collect();
    assert!(rest[1].contains("event go arrived with 5") && rest[2].contains("completed -> 5"), "{rest:?}");
    assert!(child.wait().unwrap().success());
}

#[test]
fn deployments_are_listed() {
    let host = Serving::empty();
    insta::assert_snapshot!(host.run(&["deployment", "list"]), @r"
    exit code 0
    -- stdout --
    -- stderr --
    nothing is deployed; `everturn deploy` makes a component available
    ");
    insta::assert_snapshot!(host.run(&["deploy", APPROVAL.path, "--version", "v1", "--env", "A=b"]), @r"
    exit code 0
    -- stdout --
    version    v1
    digest     dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd
    workflows  approval
    gate       0 compatible, 0 diverged, 0 not checked
    outcome    v1 is active for new starts
    -- stderr --
    ");
    insta::assert_snapshot!(host.run(&["deployment", "list"]), @r"
    exit code 0
    -- stdout --
    VERSION  DIGEST        OPEN  DEPLOYED              WORKFLOWS  ACTIVITIES
    v1       dddddddddddd  0     0000-00-00T00:00:00Z  approval*  -
    -- stderr --
    * new starts and calls go there
    ");
    let listed: serde_json::Value = serde_json::from_str(&host.stdout(&["deployment", "list", "-o", "json"])).unwrap();
    assert_eq!(listed["deployments"][0]["grants"]["environment"], serde_json::json!({"A": "b"}));
}

#[test]
fn the_data_directory_keeps_what_was_started() {
    let mut host = Serving::new();
    host.stdout(&["workflow", "start", "park", "--id", "p"]);
    host.restart();
    host.stdout(&["workflow", "raise-event", "p", "go", "--data", "1"]);
    assert_eq!(host.stdout(&["workflow", "wait", "p"]), "1\n");
}

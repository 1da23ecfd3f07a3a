//! Waiting until all that moves to a version has moved.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};

use crate::serving::Serving;
use crate::versions::{file, under_way};

/// Deploys a version and waits; gives the command while it waits.
fn waiting(host: &Serving) -> Child {
    let file = file(host, "later");
    let mut command = host.everturn(&["deploy", &file, "--version", "second", "--wait"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.contains("2 open instances move to it at their next turn")));
    child
}

/// How a command ended, and what it had to say.
fn end(mut child: Child) -> String {
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    format!("exit code {}\n{said}", child.wait().unwrap().code().unwrap())
}

#[test]
fn a_deploy_that_waits_ends_when_all_have_moved_or_finished() {
    let host = under_way();
    let child = waiting(&host);
    host.run(&["workflow", "raise-event", "one", "depart"]);
    host.run(&["workflow", "terminate", "two"]);
    insta::assert_snapshot!(end(child), @r"
    exit code 0
    no open instance is left to move to second
    ");
    let again = host.run(&["deployment", "activate", "second", "--wait"]);
    insta::assert_snapshot!(again, @r"
    exit code 0
    -- stdout --
    gate       1 compatible, 0 diverged, 0 not checked
    outcome    second is active for new starts
               1 open instances move to it at their next turn
    -- stderr --
    no open instance is left to move to second
    ");
}

#[test]
fn a_wait_has_a_limit_and_undoes_nothing() {
    let host = under_way();
    let file = file(&host, "later");
    insta::assert_snapshot!(host.run(&["deploy", &file, "--version", "second", "--wait", "--timeout", "1ms"]), @r"
    exit code 1
    -- stdout --
    version    second
    digest     dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd
    workflows  generations, journey, numbered_rounds, round_by_round, rounds, steady, tells, two_branches, two_patches
    gate       2 compatible, 0 diverged, 0 not checked
    outcome    second is active for new starts
               2 open instances move to it at their next turn
    -- stderr --
    error: 2 of 2 open instances have not moved to second within 1ms; they do so at their next turn, and nothing is undone
    ");
    let list = host.run(&["deployment", "list"]);
    insta::assert_snapshot!(list, @r"
    exit code 0
    -- stdout --
    VERSION  DIGEST        OPEN  DEPLOYED              WORKFLOWS                                                     ACTIVITIES
    second   dddddddddddd  0     0000-00-00T00:00:00Z  generations*, journey*, numbered_rounds*, round_by_round*...  -
    first    dddddddddddd  2     0000-00-00T00:00:00Z  generations, journey, numbered_rounds, round_by_round, ro...  -
    -- stderr --
    * new starts and calls go there
    ");
}

#[test]
fn what_does_not_move_is_not_waited_for() {
    let host = under_way();
    let shown = host.run(&["deploy", &file(&host, "reordered"), "--version", "second", "--wait"]);
    assert!(shown.starts_with("exit code 0") && shown.contains("2 diverged"), "{shown}");
    assert!(shown.ends_with("no open instance is left to move to second"), "{shown}");
}

#[cfg(unix)]
#[test]
fn who_does_not_want_to_wait_any_longer_is_told_that_nothing_is_undone() {
    let host = under_way();
    let child = waiting(&host);
    let interrupt = format!("kill -INT {}", child.id());
    assert!(std::process::Command::new("sh").args(["-c", &interrupt]).status().unwrap().success());
    insta::assert_snapshot!(end(child), @r"
    exit code 130
    not waiting any longer: second is active, and what has not moved moves at its next turn
    ");
}

#[test]
fn a_version_that_is_undone_is_not_waited_for() {
    let host = under_way();
    let child = waiting(&host);
    host.run(&["deployment", "rollback"]);
    // Something has a turn, and so it is looked at.
    host.run(&["workflow", "raise-event", "one", "depart"]);
    insta::assert_snapshot!(end(child), @r"
    exit code 1
    error: second is not active any more for all its workflows; `everturn deployment list` shows what is
    ");
}

#[test]
fn there_has_to_be_something_to_wait_for() {
    let host = Serving::empty();
    let file = file(&host, "first");
    insta::assert_snapshot!(host.run(&["deploy", &file, "--wait", "--strategy", "pin"]), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: --wait cannot be used with --strategy pin: all open instances stay where they are
    ");
    insta::assert_snapshot!(host.run(&["deploy", &file, "--wait", "--dry-run"]), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: the argument '--wait' cannot be used with '--dry-run'

    Usage: everturn deploy --wait --host <URL> <COMPONENT>

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(host.run(&["deploy", &file, "--wait", "--ramp", "10"]), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: the argument '--wait' cannot be used with '--ramp <PERCENT>'

    Usage: everturn deploy --wait --host <URL> <COMPONENT>

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(host.run(&["deploy", &file, "--timeout", "10m"]), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: the following required arguments were not provided:
      --wait

    Usage: everturn deploy --wait --timeout <DURATION> --host <URL> <COMPONENT>

    For more information, try '--help'.
    ");
}

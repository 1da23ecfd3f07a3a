//! New versions from the command line: what one would do, doing it, and undoing it.

use everturn_tests::guests::in_version;

use crate::serving::Serving;

/// The file of the component in some version.
pub(crate) fn file(host: &Serving, version: &str) -> String {
    let name = format!("{version}.wasm");
    host.room.file(&name, in_version(version));
    host.room.path().join(name).to_str().unwrap().to_owned()
}

/// A host with the first version and two instances that have packed and wait.
pub(crate) fn under_way() -> Serving {
    let host = Serving::empty();
    host.run(&["deploy", &file(&host, "first"), "--version", "first"]);
    for id in ["one", "two"] {
        host.run(&["workflow", "start", "journey", "--id", id, "--input", "\"bag\""]);
        host.sees(id, "activity pack scheduled");
    }
    host
}

#[test]
fn a_dry_run_says_what_differs_and_changes_nothing() {
    let host = under_way();
    insta::assert_snapshot!(host.run(&["deploy", &file(&host, "reordered"), "--version", "second", "--dry-run"]), @r#"
    exit code 1
    -- stdout --
    version    second
    digest     dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd
    workflows  generations, journey, numbered_rounds, round_by_round, rounds, steady, tells, two_branches, two_patches
    gate       0 compatible, 2 diverged, 0 not checked
      2 instances of workflow journey: it does something else
        recorded  activity "pack"
        candidate activity "unpack"
        one at event 3
        two at event 3
    outcome    second would be active for new starts
               2 open instances would stay on the version that they are on
    -- stderr --
    "#);
    insta::assert_snapshot!(host.run(&["deployment", "list"]), @r"
    exit code 0
    -- stdout --
    VERSION  DIGEST        OPEN  DEPLOYED              WORKFLOWS                                                     ACTIVITIES
    first    dddddddddddd  2     0000-00-00T00:00:00Z  generations*, journey*, numbered_rounds*, round_by_round*...  -
    -- stderr --
    * new starts and calls go there
    ");
}

#[test]
fn a_version_takes_over_and_is_undone() {
    let host = under_way();
    insta::assert_snapshot!(host.run(&["deploy", &file(&host, "later"), "--version", "second"]), @r"
    exit code 0
    -- stdout --
    version    second
    digest     dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd
    workflows  generations, journey, numbered_rounds, round_by_round, rounds, steady, tells, two_branches, two_patches
    gate       2 compatible, 0 diverged, 0 not checked
    outcome    second is active for new starts
               2 open instances move to it at their next turn
    -- stderr --
    ");
    insta::assert_snapshot!(host.run(&["deployment", "show", "second"]), @r"
    exit code 0
    -- stdout --
    version    second
    digest     dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd
    deployed   0000-00-00T00:00:00Z
    workflows  generations*, journey*, numbered_rounds*, round_by_round*...
    activities -
    open       0
    checked    0000-00-00T00:00:00Z
    gate       2 compatible, 0 diverged, 0 not checked
    -- stderr --
    ");
    insta::assert_snapshot!(host.run(&["deployment", "rollback"]), @r"
    exit code 0
    -- stdout --
    undone: second
    new starts of generations go to first
    new starts of journey go to first
    new starts of numbered_rounds go to first
    new starts of round_by_round go to first
    new starts of rounds go to first
    new starts of steady go to first
    new starts of tells go to first
    new starts of two_branches go to first
    new starts of two_patches go to first
    -- stderr --
    ");
    insta::assert_snapshot!(host.run(&["deployment", "activate", "second", "--ramp", "10"]), @r"
    exit code 0
    -- stdout --
    gate       2 compatible, 0 diverged, 0 not checked
    outcome    second is on trial for 10 % of new starts
    -- stderr --
    ");
    insta::assert_snapshot!(host.run(&["workflow", "move", "one", "--version", "second"]), @r"
    exit code 0
    -- stdout --
    moved one to second
    -- stderr --
    ");
    host.sees("one", "moved from version first to second");
    insta::assert_snapshot!(host.run(&["deployment", "retire", "first"]), @r"
    exit code 1
    -- stdout --
    -- stderr --
    error: 1 open instances run on version `first` or are to move to it; `everturn workflow list` shows them: let them finish, move them or terminate them first
    ");
}

#[test]
fn a_version_that_cannot_run_what_is_open_does_not_become_active() {
    let host = under_way();
    insta::assert_snapshot!(host.run(&["deploy", &file(&host, "panics"), "--version", "second"]), @r"
    exit code 1
    -- stdout --
    version    second
    digest     dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd
    workflows  generations, journey, numbered_rounds, round_by_round, rounds, steady, tells, two_branches, two_patches
    gate       0 compatible, 2 diverged, 0 not checked
      2 instances of workflow journey: it is stopped
        recorded  the workflow waits
        candidate the workflow panicked: panicked at tests/guests/versions/src/lib.rs:33:21:
                  this version does not work
                  fix the code, or return an error where this is to be expected
        one
        two
    outcome    it is stored and NOT active: it cannot run what is open
               2 open instances stay on the version that they are on
    -- stderr --
    ");
}

#[test]
fn a_version_that_cannot_run_what_is_open_becomes_active_if_nothing_moves() {
    let host = under_way();
    let panics = file(&host, "panics");
    insta::assert_snapshot!(host.run(&["deploy", &panics, "--version", "second", "--strategy", "pin"]), @r"
    exit code 0
    -- stdout --
    version    second
    digest     dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd
    workflows  generations, journey, numbered_rounds, round_by_round, rounds, steady, tells, two_branches, two_patches
    gate       0 compatible, 2 diverged, 0 not checked
      2 instances of workflow journey: it is stopped
        recorded  the workflow waits
        candidate the workflow panicked: panicked at tests/guests/versions/src/lib.rs:33:21:
                  this version does not work
                  fix the code, or return an error where this is to be expected
        one
        two
    outcome    second is active for new starts
               it cannot run what is open, and need not: nothing moves to it
               2 open instances stay on the version that they are on
    -- stderr --
    ");
    insta::assert_snapshot!(host.run(&["deployment", "activate", "second", "--ramp", "10", "--dry-run"]), @r"
    exit code 1
    -- stdout --
    gate       0 compatible, 2 diverged, 0 not checked
      2 instances of workflow journey: it is stopped
        recorded  the workflow waits
        candidate the workflow panicked: panicked at tests/guests/versions/src/lib.rs:33:21:
                  this version does not work
                  fix the code, or return an error where this is to be expected
        one
        two
    outcome    second would be on trial for 10 % of new starts
               it cannot run what is open, and need not: nothing moves to it
               2 open instances would stay on the version that they are on
    -- stderr --
    ");
}

#[test]
fn a_version_whose_names_no_other_has_is_retired_if_they_may_go() {
    let host = Serving::empty();
    host.run(&["deploy", &file(&host, "first"), "--version", "first"]);
    insta::assert_snapshot!(host.run(&["deployment", "retire", "first"]), @r"
    exit code 1
    -- stdout --
    -- stderr --
    error: new starts or calls of `generations`, `journey`, `numbered_rounds`, `round_by_round`, `rounds`, `steady`, `tells`, `two_branches`, `two_patches` go to version `first`; activate another version that has them first, or give up what no other version has with --drop-names
    ");
    insta::assert_snapshot!(host.run(&["deployment", "retire", "first", "--drop-names"]), @r"
    exit code 0
    -- stdout --
    retired first
    -- stderr --
    warning: new starts or calls of `generations` lead nowhere now: no version has it
    warning: new starts or calls of `journey` lead nowhere now: no version has it
    warning: new starts or calls of `numbered_rounds` lead nowhere now: no version has it
    warning: new starts or calls of `round_by_round` lead nowhere now: no version has it
    warning: new starts or calls of `rounds` lead nowhere now: no version has it
    warning: new starts or calls of `steady` lead nowhere now: no version has it
    warning: new starts or calls of `tells` lead nowhere now: no version has it
    warning: new starts or calls of `two_branches` lead nowhere now: no version has it
    warning: new starts or calls of `two_patches` lead nowhere now: no version has it
    ");
    insta::assert_snapshot!(host.run(&["workflow", "start", "journey", "--id", "late"]), @r"
    exit code 1
    -- stdout --
    -- stderr --
    error: no deployment has a workflow `journey`; deploy a component that has it, connect a worker, or start another
    ");
}

#[test]
fn what_cannot_be_is_said() {
    let host = under_way();
    insta::assert_snapshot!(host.run(&["deployment", "show", "nowhere"]), @r"
    exit code 1
    -- stdout --
    -- stderr --
    error: there is no version `nowhere`, only `first`; `everturn deployment list` shows them
    ");
    insta::assert_snapshot!(host.run(&["deployment", "activate", "nowhere"]), @r"
    exit code 1
    -- stdout --
    -- stderr --
    error: there is no version `nowhere`, only `first`; `everturn deployment list` shows them
    ");
    insta::assert_snapshot!(host.run(&["workflow", "move", "one", "--version", "nowhere"]), @r"
    exit code 1
    -- stdout --
    -- stderr --
    error: there is no version `nowhere`, only `first`; `everturn deployment list` shows them
    ");
    insta::assert_snapshot!(host.run(&["deploy", &file(&host, "later"), "--gate", "some"]), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: invalid value 'some' for '--gate <WHICH>': write all, off, or sample=NUMBER

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(host.run(&["deploy", &file(&host, "later"), "--ramp", "100"]), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: invalid value '100' for '--ramp <PERCENT>': 100 is not in 1..=99

    For more information, try '--help'.
    ");
}

#[test]
fn an_instance_is_taken_back_in_its_history_and_its_history_says_so() {
    let host = under_way();
    host.run(&["workflow", "raise-event", "one", "depart"]);
    host.sees("one", "event depart arrived");
    host.run(&["deploy", &file(&host, "reordered"), "--version", "second"]);
    insta::assert_snapshot!(host.run(&["workflow", "reset", "one", "--to", "4", "--version", "second"]), @r#"
    exit code 1
    -- stdout --
    -- stderr --
    error: instance `one` cannot be reset to event 4: what is kept does not fit version `second`; reset it to event 3 to take that back too, or choose another version: workflow "journey" no longer fits the history of instance "one" at event 3 (sequence id 0)
      recorded: activity "pack"
      code now: activity "unpack"
    Either the code was changed before this point, or it is not deterministic. Put the change behind `patched`, or keep this instance on the version it ran on.
    "#);
    insta::assert_snapshot!(host.run(&["workflow", "reset", "one", "--to", "3", "--reason", "packed the wrong bag"]), @r"
    exit code 0
    -- stdout --
    reset one: 5 events taken back, goes on with version second
    -- stderr --
    ");
    host.sees("one", "activity unpack scheduled");
    insta::assert_snapshot!(host.run(&["workflow", "history", "one"]), @r#"
    exit code 0
    -- stdout --
       1  0000-00-00T00:00:00.000Z  turn
       2  0000-00-00T00:00:00.000Z  reset to event 3: 5 events taken back, goes on with version second: packed the wrong bag
       3  0000-00-00T00:00:00.000Z  started journey with "bag"
       4  0000-00-00T00:00:00.000Z  event depart arrived with null
       5  0000-00-00T00:00:00.000Z  #0 activity unpack scheduled with "bag"
    -- stderr --
    "#);
}

#[test]
fn what_cannot_be_taken_back_is_said() {
    let host = under_way();
    insta::assert_snapshot!(host.run(&["workflow", "reset", "one", "--to", "99"]), @r"
    exit code 1
    -- stdout --
    -- stderr --
    error: instance `one` cannot be reset to event 99: its history has events 1 to 3
    ");
    insta::assert_snapshot!(host.run(&["workflow", "reset", "one", "--to", "0"]), @r"
    exit code 1
    -- stdout --
    -- stderr --
    error: instance `one` cannot be reset to event 0: its history has events 1 to 3
    ");
    host.run(&["workflow", "terminate", "one"]);
    host.run(&["workflow", "wait", "one"]);
    insta::assert_snapshot!(host.run(&["workflow", "reset", "one", "--to", "1"]), @r"
    exit code 1
    -- stdout --
    -- stderr --
    error: instance `one` cannot be reset to event 1: it has ended (terminated); `everturn workflow rerun` runs it again, as a new one
    ");
    insta::assert_snapshot!(host.run(&["workflow", "reset", "nobody", "--to", "1"]), @r"
    exit code 1
    -- stdout --
    -- stderr --
    error: there is no instance `nobody`; `everturn workflow list` shows those there are
    ");
    insta::assert_snapshot!(host.run(&["workflow", "reset", "two"]), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: the following required arguments were not provided:
      --to <EVENT>

    Usage: everturn workflow reset --to <EVENT> --host <URL> <ID>

    For more information, try '--help'.
    ");
}

#[test]
fn help_for_reset() {
    let host = Serving::empty();
    insta::assert_snapshot!(host.run(&["workflow", "reset", "--help"]), @r#"
    exit code 0
    -- stdout --
    Take an open instance back in its history, under its id, and let it go on from there. One that is
    stalled goes on.

    The turn that has the event and all later ones are taken back. What others sent to it since comes
    again, in its order, and so do the answers to what it had asked for before. What it asked for since
    is given up; what that has done to the world stays.

    Usage: everturn workflow reset [OPTIONS] --to <EVENT> <ID>

    Arguments:
      <ID>
              The id of the instance

    Options:
          --to <EVENT>
              The number of an event, as `history` and the reason of a stall show it

          --version <LABEL>
              The version to go on with [default: the one that it follows, if what is kept fits that, or
              else its own]

          --reason <TEXT>
              Why, for its history

          --host <URL>
              The address of the host

              [env: EVERTURN_HOST]
              [default: http://127.0.0.1:4000]

      -o, --output <FORMAT>
              How to print the result. An error is always text, on stderr

              Possible values:
              - text: For people
              - json: For programs

              [default: text]

      -h, --help
              Print help (see a summary with '-h')

    Examples:
      everturn workflow reset order-1 --to 9
      everturn workflow reset order-1 --to 9 --version 2026-03-01 --reason "insured twice"
      everturn workflow reset order-1 --to 1     begins again, with the same input
    -- stderr --
    "#);
}

//! `--help`, mistakes in arguments, colours.

use everturn_tests::guests::APPROVAL;

use crate::room::Room;
use crate::story;

#[test]
fn help() {
    insta::assert_snapshot!(Room::new().run(["--help"]), @r"
    exit code 0
    -- stdout --
    Durable workflows as WebAssembly components

    Usage: everturn <COMMAND>

    Commands:
      demo         See it work: an order whose host is killed in the middle, and everything happens once
      new          Make a workflow crate that builds, tests and runs as it is, and print what to type
                   next
      serve        Run a host: it keeps workflows going until it is stopped, and after it is started
                   again
      dev          Run a host for a crate that you work on: it is built and deployed, and again whenever
                   its files change
      deploy       Make a component available on a host: new starts of the workflows inside go to it
      workflow     Start workflows, look at them, and tell them things
      deployment   Look at what is deployed, and change where new starts go
      build        Compile a workflow crate to a component and print the path of the .wasm file
      replay       Replay a history against a component and print the state it reached
      completions  Print what makes a shell complete this command
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help     Print help
      -V, --version  Print version
    -- stderr --
    ");
}

#[test]
fn help_for_replay() {
    insta::assert_snapshot!(Room::new().run(["replay", "--help"]), @r"
    exit code 0
    -- stdout --
    Replay a history against a component and print the state it reached.

    Nothing is executed but the workflow's own code: answers come from the history, and what the
    workflow asks for beyond it is printed. The name of the workflow is in the history.

    Usage: everturn replay [OPTIONS] <COMPONENT> <HISTORY.json>

    Arguments:
      <COMPONENT>
              A component: a .wasm file, or the directory of a workflow crate, which is then built first

      <HISTORY.json>
              A history: a JSON array of events

    Options:
      -o, --output <FORMAT>
              How to print the result. An error in arguments or files is always text, on stderr

              Possible values:
              - text: For people
              - json: For programs

              [default: text]

          --no-cache
              Compile the component anew, and do not keep the result

      -h, --help
              Print help (see a summary with '-h')

    Exit codes:
      0  the code does what the history says it did
      1  it does not, or it panicked, trapped or ran too long
      2  the arguments, the component or the history cannot be used

    Examples:
      everturn replay approval.wasm history.json
      everturn replay examples/approval examples/approval/tests/histories/approved.json
      everturn replay approval.wasm history.json -o json

    Environment:
      EVERTURN_CACHE_DIR  where compiled components are kept [default: the user's cache directory]
      NO_COLOR            no colours
    -- stderr --
    ");
}

#[test]
fn help_for_build() {
    insta::assert_snapshot!(Room::new().run(["build", "--help"]), @r"
    exit code 0
    -- stdout --
    Compile a workflow crate to a component and print the path of the .wasm file.

    The Rust target that this needs is installed by rustup if it is missing. What cargo has to say goes
    to stderr.

    Usage: everturn build [DIRECTORY]

    Arguments:
      [DIRECTORY]
              The directory of the crate

              [default: .]

    Options:
      -h, --help
              Print help (see a summary with '-h')

    Examples:
      everturn build
      everturn build examples/approval
    -- stderr --
    ");
}

#[test]
fn a_missing_argument() {
    insta::assert_snapshot!(Room::new().run(["replay", "component.wasm"]), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: the following required arguments were not provided:
      <HISTORY.json>

    Usage: everturn replay <COMPONENT> <HISTORY.json>

    For more information, try '--help'.
    ");
}

#[test]
fn an_unknown_format() {
    insta::assert_snapshot!(Room::new().run(["replay", "a", "b", "-o", "yaml"]), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: invalid value 'yaml' for '--output <FORMAT>'
      [possible values: text, json]

    For more information, try '--help'.
    ");
}

#[test]
fn colours_are_for_terminals_and_those_who_want_them() {
    let room = Room::new();
    let history = room.file("history.json", story::first(6));
    let run = |variable: &str| {
        let mut command = room.everturn(["replay".as_ref(), APPROVAL.path(), history.as_path()]);
        room.show(command.env(variable, "1"))
    };
    assert!(run("CLICOLOR_FORCE").contains('\u{1b}'));
    assert!(!run("NO_COLOR").contains('\u{1b}'));
}

#[test]
fn completions_know_the_commands() {
    let room = Room::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = String::from_utf8(room.everturn(["completions", shell]).output().unwrap().stdout).unwrap();
        assert!(script.contains("raise-event") && script.contains("retain-completed"), "{shell}");
    }
}

#[test]
fn every_command_has_help_with_examples() {
    let room = Room::new();
    let commands = [
        "serve",
        "dev",
        "new",
        "deploy",
        "build",
        "replay",
        "completions",
        "deployment list",
        "deployment show",
        "deployment diff",
        "deployment activate",
        "deployment rollback",
        "deployment retire",
        "workflow start",
        "workflow list",
        "workflow show",
        "workflow history",
        "workflow wait",
        "workflow raise-event",
        "workflow terminate",
        "workflow suspend",
        "workflow resume",
        "workflow purge",
        "workflow rerun",
    ];
    for command in commands {
        let help = room.run(command.split(' ').chain(["--help"]));
        assert!(help.contains("Examples:") && help.contains(&format!("everturn {command}")), "{help}");
    }
}

//! A host compiles in processes of their own: what a component does to its compiler does nothing to the host.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use everturn_tests::guests::{APPROVAL, TEST_GUESTS};

use crate::room::Room;
use crate::serving::{Serving, ready};

const EVERTURN: &str = env!("CARGO_BIN_EXE_everturn");

/// A host that has compiled nothing yet.
fn fresh(arguments: &[&str]) -> Serving {
    let room = Room::new();
    let (child, url) = serve(EVERTURN.as_ref(), &room, arguments);
    Serving { room, child, url }
}

fn serve(program: &Path, room: &Room, arguments: &[&str]) -> (Child, String) {
    let mut command = Command::new(program);
    command.args(["serve", "--http", "127.0.0.1:0", "--grpc", "none", "--data"]).arg(room.path().join("data"));
    command.args(arguments).env_remove("EVERTURN_CACHE_DIR").stderr(Stdio::null());
    ready(&mut command)
}

fn cache(host: &Serving) -> PathBuf {
    host.room.path().join("data").join("components")
}

/// How many compiled components are kept.
fn kept(host: &Serving) -> usize {
    let paths = fs::read_dir(cache(host)).unwrap().map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "compiled")).count()
}

/// The file of a component that passes for one with activities, until it is compiled.
fn component(host: &Serving, function: &str) -> String {
    let text = format!(
        "(component
           (core module {function})
           (instance $activities)
           (export \"everturn:activity/activities@0.1.0\" (instance $activities)))"
    );
    host.room.file("component.wasm", wat::parse_str(text).unwrap()).to_str().unwrap().to_owned()
}

#[cfg(target_os = "linux")]
#[test]
fn a_component_that_takes_all_memory_is_refused_and_the_host_goes_on() {
    // Given a compiler with memory enough for what people write, and one function with more calls than fit into it,
    let host = fresh(&["--compile-memory", "512"]);
    let calls = "(local.set 0 (call $again (local.get 0)))".repeat(400_000);
    let large = component(&host, &format!("(func $again (param i32) (result i32) {calls} (local.get 0))"));

    insta::assert_snapshot!(host.run(&["deploy", &large]), @r"
    exit code 1
    -- stdout --
    -- stderr --
    error: the component cannot be deployed: compiling the component needed more memory than 512 MiB; split its largest functions, leave out what it does not need, or give its host more (`everturn serve --compile-memory`)
    ");
    assert_eq!(kept(&host), 0);

    // Then others are deployed and run as ever.
    host.stdout(&["deploy", TEST_GUESTS.path]);
    assert_eq!(kept(&host), 1);
    host.stdout(&["workflow", "start", "park", "--id", "p", "--input", "null"]);
    host.stdout(&["workflow", "raise-event", "p", "go", "--data", "7"]);
    assert_eq!(host.stdout(&["workflow", "wait", "p"]), "7\n");
}

#[test]
fn a_component_that_takes_too_long_is_refused_and_the_host_goes_on() {
    let host = fresh(&["--compile-time", "1ms"]);
    insta::assert_snapshot!(host.run(&["deploy", APPROVAL.path]), @r"
    exit code 1
    -- stdout --
    -- stderr --
    error: the component cannot be deployed: compiling the component took longer than 1ms; split its largest functions, leave out what it does not need, or give its host more time (`everturn serve --compile-time`)
    ");
    assert_eq!(kept(&host), 0);
    host.stdout(&["deployment", "list"]);
}

#[test]
fn what_only_a_compiler_finds_is_told_in_its_words() {
    let host = fresh(&[]);
    let invalid = component(&host, "(func (result i32) (i64.const 1))");
    insta::assert_snapshot!(host.run(&["deploy", &invalid]), @r"
    exit code 1
    -- stdout --
    -- stderr --
    error: the component cannot be deployed: the component is not valid (failed to compile: wasm[0]::function[0]: WebAssembly translation error: Invalid input WebAssembly code at offset 36: type mismatch: expected i32, found i64); build it again with a current toolchain
    ");
    assert_eq!(kept(&host), 0);
}

#[test]
fn a_host_that_lost_its_cache_compiles_again_and_goes_on() {
    let mut host = fresh(&[]);
    host.stdout(&["deploy", TEST_GUESTS.path]);
    host.stdout(&["workflow", "start", "park", "--id", "p", "--input", "null"]);
    host.sees("p", "timer for event go");

    host.child.kill().unwrap();
    host.child.wait().unwrap();
    fs::remove_dir_all(cache(&host)).unwrap();
    (host.child, host.url) = serve(EVERTURN.as_ref(), &host.room, &[]);

    host.stdout(&["workflow", "raise-event", "p", "go", "--data", "7"]);
    assert_eq!(host.stdout(&["workflow", "wait", "p"]), "7\n");
    assert_eq!(kept(&host), 1);
}

#[cfg(target_os = "linux")]
#[test]
fn a_host_compiles_when_its_program_was_replaced() {
    // Beside the real one, so that it can be a link to it.
    let place = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let program = place.path().join("everturn");
    fs::hard_link(EVERTURN, &program).unwrap();
    let room = Room::new();
    let (child, url) = serve(&program, &room, &[]);
    let host = Serving { room, child, url };
    fs::remove_file(&program).unwrap();
    fs::write(&program, "another version").unwrap();

    host.stdout(&["deploy", APPROVAL.path]);
    assert_eq!(kept(&host), 1);
}

#[test]
fn a_person_who_starts_a_compiler_is_told_what_it_is() {
    insta::assert_snapshot!(Room::new().run(["compile-component"]), @r"
    exit code 1
    -- stdout --
    -- stderr --
    hosts start this, with numbers for what it may take; it is of no use to people
    ");
}

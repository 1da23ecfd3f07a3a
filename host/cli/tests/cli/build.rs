//! `everturn build`, and what it does when the toolchain lacks the WebAssembly target.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::room::Room;

/// A crate without dependencies that compiles to a component.
fn crate_in(room: &Room) {
    room.file(
        "guest/Cargo.toml",
        "[package]\nname = \"guest\"\nedition = \"2024\"\n[lib]\ncrate-type = [\"cdylib\"]\n",
    );
    room.file("guest/src/lib.rs", "#[unsafe(no_mangle)] pub extern \"C\" fn answer() -> i32 { 42 }");
}

/// A program in the room's `bin`: a shell script.
fn program(room: &Room, name: &str, script: &str) {
    let path = room.file(&format!("bin/{name}"), format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A toolchain that says it lacks the target, and else does what it does.
fn build_without_target(room: &Room) -> Command {
    crate_in(room);
    program(room, "rustc", r#"case "$*" in *target-libdir*) echo /nowhere ;; *) exec "$REAL_RUSTC" "$@" ;; esac"#);
    let mut command = room.everturn([Path::new("build"), &room.path().join("guest")]);
    command.env("RUSTC", room.path().join("bin/rustc")).env("REAL_RUSTC", real_rustc());
    command
}

fn real_rustc() -> String {
    let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output().unwrap().stdout;
    format!("{}/bin/rustc", String::from_utf8(sysroot).unwrap().trim_end())
}

#[test]
fn it_prints_the_path_of_the_component_and_nothing_else() {
    let room = Room::new();
    crate_in(&room);
    let output = room.everturn([Path::new("build"), &room.path().join("guest")]).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let path = Path::new(printed.strip_suffix('\n').unwrap());
    assert!(fs::read(path).unwrap().starts_with(b"\0asm"), "{printed}");
}

#[test]
fn a_directory_that_is_no_crate() {
    let room = Room::new();
    insta::assert_snapshot!(room.run([Path::new("build"), &room.path()]), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: ROOM holds no Cargo.toml: give the directory of a workflow crate
    ");
}

#[test]
fn a_missing_target_is_installed() {
    let room = Room::new();
    let mut command = build_without_target(&room);
    program(&room, "rustup", &format!("echo \"$@\" > {}/asked", room.path().display()));
    let path = format!("{}/bin:{}", room.path().display(), std::env::var("PATH").unwrap());
    let output = command.env("PATH", path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(fs::read_to_string(room.path().join("asked")).unwrap(), "target add wasm32-wasip2\n");
}

#[test]
fn a_target_that_cannot_be_installed_is_answered_with_the_command_to_run() {
    let room = Room::new();
    let mut command = build_without_target(&room);
    program(&room, "rustup", "exit 1");
    let path = format!("{}/bin:{}", room.path().display(), std::env::var("PATH").unwrap());
    insta::assert_snapshot!(room.show(command.env("PATH", path)), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: rustup could not install the Rust target wasm32-wasip2 (exit status: 1): run `rustup target add wasm32-wasip2`
    ");
}

#[test]
fn a_missing_target_without_rustup_is_answered_with_the_command_to_run() {
    let room = Room::new();
    let mut command = build_without_target(&room);
    insta::assert_snapshot!(room.show(command.env("PATH", "/nowhere")), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: the Rust target wasm32-wasip2 is not installed: run `rustup target add wasm32-wasip2`
    ");
}

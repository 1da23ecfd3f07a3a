//! `everturn serve` and `everturn dev`: how hosts begin and end.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{ChildStderr, Stdio};

use crate::room::Room;
use crate::serving::{Serving, ready};

#[cfg(unix)]
#[test]
fn a_host_stops_gracefully_and_says_so_to_those_who_wait() {
    for signal in ["TERM", "INT"] {
        let mut host = Serving::new();
        host.stdout(&["workflow", "start", "park", "--id", "p"]);
        let mut following = host.everturn(&["workflow", "history", "p", "--follow"]);
        let mut following = following.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(following.stdout.take().unwrap()).lines().map(Result::unwrap);
        assert!(lines.any(|line| line.contains("timer for event go")));
        assert_eq!(host.signal(signal), Some(0), "{signal}");
        let ended = following.wait_with_output().unwrap();
        let told = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(1));
        // Which one depends on whether it was just asking for more.
        let either = ["the host stopped", "no host at", "cannot talk to the host", "the host is stopping"];
        assert!(either.iter().any(|words| told.contains(words)), "{told}");
    }
}

#[test]
fn a_port_in_use() {
    let host = Serving::empty();
    let room = Room::new();
    let address = host.url.trim_start_matches("http://");
    let shown = room.run(["serve", "--http", address, "--data", room.path().to_str().unwrap()]);
    insta::assert_snapshot!(shown.replace(address, "ADDRESS"), @r"
    exit code 1
    -- stdout --
    -- stderr --
    error: ADDRESS is in use; stop what listens there, or choose another port
    ");
}

#[test]
fn an_address_that_others_reach() {
    let room = Room::new();
    let data = room.path();
    insta::assert_snapshot!(room.run(["serve", "--http", "0.0.0.0:4000", "--data", data.to_str().unwrap()]), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: --http: 0.0.0.0:4000 can be reached from other machines, and what is sent there is not encrypted; use a loopback address such as 127.0.0.1:4000
    ");
    insta::assert_snapshot!(room.run(["serve", "--http", "4000", "--data", data.to_str().unwrap()]), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: invalid value '4000' for '--http <ADDRESS>': write it as ADDRESS:PORT, such as 127.0.0.1:4000

    For more information, try '--help'.
    ");
}

#[test]
fn a_data_directory_that_another_host_uses() {
    let host = Serving::empty();
    let data = host.room.path().join("data");
    let shown = host.room.run(["serve", "--http", "127.0.0.1:0", "--data", data.to_str().unwrap()]);
    insta::assert_snapshot!(shown, @r"
    exit code 1
    -- stdout --
    -- stderr --
    error: another host uses ROOM/data/everturn.db; stop that one, or give this one a data directory of its own
    ");
}

#[test]
fn data_that_cannot_be_used() {
    let room = Room::new();
    let serve = |data: &Path| room.run(["serve", "--http", "127.0.0.1:0", "--data", data.to_str().unwrap()]);
    room.file("data/everturn.db", "this is no database, however long one looks at it".repeat(100));
    insta::assert_snapshot!(serve(&room.path().join("data")), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: ROOM/data/everturn.db is damaged (file is not a database; SQLite code 26); restore it from a backup, or move it away to begin with an empty one
    ");
    let file = room.file("file", "");
    insta::assert_snapshot!(serve(&file), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: the data directory ROOM/file cannot be used: File exists (os error 17)
    ");
}

#[test]
fn a_log_that_cannot_be_written_so() {
    let room = Room::new();
    let mut command = room.everturn(["serve", "--data", room.path().to_str().unwrap()]);
    insta::assert_snapshot!(room.show(command.env("EVERTURN_LOG", "everturn=loud")), @r#"
    exit code 2
    -- stdout --
    -- stderr --
    error: EVERTURN_LOG: write it as info, debug or info,everturn_runtime=debug: error parsing level filter: expected one of "off", "error", "warn", "info", "debug", "trace", or a number 0-5
    "#);
}

/// A workflow crate without dependencies outside of this repository. Its name is its own: tests share a target directory.
fn crate_in(room: &Room) -> std::path::PathBuf {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let sdk = fs::canonicalize(format!("{root}/guest-sdk")).unwrap();
    let manifest = format!(
        "[package]\nname = \"salutation\"\nedition = \"2024\"\n[lib]\ncrate-type = [\"cdylib\"]\n\
         [dependencies]\neverturn-sdk = {{ path = {:?} }}\n[workspace]\n",
        sdk.display().to_string()
    );
    room.file("greeting/Cargo.toml", manifest);
    // The versions that are here already, so that this test needs no network.
    room.file("greeting/Cargo.lock", fs::read(format!("{root}/Cargo.lock")).unwrap());
    room.file("greeting/src/lib.rs", workflow("hello"));
    room.path().join("greeting")
}

fn workflow(greeting: &str) -> String {
    format!(
        "//! Greets.\nuse everturn_sdk::prelude::*;\n\
         #[workflow]\nasync fn greet(_ctx: Ctx) -> Result<&'static str> {{ Ok(\"{greeting}\") }}\n"
    )
}

/// Reads the log up to a line that holds this.
fn until(log: &mut BufReader<ChildStderr>, wanted: &str) {
    let mut seen = String::new();
    loop {
        let mut line = String::new();
        assert!(log.read_line(&mut line).unwrap() > 0, "{wanted:?} is not in the log: {seen}");
        if line.contains(wanted) {
            return;
        }
        seen += &line;
    }
}

#[test]
fn a_crate_is_deployed_again_when_its_files_change() {
    let room = Room::new();
    let directory = crate_in(&room);
    let mut command = room.everturn(["dev", directory.to_str().unwrap(), "--http", "127.0.0.1:0", "--data"]);
    command.arg(room.path().join("data")).env("CARGO_NET_OFFLINE", "true").env("NO_COLOR", "1");
    command.env("CARGO_TARGET_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/guests"));
    let (mut child, url) = ready(command.stderr(Stdio::piped()));
    let mut log = BufReader::new(child.stderr.take().unwrap());
    let host = Serving { room, child, url };
    let greet = || host.stdout(&["workflow", "start", "greet", "--wait"]);

    until(&mut log, "version=\"dev-1\"");
    assert_eq!(greet(), "\"hello\"\n");

    host.room.file("greeting/src/lib.rs", workflow("good day"));
    until(&mut log, "version=\"dev-2\"");
    assert_eq!(greet(), "\"good day\"\n");

    host.room.file("greeting/src/lib.rs", "this is no Rust");
    until(&mut log, "not deployed");
    assert_eq!(greet(), "\"good day\"\n");

    host.room.file("greeting/src/lib.rs", workflow("hello"));
    until(&mut log, "version=\"dev-1\"");
    assert_eq!(greet(), "\"hello\"\n");
}

#[test]
fn dev_needs_a_crate() {
    let room = Room::new();
    insta::assert_snapshot!(room.run(["dev", room.path().to_str().unwrap()]), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: ROOM holds no Cargo.toml: give the directory of a workflow crate
    ");
}

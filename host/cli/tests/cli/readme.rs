//! The first workflow of the README, followed to the letter.

use std::fs;

use crate::room::Room;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The first block of the README in a language.
fn block(language: &str) -> String {
    let readme = fs::read_to_string(format!("{ROOT}/README.md")).unwrap();
    let block = readme.split(&format!("```{language}\n")).nth(1).and_then(|rest| rest.split("```").next());
    block.unwrap().to_owned()
}

#[test]
fn the_first_workflow_of_the_readme_builds_and_replays() {
    let room = Room::new();
    let sdk = fs::canonicalize(format!("{ROOT}/guest-sdk")).unwrap();
    let manifest = block("toml").replace("../everturn/guest-sdk", sdk.to_str().unwrap());
    assert!(manifest.contains(sdk.to_str().unwrap()), "the README names the SDK's directory otherwise");
    room.file("greeting/Cargo.toml", manifest);
    room.file("greeting/src/lib.rs", block("rust"));
    // The versions that are here already, so that this test needs no network.
    room.file("greeting/Cargo.lock", fs::read(format!("{ROOT}/Cargo.lock")).unwrap());
    let history = room.file("history.json", block("json"));

    let mut command = room.everturn([&"replay".into(), &room.path().join("greeting"), &history]);
    command.env("CARGO_NET_OFFLINE", "true").env("CARGO_TARGET_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/guests"));
    let shown = room.show(&mut command);

    // What cargo prints on the way is its own.
    insta::assert_snapshot!(shown.split("-- stderr --").next().unwrap(), @r#"
    exit code 0
    -- stdout --
    workflow  greet
    instance  greeting-1
    history   5 events, the code matches
    status    RUNNING, waits for 1 answer
    next      call activity send_greeting with ["en","Ada"]
    cancelled sequence id 0
    "#);
}

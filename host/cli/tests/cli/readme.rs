//! The first workflow of the README, followed to the letter.

use std::fs;
use std::process::Command;

use crate::serving::Serving;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The blocks of the README in a language.
fn blocks(language: &str) -> Vec<String> {
    let readme = fs::read_to_string(format!("{ROOT}/README.md")).unwrap();
    let fence = format!("```{language}\n");
    let blocks = readme.split(&fence).skip(1).map(|rest| rest.split("```").next().unwrap());
    let blocks: Vec<_> = blocks.map(str::to_owned).collect();
    assert!(!blocks.is_empty(), "the README has no block of {language}");
    blocks
}

/// The commands of the README and what it says that they print.
fn session() -> Vec<(String, String)> {
    let text = blocks("console").concat();
    let commands = text.split("$ ").skip(1).map(|part| part.split_once('\n').unwrap());
    commands.map(|(command, printed)| (command.to_owned(), printed.to_owned())).collect()
}

/// Makes the crate of the README, beside where somebody has this repository.
fn make_crate(host: &Serving) {
    let made = blocks("sh").concat().lines().any(|line| line == "everturn new ../greeting && cd ../greeting");
    assert!(made, "the README makes the crate otherwise");
    let mut command = host.everturn(&["new", "greeting"]);
    let output = command.env_remove("EVERTURN_SDK").current_dir(host.room.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let code = fs::read_to_string(host.room.path().join("greeting/src/lib.rs")).unwrap();
    for block in blocks("rust") {
        assert!(code.contains(&block), "the crate that is made does not have this:\n{block}");
    }
}

/// A command line of somebody in the directory of the crate.
fn shell(host: &Serving, line: &str) -> Command {
    let everturn = host.everturn(&[]);
    let mut command = Command::new("sh");
    command.args(["-c", &line.replacen("everturn", env!("CARGO_BIN_EXE_everturn"), 1)]);
    command.envs(everturn.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("CARGO_NET_OFFLINE", "true").env("CARGO_TARGET_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/guests"));
    command.current_dir(host.room.path().join("greeting"));
    command
}

#[test]
fn the_first_workflow_of_the_readme_runs_and_replays() {
    let host = Serving::empty();
    make_crate(&host);
    // What `everturn dev` does, without watching.
    let deployed = shell(&host, "everturn deploy .").output().unwrap();
    assert!(deployed.status.success(), "{}", String::from_utf8_lossy(&deployed.stderr));

    let mut said = Vec::new();
    for (line, printed) in session() {
        let output = shell(&host, &line).output().unwrap();
        let stdout = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(printed.trim().is_empty() || stdout == printed, "{line} prints {stdout:?}, not {printed:?}");
        said.push(stdout);
    }
    assert!(said.iter().any(|said| said.contains("the code matches")), "{said:?}");
}

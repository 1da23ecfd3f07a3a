//! What the page for users says, followed to the letter.

use std::fs;
use std::process::Command;

use crate::host::Host;
use crate::install::program;
use crate::process::Process;
use crate::sdk::{DAPR_1_19, Dialect};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/durable-task.md");

/// The first block of the page in a language.
fn block(language: &str) -> String {
    let page = fs::read_to_string(PAGE).unwrap();
    let block = page.split(&format!("```{language}\n")).nth(1).and_then(|rest| rest.split("```").next());
    block.unwrap_or_else(|| panic!("the page has no block of {language}")).to_owned()
}

#[test]
fn the_worker_of_the_page_works() {
    let directory = tempfile::tempdir().unwrap();
    let host = Host::start(directory.path());
    let file = directory.path().join("cards.py");
    fs::write(&file, block("python")).unwrap();
    // The SDK that the page says to install, as it is installed for all tests.
    let version = block("console").lines().find_map(|line| line.strip_prefix("$ pip install ").map(str::to_owned));
    assert_eq!(version.as_deref(), DAPR_1_19.packages.first().copied());
    let mut command = Command::new(program(&DAPR_1_19).get_program());
    let worker =
        Process::start("cards", command.arg(file).env("EVERTURN_GRPC", host.address(Dialect::Dapr)), directory.path());
    assert_eq!(worker.line(), "ready");
    let session = block("console");
    let commands = session.split("$ ").skip(1).filter(|part| part.starts_with("everturn "));
    for part in commands {
        let (line, printed) = part.split_once('\n').unwrap();
        let said = host.command(line);
        assert!(printed.is_empty() || said == printed, "{line} printed {said:?}");
    }
}

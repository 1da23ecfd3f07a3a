//! The program as somebody would run it: twice, in one directory.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::path::Path;
use std::process::Command;

fn run(directory: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_embedded")).current_dir(directory).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn what_was_decided_once_stays_decided() {
    let directory = tempfile::tempdir().unwrap();
    let first = run(directory.path());
    assert!(first.contains("to \"Grace\""), "{first}");
    assert!(first.ends_with("loom: {\"status\":\"approved\",\"by\":\"Grace\"}\n"), "{first}");
    let second = run(directory.path());
    assert_eq!(second, "loom: {\"status\":\"approved\",\"by\":\"Grace\"}\n", "nobody is asked again");
}

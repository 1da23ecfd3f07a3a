//! `everturn new`: what it makes, what it refuses, and that what it makes can be tested and run as it is.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::room::Room;
use crate::serving::Serving;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Dependencies that make cargo choose the features which the crates below the engine have in our own build, so that it
/// is not compiled a second time for this test. It would take minutes, and show nothing.
const FEATURES_OF_OUR_BUILD: &str = r#"
anyhow = "1"
memchr = "2"
once_cell = "1"
serde = { version = "1", features = ["derive"] }
serde_json = { version = "1", features = ["raw_value"] }
"#;

/// The command in a room, with a path that has it, or has not.
fn everturn(room: &Room, path: &str, arguments: &[&str]) -> Command {
    let mut command = room.everturn([&["new"], arguments].concat());
    command.env_remove("EVERTURN_SDK").env("PATH", path).current_dir(room.path());
    command
}

/// A directory that has the command.
fn installed() -> &'static str {
    Path::new(env!("CARGO_BIN_EXE_everturn")).parent().unwrap().to_str().unwrap()
}

/// Runs it and shows what it did, wherever this repository is.
fn run(room: &Room, arguments: &[&str]) -> String {
    let shown = room.show(&mut everturn(room, installed(), arguments));
    shown.replace(checkout().to_str().unwrap(), "CHECKOUT")
}

fn checkout() -> PathBuf {
    fs::canonicalize(ROOT).unwrap()
}

/// All files in a directory, as paths from there.
fn tree(directory: &Path) -> BTreeSet<String> {
    let mut files = BTreeSet::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            files.extend(tree(&path).iter().map(|inside| format!("{name}/{inside}")));
        } else {
            files.insert(name.to_owned());
        }
    }
    files
}

/// The names of the examples that are templates: all that have tests and are a component.
fn templates() -> Vec<String> {
    let examples = fs::read_dir(checkout().join("examples")).unwrap().map(|entry| entry.unwrap().path());
    let is_template =
        |path: &PathBuf| fs::read_to_string(path.join("Cargo.toml")).is_ok_and(|manifest| manifest.contains("cdylib"));
    let names = examples.filter(is_template).map(|path| path.file_name().unwrap().to_str().unwrap().to_owned());
    names.filter(|name| name != "order").collect()
}

/// Makes a crate and gives its directory and what was printed. It has the same place in every run, so that cargo does not
/// keep what it compiled for those before. That place is inside our own workspace.
fn made(name: &str, template: &str) -> (PathBuf, Value) {
    let room = Room::new();
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new").join(name);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(directory.parent().unwrap()).unwrap();
    let arguments = [directory.to_str().unwrap(), "--template", template, "-o", "json"];
    let output = everturn(&room, installed(), &arguments).output().unwrap();
    assert!(output.status.success(), "{template}: {}", String::from_utf8_lossy(&output.stderr));
    (directory, serde_json::from_slice(&output.stdout).unwrap())
}

/// What it says to type in the other terminal.
fn session(printed: &Value) -> Vec<String> {
    let steps = printed["next"].as_array().unwrap();
    let commands = steps.last().unwrap()["commands"].as_array().unwrap();
    commands.iter().map(|command| command.as_str().unwrap().to_owned()).collect()
}

/// A command line, to be typed in a directory.
fn shell(host: &Serving, directory: &Path, line: &str) -> Command {
    let everturn = host.everturn(&[]);
    let mut command = Command::new("sh");
    command.args(["-c", &line.replacen("everturn", env!("CARGO_BIN_EXE_everturn"), 1)]).current_dir(directory);
    command.envs(everturn.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("CARGO_NET_OFFLINE", "true").env("CARGO_TARGET_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/guests"));
    command
}

/// Deploys a crate, with what it is granted where `everturn new` says how to run a host for it.
fn deploy(host: &Serving, directory: &Path, printed: &Value) {
    let steps = printed["next"].as_array().unwrap();
    let command = steps[1]["commands"][0].as_str().unwrap();
    printed_by(host, directory, &command.replacen("everturn dev", "everturn deploy .", 1));
}

/// What a command line prints.
fn printed_by(host: &Serving, directory: &Path, line: &str) -> String {
    let output = shell(host, directory, line).output().unwrap();
    assert!(output.status.success(), "{line} in {}: {}", directory.display(), String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn it_makes_a_crate_and_says_what_to_type_next() {
    let room = Room::new();
    insta::assert_snapshot!(run(&room, &["greeting"]), @r#"
    exit code 0
    -- stdout --
    made greeting from the template hello

    Test it; the first time this compiles the engine, which takes some minutes:
      cd greeting
      cargo test

    Run a host for it, and leave it running; it deploys the crate, and again whenever you change it:
      everturn dev

    When it says deployed, start an instance in another terminal, and look at it:
      everturn workflow start hello --id first --input '"Ada"'
      everturn workflow raise-event first answer --data '"Good morning"'
      everturn workflow wait first
      everturn workflow history first
    -- stderr --
    "#);
    assert_eq!(fs::read_dir(room.path()).unwrap().count(), 1, "something was left beside it");
    let files: Vec<_> = tree(&room.path().join("greeting")).into_iter().collect();
    insta::assert_snapshot!(files.join("\n"), @r#"
    .cargo/config.toml
    .gitignore
    Cargo.lock
    Cargo.toml
    README.md
    rust-toolchain.toml
    src/lib.rs
    tests/hello.rs
    tests/histories/answered.json
    tests/histories/unanswered.json
    "#);
    let manifest = fs::read_to_string(room.path().join("greeting/Cargo.toml")).unwrap();
    insta::assert_snapshot!(manifest.replace(checkout().to_str().unwrap(), "CHECKOUT"), @r#"
    [package]
    name = "greeting"
    version = "0.1.0"
    edition = "2024"
    publish = false

    [lib]
    # cdylib: what becomes the component. rlib: so that tests can use its types.
    crate-type = ["cdylib", "rlib"]

    [dependencies]
    everturn-sdk = { path = "CHECKOUT/guest-sdk" }

    [dev-dependencies]
    everturn-test = { path = "CHECKOUT/host/testkit" }

    # A workspace of its own, also when it lies inside of another.
    [workspace]
    "#);
}

#[test]
fn who_has_no_everturn_on_the_path_is_told_how_to_get_it() {
    let room = Room::new();
    let shown = room.show(&mut everturn(&room, "/nowhere", &["greeting"]));
    let install = format!("  cargo install --locked --path {}\n", checkout().join("host/cli").display());
    assert!(shown.contains(&install), "{shown}");
}

#[test]
fn names_that_cannot_be() {
    let room = Room::new();
    room.file("taken/file", "mine");
    let names = [".", "..", "9lives", "grüße", "a b", "match", "proc-macro", "serde-json", "everturn-sdk", "taken"];
    let shown: Vec<_> = names.iter().chain(&["no/greeting", "taken/file"]).map(|name| run(&room, &[name])).collect();
    assert!(shown.iter().all(|shown| shown.starts_with("exit code 2\n-- stdout --\n-- stderr --\n")), "{shown:#?}");
    let errors: Vec<_> = shown.iter().map(|shown| shown.lines().last().unwrap()).collect();
    insta::assert_snapshot!(errors.join("\n"), @r#"
    error: `.` names no new directory: give one, such as `everturn new greeting`
    error: `..` names no new directory: give one, such as `everturn new greeting`
    error: `9lives` cannot be the name of a crate: it must begin with a letter and consist of letters, digits, - and _
    error: `grüße` cannot be the name of a crate: it must begin with a letter and consist of letters, digits, - and _
    error: `a b` cannot be the name of a crate: it must begin with a letter and consist of letters, digits, - and _
    error: `match` cannot be the name of a crate: Rust has another meaning for it
    error: `proc-macro` cannot be the name of a crate: Rust has another meaning for it
    error: `serde-json` cannot be the name of a crate: it is that of a crate which workflow crates use
    error: `everturn-sdk` cannot be the name of a crate: it is that of a crate which workflow crates use
    error: taken is there already: choose another name
    error: no/greeting cannot be made in no: No such file or directory (os error 2)
    error: taken/file is there already: choose another name
    "#);
    assert_eq!(tree(&room.path()), BTreeSet::from(["taken/file".to_owned()]), "something was left");
}

#[test]
fn a_checkout_that_is_none() {
    let room = Room::new();
    insta::assert_snapshot!(run(&room, &["greeting", "--sdk", "."]), @r#"
    exit code 2
    -- stdout --
    -- stderr --
    error: --sdk: . is no checkout of everturn: it has no guest-sdk
    "#);
    assert!(tree(&room.path()).is_empty(), "something was left");
}

#[test]
fn a_template_that_there_is_not() {
    let shown = run(&Room::new(), &["greeting", "--template", "nothing"]);
    assert!(shown.starts_with("exit code 2\n") && shown.contains("[possible values: hello, "), "{shown}");
}

#[test]
fn the_examples_are_the_templates_and_help_and_completions_know_them() {
    let room = Room::new();
    let (help, completions) = (room.run(["new", "--help"]), room.run(["completions", "bash"]));
    for template in templates() {
        assert!(help.contains(&format!("- {template}: ")), "{template}: {help}");
        assert!(completions.contains(&template), "{template}");
    }
}

#[test]
fn every_template_makes_a_crate_that_builds_and_runs() {
    let host = Serving::empty();
    for template in templates() {
        let (directory, printed) = made(&format!("made-from-{template}"), &template);
        let readme = fs::read_to_string(directory.join("README.md")).unwrap();
        assert!(readme.starts_with(&format!("# made-from-{template}\n")), "{readme}");
        for ours in ["cargo test -p", "cargo run -p", &format!("examples/{template}")] {
            assert!(!readme.contains(ours), "{template}: the README speaks of {ours}");
        }
        deploy(&host, &directory, &printed);
        let start = &session(&printed)[0];
        assert!(start.starts_with("everturn workflow start "), "{template}: {start}");
        printed_by(&host, &directory, start);
    }
}

#[test]
fn the_tests_of_a_new_crate_pass_and_it_does_what_its_readme_says() {
    let (directory, printed) = made("greeting", "hello");
    let manifest = directory.join("Cargo.toml");
    let mut content = fs::read_to_string(&manifest).unwrap();
    content = content.replacen("[dev-dependencies]", &format!("[dev-dependencies]{FEATURES_OF_OUR_BUILD}"), 1);
    fs::write(&manifest, content + "[build-dependencies]" + FEATURES_OF_OUR_BUILD).unwrap();
    let mut test = Command::new(env!("CARGO"));
    test.arg("test").current_dir(&directory).env("CARGO_NET_OFFLINE", "true");
    // The cargo around this test has compiled what it needs by now, and left its directory to others.
    test.env("CARGO_TARGET_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/.."));
    let tested = test.output().unwrap();
    let said = String::from_utf8_lossy(&tested.stdout);
    assert!(tested.status.success(), "{said}{}", String::from_utf8_lossy(&tested.stderr));
    assert!(said.contains("test result: ok. 4 passed"), "{said}");

    let host = Serving::empty();
    deploy(&host, &directory, &printed);
    let readme = fs::read_to_string(directory.join("README.md")).unwrap();
    let mut session_of_readme = String::new();
    for line in session(&printed) {
        let said = printed_by(&host, &directory, &line);
        session_of_readme += &format!("$ {line}\n");
        // The last one prints times.
        if !line.starts_with("everturn workflow history") {
            session_of_readme += &said;
        }
    }
    assert!(readme.contains(&session_of_readme), "the README does not show this:\n{session_of_readme}");
}

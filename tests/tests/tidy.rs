//! The house rules that a machine can check. What only people can judge is in CONTRIBUTING.md.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::fs;
use std::path::{Path, PathBuf};

/// The longest source file. One that outgrows it holds more than one idea.
const MAX_LINES: usize = 500;

/// The pages of prose. Anything else would be a note to ourselves.
const PAGES: [&str; 4] = ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "README.md"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// Every file of the project whose name ends so, as path from the root and content.
fn files(endings: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    collect(&root(), endings, &mut found);
    assert!(!found.is_empty(), "no file ends with {endings:?}: this check checks nothing");
    found
}

fn collect(directory: &Path, endings: &[&str], found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "target" && name != ".git" && name != ".everturn" {
                collect(&path, endings, found);
            }
        } else if endings.iter().any(|ending| name.ends_with(ending)) {
            let relative = path.strip_prefix(root()).unwrap().display().to_string();
            found.push((relative, fs::read_to_string(&path).unwrap()));
        }
    }
}

/// Fails with the names of all files that break a rule.
fn require(rule: &str, files: &[(String, String)], keeps: impl Fn(&str) -> bool) {
    let broken: Vec<_> = files.iter().filter(|(_, content)| !keeps(content)).map(|(path, _)| path).collect();
    assert!(broken.is_empty(), "{rule}: {broken:#?}");
}

#[test]
fn every_source_file_says_what_it_is_for() {
    require("the first line must begin with //!", &files(&[".rs"]), |content| content.starts_with("//! "));
}

#[test]
fn no_source_file_is_long() {
    require("too many lines", &files(&[".rs", ".wit", ".sh"]), |content| content.lines().count() <= MAX_LINES);
}

#[test]
fn nothing_is_left_for_later() {
    // In two halves, so that this file keeps its own rule.
    let marks = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X:"), concat!("for ", "now,")];
    let files = files(&[".rs", ".wit", ".md", ".toml", ".proto", "justfile"]);
    require("a mark of unfinished work", &files, |content| !marks.iter().any(|mark| content.contains(mark)));
}

#[test]
fn nothing_names_the_machine_it_was_written_on() {
    let marks = [concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("/wo", "rk/"), concat!("/Us", "ers/")];
    let files = files(&[".rs", ".wit", ".md", ".toml", ".proto", ".json", ".snap", "justfile"]);
    require("a path of one machine", &files, |content| !marks.iter().any(|mark| content.contains(mark)));
}

#[test]
fn the_root_holds_pages_and_no_notes() {
    let names = fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let notes: Vec<_> = names
        .filter(|name| [".md", ".txt", ".log"].iter().any(|ending| name.ends_with(ending)))
        .filter(|name| !PAGES.contains(&name.as_str()))
        .collect();
    assert!(notes.is_empty(), "neither source nor one of the pages {PAGES:?}: {notes:?}");
}

#[test]
fn every_crate_follows_the_lints_of_the_workspace() {
    let manifests: Vec<_> = files(&["Cargo.toml"]).into_iter().filter(|(path, _)| path != "Cargo.toml").collect();
    require("add `[lints] workspace = true`", &manifests, |content| content.contains("[lints]\nworkspace = true"));
}

#[test]
fn the_replay_core_reaches_for_nothing() {
    // Those that link without an import, so that the purity check cannot see them.
    let impure =
        ["HashMap", "HashSet", "SystemTime", "Instant", "std::thread", "std::fs", "std::net", "std::env", "async "];
    let is_core = |path: &str| path.starts_with("host/replay/src/") && !path.contains("/tests");
    let core: Vec<_> = files(&[".rs"]).into_iter().filter(|(path, _)| is_core(path)).collect();
    assert!(!core.is_empty(), "the replay core is not where this check looks");
    let code = |content: &str| -> String {
        content.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
    };
    require("the replay core is pure", &core, |content| !impure.iter().any(|word| code(content).contains(word)));
}

#[test]
fn every_dependency_has_its_reason_in_the_architecture() {
    let manifest = read("Cargo.toml");
    let section = manifest.split("[workspace.dependencies]").nth(1).unwrap().split("\n[").next().unwrap();
    let names = section.lines().filter(|line| !line.contains("path =")).filter_map(|line| line.split_once(" = "));
    let reasons = read("ARCHITECTURE.md");
    let missing: Vec<_> =
        names.map(|(name, _)| name).filter(|name| !reasons.contains(&format!("| `{name}` |"))).collect();
    assert!(missing.is_empty(), "no line under \"Dependencies\" in ARCHITECTURE.md says why: {missing:?}");
}

/// The commands of a page: lines of its shell blocks.
fn commands(page: &str) -> Vec<String> {
    let content = read(page);
    let blocks = content.split("```sh\n").skip(1).map(|block| block.split("```").next().unwrap());
    blocks.flat_map(str::lines).filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

#[test]
fn what_the_readme_tells_to_run_is_there() {
    let commands = commands("README.md");
    assert!(commands.len() >= 2, "the README shows the main job and runs the tests: {commands:?}");
    let packages: Vec<_> = files(&["Cargo.toml"]);
    for command in &commands {
        let words: Vec<_> = command.split_whitespace().collect();
        for package in words.windows(2).filter(|pair| pair[0] == "-p").map(|pair| pair[1]) {
            let line = format!("name = \"{package}\"");
            assert!(packages.iter().any(|(_, manifest)| manifest.contains(&line)), "{command}: no package {package}");
        }
        for path in words.iter().filter(|word| word.starts_with("examples/")) {
            assert!(root().join(path).exists(), "{command}: there is no {path}");
        }
    }
}

#[test]
fn ci_runs_the_test_command_of_the_readme() {
    let tests = commands("README.md").into_iter().find(|command| command.starts_with("cargo test")).unwrap();
    assert!(read(".ci/run").lines().any(|line| line == format!("step {tests}")), ".ci/run does not run the tests");
}

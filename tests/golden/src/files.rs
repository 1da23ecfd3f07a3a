//! The files: all histories under `tests/` and `examples/`, and `tests/histories/DIGESTS`, which has a line for each.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use everturn_guest::Digest;
use everturn_history::{HistoryEvent, json};

/// Where the digests are, as `sha256sum --check` reads them.
pub const DIGESTS: &str = "tests/histories/DIGESTS";
/// Where the histories of stories are.
pub const FEATURES: &str = "tests/histories/features";
/// The name of every folder of histories.
const FOLDER: &str = "histories";

/// Paths from the root of the repository, each with the digest of its content.
pub type Digests = BTreeMap<String, String>;

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// All golden histories as they are.
pub fn found() -> Digests {
    let mut found = Digests::new();
    for directory in ["tests", "examples"] {
        find(&root().join(directory), false, &mut found);
    }
    found
}

fn find(directory: &Path, is_inside: bool, found: &mut Digests) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && name != "target" && name != "node_modules" && !name.starts_with('.') {
            find(&path, is_inside || name == FOLDER, found);
        } else if is_inside && path.is_file() && name.ends_with(".json") {
            let parts: Vec<_> = path.strip_prefix(root()).unwrap().iter().map(|part| part.to_string_lossy()).collect();
            found.insert(parts.join("/"), Digest::of(&fs::read(&path).unwrap()).to_string());
        }
    }
}

/// All golden histories as they were when they were recorded.
pub fn recorded() -> Digests {
    let text = fs::read_to_string(root().join(DIGESTS)).unwrap();
    let line = |line: &str| line.split_once("  ").map(|(digest, path)| (path.to_owned(), digest.to_owned()));
    text.lines()
        .map(|text| line(text).unwrap_or_else(|| panic!("{DIGESTS}: not a digest and a path: {text}")))
        .collect()
}

/// The lines of [`DIGESTS`].
pub fn lines(digests: &Digests) -> String {
    digests.iter().map(|(path, digest)| format!("{digest}  {path}\n")).collect()
}

/// A golden history.
pub fn read(path: &str) -> Vec<HistoryEvent> {
    let text = fs::read_to_string(root().join(path)).unwrap();
    json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Where the history of a story is.
pub fn of_story(name: &str) -> String {
    format!("{FEATURES}/{}.json", name.replace('_', "-"))
}

//! Recorded histories against the code of today.

use std::fs;
use std::path::{Path, PathBuf};

use everturn_history::json;

use crate::complaint::{Complaint, or_fail};
use crate::component::TestComponent;
use crate::replay::replay_complete;

/// Replays recorded histories against a component: does today's code do what these instances did?
///
/// The pattern is a path with `*` for any part of a name; relative ones begin at the directory of the crate, where cargo
/// runs its tests. The files are what [`Run::save_history`](crate::Run::save_history) and
/// `everturn workflow history ID -o json` write. Keep one for every way that instances can go, and never change one: each
/// stands for instances that run somewhere.
///
/// ```no_run
/// use everturn_test::{assert_replays, component};
///
/// assert_replays(&component!(), "tests/histories/*.json");
/// ```
///
/// # Panics
/// When a history does not fit: the message has the first difference of each that does not. When there is no such file.
#[track_caller]
pub fn assert_replays(component: &TestComponent, pattern: impl AsRef<Path>) {
    or_fail(check(component, pattern.as_ref()));
}

fn check(component: &TestComponent, pattern: &Path) -> Result<(), Complaint> {
    let files = matching(pattern)?;
    if files.is_empty() {
        let (pattern, directory) = (pattern.display(), std::env::current_dir().unwrap_or_default());
        return Err(Complaint::Assertion(format!(
            "no file matches {pattern} in {}: record a history with `run.save_history`, or with \
             `everturn workflow history ID -o json`",
            directory.display()
        )));
    }
    let problems: Vec<_> = files.iter().filter_map(|file| problem(component, file)).collect();
    if problems.is_empty() {
        return Ok(());
    }
    let (wrong, all) = (problems.len(), files.len());
    Err(Complaint::Assertion(format!("{wrong} of {all} recorded histories do not fit\n\n{}", problems.join("\n\n"))))
}

/// What is wrong with one history, if something is.
fn problem(component: &TestComponent, file: &Path) -> Option<String> {
    let read = fs::read_to_string(file).map_err(|error| error.to_string());
    let history = read.and_then(|text| json::from_str(&text).map_err(|error| error.to_string()));
    let replayed = history.and_then(|history| replay_complete(component, &history).map_err(|error| error.to_string()));
    replayed.err().map(|problem| format!("{}: {problem}", file.display()))
}

/// The files that match, sorted.
fn matching(pattern: &Path) -> Result<Vec<PathBuf>, Complaint> {
    let mut found = vec![PathBuf::new()];
    for part in pattern.components() {
        let name = part.as_os_str().to_string_lossy();
        if !name.contains('*') {
            found.iter_mut().for_each(|path| path.push(part));
            continue;
        }
        let mut deeper = Vec::new();
        for folder in found.iter().map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder }) {
            let Ok(entries) = fs::read_dir(folder) else { continue };
            for entry in entries {
                let entry = entry.map_err(|source| Complaint::File { path: folder.to_owned(), source })?;
                if matches(&name, &entry.file_name().to_string_lossy()) {
                    deeper.push(folder.join(entry.file_name()));
                }
            }
        }
        found = deeper;
    }
    found.retain(|path| path.is_file());
    found.sort();
    Ok(found)
}

/// Whether a name fits a pattern in which `*` stands for any text.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((begin, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut left) = name.strip_prefix(begin) else { return false };
    loop {
        if matches(rest, left) {
            return true;
        }
        let mut characters = left.chars();
        if characters.next().is_none() {
            return false;
        }
        left = characters.as_str();
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, name) in [("*.json", "a.json"), ("*", ""), ("a*b*c", "a-b-b-c"), ("a", "a"), ("ü*", "üü")] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("*.json", "a.jsonl"), ("a*b", "ac"), ("a", "ab"), ("", "a")] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}

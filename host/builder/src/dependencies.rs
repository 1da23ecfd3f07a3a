//! The source files that a component was made of, as the compiler noted them beside it: those of the package, of its
//! path dependencies, and what macros included (the WIT files). Not those of registries, which never change.

use std::fs;
use std::path::{Path, PathBuf};

use crate::BuildError;

/// Reads the note that cargo leaves beside a component (`name.d` beside `name.wasm`).
pub(crate) fn sources_of(component: &Path) -> Result<Vec<PathBuf>, BuildError> {
    let path = component.with_extension("d");
    let note = fs::read_to_string(&path).map_err(|source| BuildError::Unreadable { path, source })?;
    Ok(parse(&note))
}

/// The form is make's: `output: source source`, with a backslash before a space that belongs to a name.
fn parse(note: &str) -> Vec<PathBuf> {
    let mut sources = Vec::new();
    for (_, listed) in note.lines().filter_map(|line| line.split_once(": ")) {
        let mut name = String::new();
        for word in listed.split(' ').filter(|word| !word.is_empty()) {
            match word.strip_suffix('\\') {
                Some(start) => name = name + start + " ",
                None => sources.push(PathBuf::from(std::mem::take(&mut name) + word)),
            }
        }
    }
    sources.sort();
    sources.dedup();
    sources
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::parse;

    #[test]
    fn sources_are_listed_once_and_names_may_have_spaces() {
        let note = "/t/a.wasm: /w/my\\ crate/lib.rs /w/wit/world.wit\n/t/liba.rlib: /w/wit/world.wit\n";
        assert_eq!(parse(note), [PathBuf::from("/w/my crate/lib.rs"), PathBuf::from("/w/wit/world.wit")]);
    }
}

//! Golden histories: every one ever recorded must replay on the current build, to its end.

use std::fs;
use std::path::{Path, PathBuf};

use everturn_history::json;
use everturn_test_world::Player;
use everturn_tests::player::Compiled;

fn files() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("histories");
    let mut files: Vec<_> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn every_golden_history_replays_to_its_end() {
    let files = files();
    assert!(files.len() >= 9, "golden histories are never removed: {files:#?}");
    for file in files {
        let history = json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        let mut guest = Compiled::new();
        let turn = guest.play(history, vec![]).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        assert!(guest.0.execution().is_finished(), "{}", file.display());
        assert_eq!(turn.actions, [], "{}", file.display());
    }
}

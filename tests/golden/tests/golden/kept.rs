//! The files are those that were recorded.

use everturn_golden::files::{self, DIGESTS, Digests};

const RULE: &str = "A golden history stands for instances that run somewhere: it is never edited, moved or removed. Code that \
                    cannot replay one is wrong; what is new gets a new file. See CONTRIBUTING.md.";

/// What is wrong with files, given what they were when they were recorded.
fn complaints(recorded: &Digests, found: &Digests) -> Vec<String> {
    let mut complaints = Vec::new();
    for (path, digest) in recorded {
        match found.get(path) {
            None => complaints.push(format!("{path} is gone: bring it back with `git checkout`. {RULE}")),
            Some(now) if now != digest => {
                complaints.push(format!("{path} was changed: undo that with `git checkout`. {RULE}"));
            }
            Some(_) => {}
        }
    }
    for (path, digest) in found.iter().filter(|(path, _)| !recorded.contains_key(*path)) {
        complaints.push(format!(
            "{path} is new: add its line to {DIGESTS} (`cargo run -p everturn-golden` does), and never change the file again\n\
             {digest}  {path}"
        ));
    }
    complaints
}

#[test]
fn every_golden_history_is_as_it_was_recorded() {
    let complaints = complaints(&files::recorded(), &files::found());
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn the_digests_are_in_order() {
    let text = std::fs::read_to_string(files::root().join(DIGESTS)).unwrap();
    assert_eq!(text, files::lines(&files::recorded()), "{DIGESTS}: sorted by path, one line for each");
}

#[test]
fn a_file_that_was_changed_removed_or_added_is_told() {
    let digests =
        |pairs: &[(&str, &str)]| pairs.iter().map(|(path, digest)| (path.to_string(), digest.to_string())).collect();
    let recorded: Digests = digests(&[("a.json", "1"), ("b.json", "2"), ("c.json", "3")]);
    let found: Digests = digests(&[("a.json", "1"), ("b.json", "4"), ("d.json", "5")]);
    let said = complaints(&recorded, &found);
    assert!(said[0].starts_with("b.json was changed: ") && said[0].contains("it is never edited"), "{said:?}");
    assert!(said[1].starts_with("c.json is gone: ") && said[1].contains("it is never edited"), "{said:?}");
    assert!(said[2].starts_with("d.json is new: ") && said[2].ends_with("\n5  d.json"), "{said:?}");
    assert_eq!(said.len(), 3);
}

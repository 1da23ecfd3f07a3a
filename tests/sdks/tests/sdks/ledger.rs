//! What activities note when they run: a line for each, in the order in which they did.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;

/// A file that activities append to.
pub(crate) struct Ledger(PathBuf);

impl Ledger {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// What to tell an activity, so that it finds it.
    pub(crate) fn path(&self) -> Value {
        self.0.to_str().unwrap().into()
    }

    /// All lines; none as long as no activity ran.
    pub(crate) fn lines(&self) -> Vec<String> {
        let text = fs::read_to_string(&self.0).unwrap_or_default();
        // The last line may be on its way.
        let complete = text.rfind('\n').map_or("", |end| &text[..end]);
        complete.lines().map(str::to_owned).collect()
    }

    /// How often each line is there.
    pub(crate) fn counted(&self) -> BTreeMap<String, usize> {
        let mut counted = BTreeMap::new();
        for line in self.lines() {
            *counted.entry(line).or_default() += 1;
        }
        counted
    }
}

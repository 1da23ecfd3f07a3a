//! Which names came, which went, and which stayed.

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde::Serialize;

use crate::style::{ERROR, GOOD, WARNING};
use crate::table::print_value;
use crate::text::shown;

/// Names, sorted.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Names {
    /// Only the new one has them.
    added: Vec<String>,
    /// Only the old one has them.
    removed: Vec<String>,
    /// Both have them, and what they stand for differs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changed: Vec<String>,
    /// Both have them.
    same: Vec<String>,
}

impl Names {
    pub(super) fn between<'a>(
        old: impl IntoIterator<Item = &'a String>,
        new: impl IntoIterator<Item = &'a String>,
    ) -> Self {
        let (old, new): (BTreeSet<_>, BTreeSet<_>) = (old.into_iter().collect(), new.into_iter().collect());
        let names = |names: Vec<&&String>| names.into_iter().map(|name| (*name).clone()).collect();
        Self {
            added: names(new.difference(&old).collect()),
            removed: names(old.difference(&new).collect()),
            changed: Vec::new(),
            same: names(old.intersection(&new).collect()),
        }
    }

    /// Of what both have, what this holds for is not the same.
    pub(super) fn mark_changed(&mut self, is_changed: impl Fn(&str) -> bool) {
        self.changed = self.same.extract_if(.., |name| is_changed(name)).collect();
    }

    pub(super) fn are_the_same(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }

    /// What came and went, for a line.
    pub(super) fn in_words(&self, kind: &str) -> Vec<String> {
        let added = self.added.iter().map(|name| format!("+ {kind} {}", shown(name)));
        let removed = self.removed.iter().map(|name| format!("- {kind} {}", shown(name)));
        added.chain(removed).collect()
    }

    /// Prints what there is: what is the same in one line, everything else in a line each.
    pub(super) fn print(
        &self,
        mut out: &mut dyn Write,
        label: &str,
        more: impl Fn(&str) -> Option<String>,
    ) -> io::Result<()> {
        let same: Vec<_> = self.same.iter().map(|name| shown(name)).collect();
        let mut lines = Vec::new();
        if !same.is_empty() {
            lines.push(format!("= {}", same.join(", ")));
        }
        for name in &self.changed {
            let more = more(name).map_or_else(String::new, |more| format!(": {more}"));
            lines.push(format!("{WARNING}~{WARNING:#} {}{more}", shown(name)));
        }
        lines.extend(self.added.iter().map(|name| format!("{GOOD}+{GOOD:#} {}", shown(name))));
        lines.extend(self.removed.iter().map(|name| format!("{ERROR}-{ERROR:#} {}", shown(name))));
        let labels = std::iter::once(label).chain(std::iter::repeat(""));
        lines.iter().zip(labels).try_for_each(|(line, label)| print_value(&mut out, label, line))
    }
}

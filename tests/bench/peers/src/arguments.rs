//! What to do, and how much of it.

use std::path::PathBuf;

use anyhow::Context;

use crate::workloads::WORKLOADS;

/// How much to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// So little that it takes seconds.
    Quick,
    /// So much that it takes minutes.
    Bounded,
    /// As much as the host gets, which takes much longer.
    Full,
}

impl Size {
    /// How many, by how much there is to do.
    pub(crate) fn count(self, quick: usize, bounded: usize, full: usize) -> usize {
        match self {
            Self::Quick => quick,
            Self::Bounded => bounded,
            Self::Full => full,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Arguments {
    names: Vec<String>,
    pub(crate) size: Size,
    pub(crate) directory: Option<PathBuf>,
}

impl Arguments {
    pub(crate) fn of(mut words: impl Iterator<Item = String>) -> anyhow::Result<Self> {
        let mut arguments = Self { names: Vec::new(), size: Size::Bounded, directory: None };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--quick" => arguments.size = Size::Quick,
                "--full" => arguments.size = Size::Full,
                "--dir" => arguments.directory = Some(words.next().context("--dir needs a directory")?.into()),
                name if WORKLOADS.iter().any(|(known, _)| *known == name) => arguments.names.push(word),
                _ => anyhow::bail!("what is {word:?}?"),
            }
        }
        Ok(arguments)
    }

    /// Whether to measure this. Without any name: all.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|wanted| wanted == name)
    }
}

//! What was measured, to be read: as text, as JSON, and as pictures. Nothing here measures anything.

pub(crate) mod json;
pub(crate) mod svg;
pub(crate) mod text;

use serde::Serialize;

use crate::baseline::DURABILITY;
use crate::disk::Disk;
use crate::figures::{Baseline, Table};
use crate::machine::Machine;
use crate::peer::Comparison;

/// What a reader has to know before any figure means something.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Head {
    pub(crate) machine: Machine,
    /// Whether this program was compiled to be fast.
    pub(crate) release: bool,
    /// Whether little was done.
    pub(crate) quick: bool,
    pub(crate) durability: &'static str,
    /// How much longer every fsync was made, in microseconds.
    pub(crate) slower_by_micros: u64,
    pub(crate) baseline: Baseline,
}

impl Head {
    pub(crate) fn new(machine: Machine, disk: Disk, baseline: Baseline, quick: bool) -> Self {
        let (release, slower_by_micros) = (!cfg!(debug_assertions), disk.delay_micros());
        Self { machine, release, quick, durability: DURABILITY, slower_by_micros, baseline }
    }
}

/// All that was measured.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Report {
    pub(crate) head: Head,
    pub(crate) tables: Vec<Table>,
    /// What the disk can do after all of it.
    pub(crate) after: Baseline,
    pub(crate) peer: Option<Comparison>,
}

#[cfg(test)]
mod tests;

//! The same workloads on another project: builds and runs the program in `peers/`, which is a workspace of its own so that
//! nothing of it is in our tree, and compares.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Context;
use serde::Deserialize;

use crate::arguments::Arguments;
use crate::figures::{Figure, Table, Unit};

/// The manifest of the peer's program.
const MANIFEST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/peers/Cargo.toml");
/// The workloads that it has.
const WORKLOADS: [&str; 5] = ["throughput", "latency", "timers", "replay", "parked"];
/// How many times better to be, by the key of a figure.
const WANTED: [(&str, f64); 3] =
    [("sequential-1-native", 30.0), ("sequential-5-native", 30.0), ("sequential-10-native", 40.0)];

/// What the peer's program prints.
#[derive(Debug, Deserialize)]
struct Printed {
    peer: String,
    durability: String,
    figures: Vec<Theirs>,
}

/// One figure of it.
#[derive(Debug, Deserialize)]
struct Theirs {
    key: String,
    name: String,
    unit: Unit,
    value: f64,
}

/// Ours beside theirs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Comparison {
    pub(crate) peer: String,
    pub(crate) durability: String,
    pub(crate) pairs: Vec<Pair>,
}

/// One figure of both.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pair {
    pub(crate) key: String,
    /// What the peer calls it: it says how much it had to do.
    pub(crate) name: String,
    pub(crate) unit: Unit,
    /// None: it was not measured.
    pub(crate) ours: Option<f64>,
    pub(crate) theirs: f64,
    /// How many times better to be.
    pub(crate) wanted: Option<f64>,
}

impl Pair {
    /// How many times better ours is. None: there is nothing to divide.
    pub(crate) fn times(&self) -> Option<f64> {
        let times = match self.unit {
            Unit::PerSecond => self.ours? / self.theirs,
            _ => self.theirs / self.ours?,
        };
        times.is_finite().then_some(times)
    }

    /// Whether it is as much better as it is to be. None: nothing is to be reached.
    pub(crate) fn is_reached(&self) -> Option<bool> {
        let wanted = self.wanted?;
        Some(self.times().is_some_and(|times| times >= wanted))
    }
}

/// Runs the peer's program, and compares.
pub(crate) fn compare(arguments: &Arguments, directory: &Path, tables: &[Table]) -> anyhow::Result<Comparison> {
    eprintln!("measuring: the same on a peer, which is compiled first");
    let printed = run(arguments, directory)?;
    let printed: Printed = serde_json::from_slice(&printed).context("the peer's program printed something else")?;
    let figures: Vec<&Figure> = tables.iter().flat_map(|table| &table.figures).collect();
    let pairs = printed.figures.into_iter().map(|theirs| {
        let Theirs { key, name, unit, value } = theirs;
        let ours = figures.iter().find(|figure| figure.key == key).map(|figure| figure.value);
        let wanted = WANTED.iter().find(|(wanted, _)| *wanted == key).map(|(_, times)| *times);
        Pair { key, name, unit, ours, theirs: value, wanted }
    });
    Ok(Comparison { peer: printed.peer, durability: printed.durability, pairs: pairs.collect() })
}

fn run(arguments: &Arguments, directory: &Path) -> anyhow::Result<Vec<u8>> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["run", "--release", "--quiet", "--locked", "--manifest-path", MANIFEST, "--"]);
    command.args(arguments.workloads().iter().map(|workload| workload.name).filter(|name| WORKLOADS.contains(name)));
    command.arg("--dir").arg(directory);
    for (flag, is_set) in [("--quick", arguments.quick), ("--full", arguments.full)] {
        if is_set {
            command.arg(flag);
        }
    }
    let ran = command.stderr(Stdio::inherit()).output().context("cannot run cargo")?;
    anyhow::ensure!(ran.status.success(), "the peer's program failed: {}", ran.status);
    Ok(ran.stdout)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn better_is_more_in_a_second_and_less_of_everything_else() {
        let pair = |unit, ours, theirs| Pair {
            key: String::new(),
            name: String::new(),
            unit,
            ours: Some(ours),
            theirs,
            wanted: Some(30.0),
        };
        let rate = pair(Unit::PerSecond, 3_000.0, 100.0);
        assert_eq!((rate.times(), rate.is_reached()), (Some(30.0), Some(true)));
        let time = pair(Unit::Seconds, 0.004, 0.1);
        assert_eq!((time.times(), time.is_reached()), (Some(25.0), Some(false)));
        assert_eq!(pair(Unit::Percent, 0.0, 2.0).times(), None, "nothing is no part of something");
    }
}

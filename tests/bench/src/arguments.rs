//! The options of the program, as `--help` shows them.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::PossibleValue;
use clap::{Parser, ValueEnum};

use crate::workloads::{WORKLOADS, Workload};

/// Measures the host on this machine, beside what its disk can do.
///
/// Each workload runs on a real runtime with a real store on disk, in a directory that is made for it and removed after.
/// What is to be reached is a share of what SQLite does on the same disk in the same run: C is the transactions with one
/// row each, R the rows in transactions of 100, in a second, with synchronous=FULL.
#[derive(Debug, Parser)]
#[command(name = "everturn-bench", version, max_term_width = 100)]
pub(crate) struct Arguments {
    /// What to measure.
    #[arg(value_name = "WORKLOAD", default_value = "all")]
    workloads: Vec<Name>,
    /// How to show it.
    #[arg(short, long, value_enum, default_value_t = Format::Text)]
    pub(crate) output: Format,
    /// Do little, to see that it works. The figures mean nothing.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Where to put the data: on the disk that is to be measured. The system's directory for temporary files if absent.
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Measure as if every fsync of the disk took this much longer (`850us`): what a slower disk leads to.
    #[arg(long = "slower-disk", value_name = "TIME", default_value = "0s", hide_default_value = true, conflicts_with = "peer", value_parser = humantime::parse_duration)]
    pub(crate) slower: Duration,
    /// Where `-o svg` puts its files.
    #[arg(long, value_name = "DIR", default_value = "bench-plots")]
    pub(crate) plots: PathBuf,
    /// Also build and run the same workloads on a peer, and compare. Needs the registry the first time.
    #[arg(long)]
    pub(crate) peer: bool,
    /// Give the peer as much to do as the host, which takes it many minutes.
    #[arg(long, requires = "peer", conflicts_with = "quick")]
    pub(crate) full: bool,
}

/// How to show what was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A table for each workload.
    Text,
    /// All of it, for programs.
    Json,
    /// Pictures, in files.
    Svg,
}

/// The name of a workload, or of all.
#[derive(Clone, Copy, Debug)]
enum Name {
    All,
    One(Workload),
}

impl ValueEnum for Name {
    fn value_variants<'a>() -> &'a [Self] {
        const NAMES: [Name; WORKLOADS.len() + 1] = names();
        &NAMES
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::All => PossibleValue::new("all").help("everything"),
            Self::One(workload) => PossibleValue::new(workload.name).help(workload.about),
        })
    }
}

const fn names() -> [Name; WORKLOADS.len() + 1] {
    let mut names = [Name::All; WORKLOADS.len() + 1];
    let mut place = 0;
    while place < WORKLOADS.len() {
        names[place] = Name::One(WORKLOADS[place]);
        place += 1;
    }
    names
}

impl Arguments {
    /// What to measure, each once, in the order in which it runs.
    pub(crate) fn workloads(&self) -> Vec<Workload> {
        let wanted = |workload: &Workload| {
            self.workloads.iter().any(|name| match name {
                Name::All => true,
                Name::One(one) => one.name == workload.name,
            })
        };
        WORKLOADS.into_iter().filter(wanted).collect()
    }
}

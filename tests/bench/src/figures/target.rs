//! What is to be reached. Most of it is a share of what the disk of this machine can do, measured in the same run, so that
//! it means the same on every machine.

use serde::Serialize;

use super::Unit;

/// What the disk can do without us.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Baseline {
    /// Writes of one page, each followed by an fsync, in a second.
    pub(crate) syncs: f64,
    /// C: transactions of SQLite with one row each, in a second.
    pub(crate) commits: f64,
    /// R: rows in a second, with 100 in each transaction of SQLite.
    pub(crate) rows: f64,
}

/// How many times the other a disk may be, and still count as the same.
const ALIKE: f64 = 1.5;

impl Baseline {
    /// Whether another measurement of the same disk found about the same.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let alike = |one: f64, other: f64| one.max(other) <= ALIKE * one.min(other);
        alike(self.commits, other.commits) && alike(self.rows, other.rows)
    }
}

/// What is to be reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Target {
    /// By which number.
    pub(crate) of: Statistic,
    pub(crate) bound: Bound,
}

/// A number of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Statistic {
    /// The one that it has.
    Value,
    /// The median.
    P50,
    /// What one in a hundred exceeds.
    P99,
}

/// On which side of an amount to be. The amount itself is on the right side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bound {
    AtLeast(Amount),
    AtMost(Amount),
}

/// An amount, by what the disk can do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Amount {
    /// The same on every machine.
    Fixed(f64),
    /// So many times C, in a second.
    OfCommits(f64),
    /// R divided by this, in a second.
    RowsOver(f64),
    /// The time of so many commits, one after the other.
    CommitTimes(f64),
}

impl Amount {
    /// The number on this machine.
    pub(crate) fn number(self, baseline: &Baseline) -> f64 {
        match self {
            Self::Fixed(number) => number,
            Self::OfCommits(factor) => factor * baseline.commits,
            Self::RowsOver(divisor) => baseline.rows / divisor,
            Self::CommitTimes(commits) => commits / baseline.commits,
        }
    }

    /// How it comes about. None: it is what it is.
    fn formula(self) -> Option<String> {
        match self {
            Self::Fixed(_) => None,
            Self::OfCommits(factor) => Some(format!("{factor} C")),
            Self::RowsOver(divisor) => Some(format!("R/{divisor}")),
            Self::CommitTimes(commits) => Some(format!("{commits}/C")),
        }
    }
}

impl Bound {
    pub(crate) fn amount(self) -> Amount {
        match self {
            Self::AtLeast(amount) | Self::AtMost(amount) => amount,
        }
    }

    pub(crate) fn holds(self, number: f64, baseline: &Baseline) -> bool {
        match self {
            Self::AtLeast(amount) => number >= amount.number(baseline),
            Self::AtMost(amount) => number <= amount.number(baseline),
        }
    }
}

impl Target {
    /// For people: which number, on which side of what.
    pub(crate) fn shown(self, unit: Unit, baseline: &Baseline) -> String {
        let of = match self.of {
            Statistic::Value => "",
            Statistic::P50 => "p50 ",
            Statistic::P99 => "p99 ",
        };
        let side = match self.bound {
            Bound::AtLeast(_) => ">=",
            Bound::AtMost(_) => "<=",
        };
        let amount = self.bound.amount();
        let number = unit.shown(amount.number(baseline));
        match amount.formula() {
            Some(formula) => format!("{of}{side} {formula} = {number}"),
            None => format!("{of}{side} {number}"),
        }
    }
}

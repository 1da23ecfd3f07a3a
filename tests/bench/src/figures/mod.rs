//! What was measured, as plain values. How they come about is in `workloads`, how they are shown in `report`.
//!
//! - `samples`: many times of the same thing, and their percentiles
//! - `target`: what is to be reached on this machine, and whether it is
//! - `unit`: what a number counts
//! - `chart`: figures that are better seen than read

mod chart;
mod samples;
mod target;
mod unit;

pub(crate) use chart::{Bar, Chart, Plot, Series};
pub(crate) use samples::Spread;
pub(crate) use target::{Amount, Baseline, Bound, Statistic, Target};
pub(crate) use unit::{Unit, grouped};

/// One thing that was measured.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figure {
    /// Its name for programs; what a peer measures too has the same one there.
    pub(crate) key: String,
    /// What it is, for people.
    pub(crate) name: String,
    pub(crate) unit: Unit,
    /// The number; of many samples, the median.
    pub(crate) value: f64,
    /// The other percentiles, if there are many samples.
    pub(crate) spread: Option<Spread>,
    /// What is to be reached. None: the figure is there to be looked at.
    pub(crate) target: Option<Target>,
}

impl Figure {
    /// One number.
    pub(crate) fn new(key: impl Into<String>, name: impl Into<String>, unit: Unit, value: f64) -> Self {
        Self { key: key.into(), name: name.into(), unit, value, spread: None, target: None }
    }

    /// Many times of the same thing.
    pub(crate) fn times(key: impl Into<String>, name: impl Into<String>, spread: Spread) -> Self {
        Self { spread: Some(spread), ..Self::new(key, name, Unit::Seconds, spread.p50) }
    }

    /// The same, with what is to be reached.
    pub(crate) fn must_reach(self, of: Statistic, bound: Bound) -> Self {
        Self { target: Some(Target { of, bound }), ..self }
    }

    /// The number that a target is about. None: there are no samples to have percentiles of.
    pub(crate) fn statistic(&self, of: Statistic) -> Option<f64> {
        match of {
            Statistic::Value => Some(self.value),
            Statistic::P50 => self.spread.map(|spread| spread.p50),
            Statistic::P99 => self.spread.map(|spread| spread.p99),
        }
    }

    /// Whether what is to be reached is. None: nothing is.
    pub(crate) fn is_reached(&self, baseline: &Baseline) -> Option<bool> {
        let target = self.target?;
        Some(self.statistic(target.of).is_some_and(|number| target.bound.holds(number, baseline)))
    }
}

/// What one workload measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Table {
    /// The workload.
    pub(crate) name: &'static str,
    pub(crate) figures: Vec<Figure>,
    pub(crate) charts: Vec<Chart>,
}

impl Table {
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, ..Self::default() }
    }

    pub(crate) fn push(&mut self, figure: Figure) {
        self.figures.push(figure);
    }

    pub(crate) fn draw(&mut self, chart: Chart) {
        self.charts.push(chart);
    }
}

#[cfg(test)]
mod tests;

//! Figures that are better seen than read. What they look like is in `report`.

use super::{Figure, Unit};

/// A picture of figures.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chart {
    /// The name of its file, without the ending.
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) unit: Unit,
    pub(crate) plot: Plot,
}

/// What is drawn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Plot {
    /// Amounts beside each other.
    Bars(Vec<Bar>),
    /// Amounts that change with something.
    Lines {
        /// What they change with.
        across: String,
        series: Vec<Series>,
    },
}

/// An amount.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bar {
    pub(crate) label: String,
    pub(crate) value: f64,
}

/// An amount that changes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Series {
    pub(crate) label: String,
    /// With what, and how much.
    pub(crate) points: Vec<(f64, f64)>,
}

impl Chart {
    /// A bar for each figure of that unit.
    pub(crate) fn of_figures(name: &str, title: &str, unit: Unit, figures: &[Figure]) -> Self {
        let of_unit = figures.iter().filter(|figure| figure.unit == unit);
        let bars = of_unit.map(|figure| Bar { label: figure.name.clone(), value: figure.value }).collect();
        Self { name: name.to_owned(), title: title.to_owned(), unit, plot: Plot::Bars(bars) }
    }

    /// The percentiles of a figure as bars. None: it has none.
    pub(crate) fn of_spread(name: &str, figure: &Figure) -> Option<Self> {
        let spread = figure.spread?;
        let percentiles = [("p50", spread.p50), ("p90", spread.p90), ("p99", spread.p99), ("max", spread.max)];
        let bars = percentiles.map(|(label, value)| Bar { label: label.to_owned(), value });
        Some(Self {
            name: name.to_owned(),
            title: figure.name.clone(),
            unit: figure.unit,
            plot: Plot::Bars(bars.to_vec()),
        })
    }
}

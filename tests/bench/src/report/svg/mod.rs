//! The report as pictures: plain SVG that needs no script and no font, and reads on light and on dark pages.
//!
//! - `canvas`: what a picture is made of; `bars`, `lines`: the two kinds of plots; `scale`: from amounts to places

mod bars;
mod canvas;
mod lines;
mod scale;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::figures::{Chart, Plot};

use super::Report;

/// Writes a file for each chart into this directory, which is made, and gives their paths.
pub(crate) fn write(report: &Report, directory: &Path) -> anyhow::Result<Vec<PathBuf>> {
    fs::create_dir_all(directory).with_context(|| format!("cannot make {}", directory.display()))?;
    let charts = report.tables.iter().flat_map(|table| &table.charts);
    let write = |chart: &Chart| {
        let path = directory.join(&chart.name).with_extension("svg");
        fs::write(&path, picture(chart)).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
    };
    charts.map(write).collect()
}

/// A chart as the text of a file.
pub(super) fn picture(chart: &Chart) -> String {
    match &chart.plot {
        Plot::Bars(bars) => bars::draw(&chart.title, chart.unit, bars),
        Plot::Lines { across, series } => lines::draw(&chart.title, chart.unit, across, series),
    }
}

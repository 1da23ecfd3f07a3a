//! The report for people: a table for each workload.

use crate::figures::{Baseline, Figure, Table, Unit, grouped};
use crate::peer::{Comparison, Pair};

use super::Head;

/// Space between two columns.
const GAP: &str = "  ";

/// The machine, and what its disk can do.
pub(crate) fn head(head: &Head) -> String {
    let Head { machine, .. } = head;
    let memory = machine.memory.map_or_else(|| "unknown".to_owned(), |size| format!("{:.1} GB", size as f64 / 1e9));
    let mut lines = vec![
        format!("machine: {} cores, {}, {memory}", machine.cores, machine.processor),
        format!("system: {}, {}", machine.kernel, machine.file_system),
        format!("durability: {}", head.durability),
        format!("disk: {}", disk(&head.baseline)),
    ];
    if head.slower_by_micros > 0 {
        lines.push(format!("slower: every fsync is made {} us longer", head.slower_by_micros));
    }
    if !head.release {
        lines.push("build: debug, so the figures mean nothing; run it with --release".to_owned());
    }
    if head.quick {
        lines.push("quick: so little was done that the figures mean nothing".to_owned());
    }
    if machine.forgets() {
        lines.push("this file system is in memory: nothing reaches a disk; choose one with --dir".to_owned());
    }
    lines.join("\n") + "\n"
}

/// What the disk can do after all of it, and whether that is the same.
pub(crate) fn after(before: &Baseline, after: &Baseline) -> String {
    let mut text = format!("\ndisk after it: {}\n", disk(after));
    if !before.is_like(after) {
        text.push_str(
            "others used the disk meanwhile: what is to be reached means little; measure again when it is quiet\n",
        );
    }
    text
}

fn disk(baseline: &Baseline) -> String {
    let rate = |rate: f64| grouped(rate.round());
    let Baseline { syncs, commits, rows } = *baseline;
    format!("{} fsyncs/s, C = {} commits/s, R = {} rows/s", rate(syncs), rate(commits), rate(rows))
}

/// What one workload measured, and what is reached.
pub(crate) fn table(table: &Table, baseline: &Baseline) -> String {
    let head = [table.name, "ours", "p90", "p99", "max", "to be reached", "reached"].map(str::to_owned);
    let rows = table.figures.iter().map(|figure| row(figure, baseline));
    columns(&[vec![head], rows.collect()].concat())
}

fn row(figure: &Figure, baseline: &Baseline) -> [String; 7] {
    let spread = figure.spread.map(|spread| [spread.p90, spread.p99, spread.max].map(|time| figure.unit.shown(time)));
    let [p90, p99, max] = spread.unwrap_or_default();
    let target = figure.target.map(|target| target.shown(figure.unit, baseline));
    let reached = figure.is_reached(baseline).map(shown).unwrap_or_default();
    let ours = figure.unit.shown(figure.value);
    [figure.name.clone(), ours, p90, p99, max, target.unwrap_or_default(), reached.to_owned()]
}

/// What is measured beside what a peer reaches.
pub(crate) fn peer(comparison: &Comparison) -> String {
    let peer = format!("{} ({})", comparison.peer, comparison.durability);
    let head = [&peer, "ours", "theirs", "times better", "to be reached", "reached"].map(str::to_owned);
    let rows = comparison.pairs.iter().map(|pair| {
        let Pair { name, unit, ours, theirs, .. } = pair;
        let wanted = pair.wanted.map(|times| format!(">= {}", Unit::Times.shown(times)));
        let reached = pair.is_reached().map(shown).unwrap_or_default();
        let ours = ours.map_or_else(|| "-".to_owned(), |ours| unit.shown(ours));
        let times = pair.times().map_or_else(|| "-".to_owned(), |times| Unit::Times.shown(times));
        [name.clone(), ours, unit.shown(*theirs), times, wanted.unwrap_or_default(), reached.to_owned()]
    });
    columns(&[vec![head], rows.collect()].concat())
}

const fn shown(reached: bool) -> &'static str {
    if reached { "yes" } else { "no" }
}

/// A head and rows, in columns: the first to the left, numbers to the right. A column without a cell is left out.
fn columns<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let is_used = |column: usize| rows.iter().skip(1).any(|row| !row[column].is_empty());
    let mut text = String::from("\n");
    for row in rows {
        let cells = row.iter().enumerate().filter(|(column, _)| is_used(*column)).map(|(column, cell)| {
            let width = widths[column];
            if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        text.push_str(cells.collect::<Vec<_>>().join(GAP).trim_end());
        text.push('\n');
    }
    text
}

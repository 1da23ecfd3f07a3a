//! What readers see, as snapshots.

use std::time::Duration;

use crate::disk::Disk;
use crate::figures::{Amount, Bar, Baseline, Bound, Chart, Figure, Plot, Series, Spread, Statistic, Table, Unit};
use crate::machine::Machine;
use crate::peer::{Comparison, Pair};

use super::{Head, Report, json, svg, text};

fn report() -> Report {
    let machine = Machine {
        cores: 2,
        processor: "A processor".to_owned(),
        memory: Some(8_000_000_000),
        kernel: "linux 6.0".to_owned(),
        file_system: "tmpfs".to_owned(),
    };
    let baseline = Baseline { syncs: 1_500.0, commits: 1_000.0, rows: 80_000.0 };
    let mut table = Table::new("latency");
    let spread = Spread { p50: 0.0031, p90: 0.004, p99: 0.0052, max: 0.02, samples: 1_000 };
    table.push(
        Figure::times("latency", "one workflow", spread)
            .must_reach(Statistic::P50, Bound::AtMost(Amount::CommitTimes(4.0))),
    );
    table.push(
        Figure::new("rate", "a backlog", Unit::PerSecond, 3_999.0)
            .must_reach(Statistic::Value, Bound::AtLeast(Amount::RowsOver(20.0))),
    );
    table.push(Figure::new("starts", "  its starts", Unit::PerSecond, 12_345.6));
    let pair = |key: &str, unit, ours, theirs, wanted| Pair {
        key: key.to_owned(),
        name: format!("{key} of 300"),
        unit,
        ours,
        theirs,
        wanted,
    };
    let pairs = vec![
        pair("rate", Unit::PerSecond, Some(3_000.0), 100.0, Some(30.0)),
        pair("latency", Unit::Seconds, Some(0.003), 0.12, Some(50.0)),
        pair("parked", Unit::Bytes, None, 5e7, None),
    ];
    let peer = Comparison { peer: "peer 1.0".to_owned(), durability: "synchronous=NORMAL".to_owned(), pairs };
    let disk = Disk::slower_by(Duration::ZERO).unwrap();
    let head = Head { release: false, slower_by_micros: 850, ..Head::new(machine, disk, baseline, true) };
    let after = Baseline { commits: 300.0, ..baseline };
    Report { head, tables: vec![table], after, peer: Some(peer) }
}

#[test]
fn people_read_tables() {
    let report = report();
    let mut shown = text::head(&report.head);
    report.tables.iter().for_each(|table| shown.push_str(&text::table(table, &report.head.baseline)));
    shown.push_str(&text::after(&report.head.baseline, &report.after));
    report.peer.iter().for_each(|peer| shown.push_str(&text::peer(peer)));
    insta::assert_snapshot!(shown);
}

#[test]
fn programs_read_all_of_it() {
    insta::assert_snapshot!(json::report(&report()).unwrap());
}

#[test]
fn bars_have_names_and_amounts() {
    let bar = |label: &str, value| Bar { label: label.to_owned(), value };
    let bars = vec![bar("1 in a row", 4_100.0), bar("a < b & c", 900.0), bar("nothing", 0.0)];
    insta::assert_snapshot!(svg::picture(&chart(Unit::PerSecond, Plot::Bars(bars))));
}

#[test]
fn lines_have_a_scale_and_a_legend() {
    let series = |label: &str, points: &[(f64, f64)]| Series { label: label.to_owned(), points: points.to_vec() };
    let series = vec![series("5,000 steps", &[(10.0, 0.5), (100.0, 0.9)]), series("50,000 steps", &[(50.0, 0.25)])];
    let plot = Plot::Lines { across: "percent".to_owned(), series };
    insta::assert_snapshot!(svg::picture(&chart(Unit::Seconds, plot)));
}

fn chart(unit: Unit, plot: Plot) -> Chart {
    Chart { name: "name".to_owned(), title: "A title".to_owned(), unit, plot }
}

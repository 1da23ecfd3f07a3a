//! Percentiles and targets, by hand.

use std::time::Duration;

use super::samples::percentile;
use super::*;

const BASELINE: Baseline = Baseline { syncs: 1_200.0, commits: 1_000.0, rows: 80_000.0 };

#[test]
fn a_percentile_is_the_smallest_sample_that_so_many_do_not_exceed() {
    let hundred: Vec<usize> = (1..=100).collect();
    let at = |percent| percentile(&hundred, percent).unwrap();
    assert_eq!([at(50), at(90), at(99), at(100)], [50, 90, 99, 100]);
    assert_eq!(percentile(&[1, 2, 3], 50), Some(2));
    assert_eq!(percentile(&[1, 2], 99), Some(2));
    assert_eq!(percentile(&[7], 0), Some(7));
    assert_eq!(percentile::<usize>(&[], 50), None);
}

#[test]
fn samples_may_come_in_any_order() {
    let spread = Spread::of([30, 10, 20].map(Duration::from_millis).to_vec());
    assert_eq!(spread, Spread { p50: 0.02, p90: 0.03, p99: 0.03, max: 0.03, samples: 3 });
    assert_eq!(Spread::of(Vec::new()), Spread::default());
}

#[test]
fn a_target_moves_with_what_the_disk_can_do() {
    let cases = [
        (Bound::AtLeast(Amount::RowsOver(20.0)), 4_000.0, 3_999.0),
        (Bound::AtLeast(Amount::OfCommits(0.7)), 700.0, 699.0),
        (Bound::AtMost(Amount::CommitTimes(4.0)), 0.004, 0.0041),
        (Bound::AtMost(Amount::Fixed(0.0)), 0.0, 1.0),
    ];
    for (bound, reached, missed) in cases {
        assert!(bound.holds(reached, &BASELINE), "{bound:?} holds for {reached}");
        assert!(!bound.holds(missed, &BASELINE), "{bound:?} does not hold for {missed}");
    }
    let faster = Baseline { rows: 2.0 * BASELINE.rows, ..BASELINE };
    assert!(!Bound::AtLeast(Amount::RowsOver(20.0)).holds(4_000.0, &faster));
}

#[test]
fn a_disk_that_others_use_is_not_the_same_disk() {
    let with = |commits| Baseline { commits, ..BASELINE };
    assert!(BASELINE.is_like(&with(1_400.0)) && BASELINE.is_like(&with(700.0)));
    assert!(!BASELINE.is_like(&with(1_600.0)) && !BASELINE.is_like(&with(600.0)));
}

#[test]
fn a_target_is_about_the_number_that_it_names() {
    let spread = Spread { p50: 0.003, p90: 0.005, p99: 0.02, max: 0.1, samples: 100 };
    let figure = Figure::times("key", "name", spread);
    let reached = |of| figure.clone().must_reach(of, Bound::AtMost(Amount::Fixed(0.01))).is_reached(&BASELINE);
    assert_eq!(reached(Statistic::P50), Some(true));
    assert_eq!(reached(Statistic::Value), Some(true), "the median stands for the others");
    assert_eq!(reached(Statistic::P99), Some(false));
    assert_eq!(figure.is_reached(&BASELINE), None, "nothing is to be reached");
}

#[test]
fn a_percentile_that_was_not_measured_is_not_reached() {
    let bare = Figure::new("key", "name", Unit::Seconds, 0.001);
    assert_eq!(bare.must_reach(Statistic::P99, Bound::AtMost(Amount::Fixed(1.0))).is_reached(&BASELINE), Some(false));
}

#[test]
fn numbers_are_shown_in_the_size_that_reads_best() {
    let shown = [
        Unit::PerSecond.shown(1_234_567.4),
        Unit::PerSecond.shown(3.25),
        Unit::Seconds.shown(0.000_012),
        Unit::Seconds.shown(0.004_2),
        Unit::Seconds.shown(90.0),
        Unit::Bytes.shown(23_400_000.0),
        Unit::Bytes.shown(2_400.0),
        Unit::Percent.shown(0.3),
        Unit::Times.shown(1.2),
        Unit::Count.shown(0.0),
        Unit::Count.shown(-1_000.0),
    ];
    let expected = [
        "1,234,567 /s",
        "3.2 /s",
        "12.0 us",
        "4.20 ms",
        "90.00 s",
        "23.4 MB",
        "2.4 kB",
        "0.30 %",
        "1.20 x",
        "0",
        "-1,000",
    ];
    assert_eq!(shown, expected);
}

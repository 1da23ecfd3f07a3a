//! Samples, their percentiles, and the lines that show them.

use std::time::{Duration, Instant};

/// Prints one line a figure.
#[derive(Debug)]
pub(crate) struct Report;

impl Report {
    /// Begins with the head of the table.
    pub(crate) fn new() -> Self {
        let build = if cfg!(debug_assertions) { "debug: figures mean nothing" } else { "release" };
        println!("build: {build}");
        println!("{:<44} {:>10} {:>10} {:>10} {:>8}", "what", "p50", "p90", "p99", "samples");
        Self
    }

    /// Prints the percentiles of some samples.
    pub(crate) fn times(&mut self, what: &str, mut samples: Vec<Duration>) {
        samples.sort_unstable();
        let at = |percent: usize| samples.get((samples.len() * percent / 100).min(samples.len().saturating_sub(1)));
        let shown = |percent| at(percent).map_or_else(|| "-".to_owned(), |time| format!("{:.1} us", micros(*time)));
        println!("{what:<44} {:>10} {:>10} {:>10} {:>8}", shown(50), shown(90), shown(99), samples.len());
    }

    /// Prints one value.
    pub(crate) fn value(&mut self, what: &str, value: &str) {
        println!("{what:<44} {value:>10}");
    }
}

/// How long something takes.
pub(crate) fn timed<T, E>(something: impl FnOnce() -> Result<T, E>) -> Result<(Duration, T), E> {
    let start = Instant::now();
    let result = something()?;
    Ok((start.elapsed(), result))
}

/// Microseconds, with their fraction.
pub(crate) fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// The memory that this process does not share with itself or others, in KiB. None where the system does not tell.
///
/// Not the resident set: that counts a page of a component's image once for every guest that maps it.
pub(crate) fn own_memory_kib() -> Option<u64> {
    let rollup = std::fs::read_to_string("/proc/self/smaps_rollup").ok()?;
    let line = rollup.lines().find(|line| line.starts_with("Pss:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

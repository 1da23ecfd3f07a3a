//! What is measured of a host: how long it takes to start, what it costs when nothing happens, how late timers are.

use std::time::{Duration, Instant};

use everturn_guest::Component;

use super::process::Process;
use crate::measure::Report;

/// Instances that a host finds when it starts.
const PARKED: usize = 100_000;
/// Instances that it keeps while nothing happens.
const IDLE: usize = 10_000;
/// How long nothing happens.
const QUIET: Duration = Duration::from_secs(20);
/// Timers that are pending while others fire.
const PENDING: usize = 100_000;
/// Those that fire.
const DUE: usize = 1_000;
/// How far ahead they are set, in seconds: enough to set them all.
const AHEAD: u64 = 8;

/// A host that finds many parked instances.
pub(crate) fn startup(report: &mut Report, _: &Component) -> anyhow::Result<()> {
    let directory = tempfile::tempdir()?;
    let mut host = Process::start(directory.path())?;
    host.ask("deploy")?;
    let began = Instant::now();
    host.ask(&format!("park {PARKED}"))?;
    let rate = PARKED as f64 / began.elapsed().as_secs_f64();
    report.value("starts to the first wait", &format!("{rate:.0}/s"));
    host.stop()?;
    let host = Process::start(directory.path())?;
    report.value("a host with 100,000 parked: opens in", &format!("{:.3} s", host.opened_in.as_secs_f64()));
    report.value("  and takes", &format!("{:.1} MB", host.memory_mb()?));
    host.stop()
}

/// A host that has nothing to do.
pub(crate) fn idle(report: &mut Report, _: &Component) -> anyhow::Result<()> {
    let directory = tempfile::tempdir()?;
    let mut host = Process::start(directory.path())?;
    host.ask("deploy")?;
    let base = host.memory_mb()?;
    host.ask(&format!("park {IDLE}"))?;
    std::thread::sleep(Duration::from_secs(2));
    let before = host.processor_time()?;
    std::thread::sleep(QUIET);
    let used = host.processor_time()?.saturating_sub(before);
    let share = used.as_secs_f64() / QUIET.as_secs_f64() * 100.0;
    report.value("10,000 parked: processor while idle", &format!("{share:.2} %"));
    report.value("  memory beside the base", &format!("{:.1} MB", host.memory_mb()? - base));
    host.stop()
}

/// Timers that fire while many are pending: in one second, and all at once.
pub(crate) fn timers(report: &mut Report, _: &Component) -> anyhow::Result<()> {
    let directory = tempfile::tempdir()?;
    let mut host = Process::start(directory.path())?;
    host.ask("deploy")?;
    host.ask(&format!("sleep {PENDING} pending 1000000 1000"))?;
    for (what, prefix, spread) in [("in one second", "spread", 1_000), ("in one moment", "burst", 0)] {
        host.ask(&format!("sleep {DUE} {prefix} {AHEAD} {spread}"))?;
        let late = host.ask(&format!("lateness {DUE} {prefix}"))?;
        let late: Vec<i64> = late.split(' ').map(str::parse).collect::<Result<_, _>>()?;
        let early = late.iter().filter(|late| **late < 0).count();
        let late = late.into_iter().map(|late| Duration::from_micros(u64::try_from(late).unwrap_or(0))).collect();
        report.times(&format!("1,000 timers {what}, 100,000 pending: late"), late);
        report.value("  early", &early.to_string());
    }
    host.stop()
}

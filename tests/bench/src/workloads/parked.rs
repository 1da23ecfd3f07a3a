//! What instances cost that wait for an event: memory, processor time while nothing happens, and whether others become
//! slower beside them.

use std::time::Duration;

use crate::bench::Bench;
use crate::figures::{Amount, Bar, Bound, Chart, Figure, Plot, Statistic, Table, Unit, grouped};
use crate::host::Process;

use super::throughput::BACKLOG;

/// Instances that wait, at first and at last, and the same when it has to be quick.
const SOME: (usize, usize) = (10_000, 100);
const MANY: (usize, usize) = (100_000, 200);
/// How long nothing happens, and the same when it has to be quick.
const QUIET: (Duration, Duration) = (Duration::from_secs(20), Duration::from_millis(200));
/// How long a host has to come to rest before its memory is looked at, and the same when it has to be quick: guests that were
/// at work have gone then.
const REST: (Duration, Duration) = (Duration::from_secs(12), Duration::from_millis(20));
/// How often the backlog runs, each time; the best counts, since a shared machine only takes away.
const RUNS: (usize, usize) = (8, 1);

/// Memory beside the base that the first may take, in bytes.
const MEMORY: f64 = 24e6;
/// Share of a processor that they may take while nothing happens, in percent.
const IDLE: f64 = 0.3;
/// The share of the throughput that must be left beside all of them.
const LEFT: f64 = 0.9;

pub(super) fn run(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let mut host = Process::start(&bench.room("parked")?, &bench.components(), bench.disk)?;
    host.ask("deploy")?;
    table.push(Figure::new("base", "a host that has done nothing: memory", Unit::Bytes, host.resident()?));
    // What guests had stays with the host, as room for others, however many are parked.
    for run in 0..bench.count(RUNS.0, RUNS.1) {
        throughput(bench, &mut host, &format!("before-{run}"))?;
    }
    rest(bench);
    let base = host.resident()?;
    table.push(Figure::new("base-worked", "a host that has worked: memory", Unit::Bytes, base));
    let (mut parked, mut bars) = (0, Vec::new());
    for ((full, quick), prefix) in [(SOME, "some"), (MANY, "many")] {
        let count = bench.count(full, quick);
        host.ask(&format!("park {} {prefix}", count - parked))?;
        parked = count;
        rest(bench);
        let beside = memory(&host, base, (full, count), table)?;
        bars.push(Bar { label: grouped(count as f64), value: beside });
        idle(bench, &host, full, table)?;
    }
    let plot = Plot::Bars(bars);
    let (name, title) = ("parked-memory".to_owned(), "Memory beside the base, by parked instances".to_owned());
    table.draw(Chart { name, title, unit: Unit::Bytes, plot });
    beside_none(bench, parked, &mut host, table)?;
    host.stop()
}

fn rest(bench: &Bench) {
    std::thread::sleep(bench.time(REST.0, REST.1));
}

fn memory(host: &Process, base: f64, (key, count): (usize, usize), table: &mut Table) -> anyhow::Result<f64> {
    // A host may have given back more than they take.
    let beside = (host.resident()? - base).max(0.0);
    let name = format!("{} parked: memory beside that", grouped(count as f64));
    let figure = Figure::new(format!("parked-{key}-memory"), name, Unit::Bytes, beside);
    table.push(match key {
        10_000 => figure.must_reach(Statistic::Value, Bound::AtMost(Amount::Fixed(MEMORY))),
        _ => figure,
    });
    let own = host.own_memory()?;
    let name = "  the whole host, shared pages counted once";
    table.push(Figure::new(format!("parked-{key}-own"), name, Unit::Bytes, own));
    Ok(beside)
}

fn idle(bench: &Bench, host: &Process, key: usize, table: &mut Table) -> anyhow::Result<()> {
    let quiet = bench.time(QUIET.0, QUIET.1);
    let before = host.processor_time()?;
    std::thread::sleep(quiet);
    let used = host.processor_time()?.saturating_sub(before);
    let share = used.as_secs_f64() / quiet.as_secs_f64() * 100.0;
    let figure = Figure::new(format!("parked-{key}-idle"), "  processor while idle", Unit::Percent, share);
    table.push(figure.must_reach(Statistic::Value, Bound::AtMost(Amount::Fixed(IDLE))));
    Ok(())
}

/// Workflows with one activity in a second, under ids with this name.
fn throughput(bench: &Bench, host: &mut Process, name: &str) -> anyhow::Result<f64> {
    let count = bench.count(BACKLOG.0, BACKLOG.1);
    Ok(host.ask(&format!("run {count} {name}"))?.parse()?)
}

/// The same beside all that are parked, and in a host with nothing parked. By turns: what a machine gives changes.
fn beside_none(bench: &Bench, parked: usize, host: &mut Process, table: &mut Table) -> anyhow::Result<()> {
    let mut other = Process::start(&bench.room("unparked")?, &bench.components(), bench.disk)?;
    other.ask("deploy")?;
    let base = other.resident()?;
    let (mut with, mut without) = (0.0_f64, 0.0_f64);
    for run in 0..bench.count(RUNS.0, RUNS.1) {
        without = without.max(throughput(bench, &mut other, &format!("alone-{run}"))?);
        with = with.max(throughput(bench, host, &format!("beside-{run}"))?);
    }
    let backlog = other.resident()? - base;
    other.stop()?;
    let parked = grouped(parked as f64);
    table.push(Figure::new("parked-without", "nothing parked: workflows, 1 activity", Unit::PerSecond, without));
    table.push(Figure::new("backlog-memory", "  what these backlogs left in memory", Unit::Bytes, backlog));
    table.push(Figure::new("parked-with", format!("{parked} parked: the same"), Unit::PerSecond, with));
    let figure = Figure::new("parked-ratio", "  what is left of it", Unit::Times, with / without);
    table.push(figure.must_reach(Statistic::Value, Bound::AtLeast(Amount::Fixed(LEFT))));
    Ok(())
}

//! How late timers are while many others are pending, and whether any is early.

use std::time::Duration;

use crate::bench::Bench;
use crate::figures::{Amount, Bound, Chart, Figure, Spread, Statistic, Table, Unit, grouped};
use crate::host::Process;

/// Timers that are pending while others fire, and the same when it has to be quick.
const PENDING: (usize, usize) = (100_000, 200);
/// Those that fire, and the same when it has to be quick.
const DUE: (usize, usize) = (1_000, 20);
/// How far ahead these are set, and the same when it has to be quick: enough to set them all.
const AHEAD: (Duration, Duration) = (Duration::from_secs(8), Duration::from_secs(1));
/// How far ahead the others are set: nobody waits for them.
const FAR: Duration = Duration::from_secs(1_000_000);
/// How late is too late.
const LATE: f64 = 0.010;

pub(super) fn run(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let (pending, due) = (bench.count(PENDING.0, PENDING.1), bench.count(DUE.0, DUE.1));
    let ahead = bench.time(AHEAD.0, AHEAD.1).as_millis();
    let second = bench.time(Duration::from_secs(1), Duration::from_millis(100)).as_millis();
    let mut host = Process::start(&bench.room("timers")?, &bench.components(), bench.disk)?;
    host.ask("deploy")?;
    host.ask(&format!("sleep {pending} pending {} 1000", FAR.as_millis()))?;
    let moments = [
        ("timers", "at one moment", 0),
        ("timers-again", "at one moment, the second time", 0),
        ("timers-spread", "within a second", second),
    ];
    for (key, how, spread) in moments {
        host.ask(&format!("sleep {due} {key} {ahead} {spread}"))?;
        let late = host.ask(&format!("lateness {due} {key}"))?;
        let late = late.split(' ').map(str::parse::<i64>).collect::<Result<Vec<_>, _>>()?;
        let early = late.iter().filter(|late| late.is_negative()).count();
        let spread = Spread::of(late.into_iter().map(time).collect());
        let (due, pending) = (grouped(due as f64), grouped(pending as f64));
        let figure = Figure::times(key, format!("{due} timers {how}, {pending} pending: late"), spread)
            .must_reach(Statistic::P99, Bound::AtMost(Amount::Fixed(LATE)));
        table.charts.extend(Chart::of_spread(key, &figure));
        table.push(figure);
        let early = Figure::new(format!("{key}-early"), "  early", Unit::Count, early as f64);
        table.push(early.must_reach(Statistic::Value, Bound::AtMost(Amount::Fixed(0.0))));
    }
    host.stop()
}

fn time(micros: i64) -> Duration {
    Duration::from_micros(u64::try_from(micros).unwrap_or(0))
}

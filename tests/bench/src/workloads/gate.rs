//! How fast the gate replays what is open, from the store to its report.

use std::time::Instant;

use everturn_runtime::ActivateRequest;

use crate::bench::Bench;
use crate::figures::{Figure, Table, Unit, grouped};
use crate::house::{House, STEP};
use crate::load;

/// Open instances, and the same when it has to be quick.
const OPEN: (usize, usize) = (4_000, 20);
/// Activities that each has called; each is three events of history.
const STEPS: usize = 16;
/// How often the gate runs; the median counts.
const RUNS: usize = 5;

pub(super) fn run(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let open = bench.count(OPEN.0, OPEN.1);
    bench.run(async {
        let house = House::open(bench, "gate").await?;
        let request = |number| load::calling("park_after", format!("open-{number}"), STEP, STEPS);
        load::start_and_park(&house.runtime, (0..open).map(request), STEPS as u64 + 1).await?;
        let events = house.runtime.instance(&"open-0".into()).await?.instance.events;
        let mut times = Vec::new();
        for _ in 0..RUNS {
            let began = Instant::now();
            let request = ActivateRequest { label: house.label.clone(), dry_run: true, ..ActivateRequest::default() };
            let checked = house.runtime.activate(request, None).await?;
            times.push(began.elapsed());
            anyhow::ensure!(checked.report.compatible == open as u64, "{:?}", checked.report);
        }
        times.sort_unstable();
        let rate = open as f64 / times[RUNS / 2].as_secs_f64();
        let name = format!("{} histories of {events} events: checked", grouped(open as f64));
        table.push(Figure::new("gate", name, Unit::PerSecond, rate));
        house.close().await;
        Ok(())
    })
}

//! How long one thing takes when there is nothing else to do: a workflow with one activity, and an event. And events to many
//! instances at once.

use std::time::{Duration, Instant};

use everturn_runtime::Runtime;
use futures::stream::{self, StreamExt, TryStreamExt};

use crate::bench::Bench;
use crate::figures::{Amount, Bound, Chart, Figure, Spread, Statistic, Table, Unit, grouped};
use crate::house::{House, STEP};
use crate::load;

/// Workflows, one after the other, and the same when it has to be quick.
pub(super) const WORKFLOWS: (usize, usize) = (1_000, 20);
/// Those before, which nobody measures: the first one of a host compiles and reads what the others find.
const WARM: usize = 10;
/// Instances that get an event, and the same when it has to be quick.
const SIGNALLED: (usize, usize) = (1_000, 20);

pub(super) fn run(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    bench.run(async {
        let house = House::open(bench, "latency").await?;
        one_by_one(house.runtime.clone(), "warm", WARM).await?;
        // Who asks is a task like any other of the host's, as in a server.
        let asking = one_by_one(house.runtime.clone(), "one", bench.count(WORKFLOWS.0, WORKFLOWS.1));
        let spread = Spread::of(tokio::spawn(asking).await??);
        let figure = Figure::times("latency", "one workflow, 1 activity: start to end", spread)
            .must_reach(Statistic::P50, Bound::AtMost(Amount::CommitTimes(4.0)));
        table.charts.extend(Chart::of_spread("latency", &figure));
        table.push(figure);
        events(&house, bench.count(SIGNALLED.0, SIGNALLED.1), table).await?;
        house.close().await;
        Ok(())
    })
}

async fn one_by_one(runtime: Runtime, prefix: &'static str, count: usize) -> anyhow::Result<Vec<Duration>> {
    let mut times = Vec::with_capacity(count);
    for number in 0..count {
        let request = load::calling("sequential", format!("{prefix}-{number}"), STEP, 1);
        let began = Instant::now();
        let started = runtime.start(request).await?;
        runtime.wait(&started.id).await?;
        times.push(began.elapsed());
    }
    Ok(times)
}

/// Events to parked instances, each of which ends with it.
async fn events(house: &House, count: usize, table: &mut Table) -> anyhow::Result<()> {
    for (prefix, at_once, how) in [("alone", 1, "one by one"), ("crowd", count, "at once")] {
        load::start_and_park(&house.runtime, load::parked(prefix, count), 1).await?;
        let began = Instant::now();
        let times: Vec<Duration> = stream::iter(0..count)
            .map(|number| raise(house, format!("{prefix}-{number}")))
            .buffer_unordered(at_once)
            .try_collect()
            .await?;
        let took = began.elapsed();
        let name = format!("{} events, {how}: raised to ended", grouped(count as f64));
        table.push(Figure::times(format!("events-{prefix}"), name, Spread::of(times)));
        let rate = count as f64 / took.as_secs_f64();
        table.push(Figure::new(format!("events-{prefix}-rate"), "  events", Unit::PerSecond, rate));
    }
    Ok(())
}

/// From raising the event until the instance that waits for it has ended, and that is on disk.
async fn raise(house: &House, id: String) -> anyhow::Result<Duration> {
    let id = id.into();
    let began = Instant::now();
    house.runtime.raise_event(&id, "go", None).await?;
    house.runtime.wait(&id).await?;
    Ok(began.elapsed())
}

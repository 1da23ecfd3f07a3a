//! How much a host gets done: a backlog of workflows with some activities one after the other, and workflows with many at
//! once. Activities do nothing, and are native, in the component, or at a worker that is connected by gRPC.

use everturn_bench_guest::STEP_IN_COMPONENT;

use crate::bench::Bench;
use crate::figures::{Amount, Bound, Chart, Figure, Statistic, Table, Unit, grouped};
use crate::house::{House, STEP};
use crate::load::{self, Backlog};
use crate::worker::{REMOTE_STEP, Worker};

/// Workflows of a backlog, and the same when it has to be quick.
pub(super) const BACKLOG: (usize, usize) = (3_000, 20);
/// Activities of wide workflows together, and the same when it has to be quick.
const WIDE: (usize, usize) = (3_000, 200);

/// Activities one after the other, and what part of R is to be reached with native ones.
const SEQUENTIAL: [(usize, f64); 3] = [(1, 20.0), (5, 50.0), (10, 80.0)];
/// Activities at once.
const FAN_OUT: [usize; 2] = [10, 100];

/// Who runs the activities: for people, and the activity's name.
const KINDS: [(&str, &str); 3] = [("native", STEP), ("component", STEP_IN_COMPONENT), ("grpc", REMOTE_STEP)];

pub(super) fn run(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    for (kind, activity) in KINDS {
        bench.run(async {
            let house = House::open(bench, &format!("throughput-{kind}")).await?;
            let worker = match activity {
                REMOTE_STEP => Some(Worker::connect(&house.runtime).await?),
                _ => None,
            };
            sequential(bench, &house, kind, activity, table).await?;
            fan_out(bench, &house, kind, activity, table).await?;
            if let Some(worker) = worker {
                worker.stop().await?;
            }
            house.close().await;
            Ok(())
        })?;
    }
    let of = |prefix: &str| -> Vec<Figure> {
        table.figures.iter().filter(|figure| figure.key.starts_with(prefix)).cloned().collect()
    };
    let (sequential, wide) = (of("sequential-"), of("fan-out-"));
    table.draw(Chart::of_figures("throughput-sequential", "Workflows per second", Unit::PerSecond, &sequential));
    table.draw(Chart::of_figures("throughput-fan-out", "Activities per second", Unit::PerSecond, &wide));
    Ok(())
}

async fn sequential(bench: &Bench, house: &House, kind: &str, activity: &str, table: &mut Table) -> anyhow::Result<()> {
    let count = bench.count(BACKLOG.0, BACKLOG.1);
    for (steps, part) in SEQUENTIAL {
        let backlog = backlog(house, "sequential", activity, count, steps).await?;
        let (key, name) = (format!("sequential-{steps}-{kind}"), format!("{steps} in a row, {kind}: workflows"));
        let figure = Figure::new(key, name, Unit::PerSecond, count as f64 / backlog.ended.as_secs_f64());
        table.push(match kind {
            "native" => figure.must_reach(Statistic::Value, Bound::AtLeast(Amount::RowsOver(part))),
            _ => figure,
        });
        let rate = count as f64 / backlog.started.as_secs_f64();
        let name = format!("  starts of these {}", grouped(count as f64));
        table.push(Figure::new(format!("starts-{steps}-{kind}"), name, Unit::PerSecond, rate));
    }
    Ok(())
}

async fn fan_out(bench: &Bench, house: &House, kind: &str, activity: &str, table: &mut Table) -> anyhow::Result<()> {
    let activities = bench.count(WIDE.0, WIDE.1);
    for width in FAN_OUT {
        let backlog = backlog(house, "fan_out", activity, activities / width, width).await?;
        let (key, name) = (format!("fan-out-{width}-{kind}"), format!("{width} at once, {kind}: activities"));
        table.push(Figure::new(key, name, Unit::PerSecond, activities as f64 / backlog.ended.as_secs_f64()));
    }
    Ok(())
}

async fn backlog(house: &House, workflow: &str, activity: &str, count: usize, steps: usize) -> anyhow::Result<Backlog> {
    let request = |number| load::calling(workflow, format!("{workflow}-{steps}-{number}"), activity, steps);
    load::backlog(&house.runtime, (0..count).map(request)).await
}

//! Long workflows: whether a step becomes dearer the more there were before it, and how long it takes to bring a new guest
//! to where the history ends.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use everturn_guest::{Component, Engine, Limits, fits};
use everturn_runtime::store::Store;
use everturn_runtime::{Activities, ActivityError};

use crate::bench::Bench;
use crate::figures::{Amount, Bound, Chart, Figure, Plot, Series, Statistic, Table, Unit, grouped};
use crate::house::{House, STEP, guest};
use crate::load;

/// Steps of the workflows, and the same when it has to be quick. The second of them has a history of 50,000 events.
const STEPS: [(usize, usize); 3] = [(5_000, 20), (16_666, 40), (50_000, 60)];
/// The one that a rate is to be reached with.
const SHORT: usize = 0;
/// The one that a time is to be reached with.
const MIDDLE: usize = 1;
/// How often each is replayed; the median counts.
const REPEATS: usize = 5;
/// Into how many parts a run is divided, to compare the last with the first.
const PARTS: usize = 10;
/// How much dearer a step at the end may be.
const DEARER: f64 = 1.2;
/// How much dearer an event of the longest history may be to replay than one of the shortest.
const LINEAR: f64 = 1.2;
/// How long the replay of 50,000 events may take, in seconds.
const COLD: f64 = 0.5;

/// When each step was made.
type Moments = Arc<Mutex<Vec<Instant>>>;

pub(super) fn run(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let component = Engine::new(Limits::default())?.load(&guest()?)?;
    let moments = Moments::default();
    bench.run(async {
        let house = House::with(bench, "replay", noting(&moments)).await?;
        let (mut live, mut cold) = (Vec::new(), Vec::new());
        for (place, (full, quick)) in STEPS.into_iter().enumerate() {
            let steps = bench.count(full, quick);
            live.push(live_steps(&house, &moments, place, steps, table).await?);
            cold.push(cold_replay(&house, &component, place, steps, table).await?);
        }
        linearity(&cold, table);
        draw(live, cold, table);
        house.close().await;
        Ok(())
    })
}

/// The native activity, which notes when it ran.
fn noting(moments: &Moments) -> Activities {
    let moments = Arc::clone(moments);
    Activities::new().with(STEP, move |_context, _number: u64| {
        moments.lock().unwrap_or_else(PoisonError::into_inner).push(Instant::now());
        async { Ok::<_, ActivityError>(()) }
    })
}

fn id(steps: usize) -> String {
    format!("long-{steps}")
}

/// Runs a workflow with that many steps, and gives the steps of each part of it in a second.
async fn live_steps(
    house: &House,
    moments: &Moments,
    place: usize,
    steps: usize,
    table: &mut Table,
) -> anyhow::Result<Series> {
    moments.lock().unwrap_or_else(PoisonError::into_inner).clear();
    let began = Instant::now();
    let started = house.runtime.start(load::calling("sequential", id(steps), STEP, steps)).await?;
    house.runtime.wait(&started.id).await?;
    let rate = steps as f64 / began.elapsed().as_secs_f64();
    let moments = moments.lock().unwrap_or_else(PoisonError::into_inner).clone();
    anyhow::ensure!(moments.len() == steps, "{} of {steps} steps were made", moments.len());
    let rates = rates(&moments);
    let shown = grouped(steps as f64);
    let figure =
        Figure::new(format!("steps-{}", STEPS[place].0), format!("{shown} in a row: steps"), Unit::PerSecond, rate);
    table.push(match place {
        SHORT => figure.must_reach(Statistic::Value, Bound::AtLeast(Amount::OfCommits(0.7))),
        _ => figure,
    });
    let (first, last) = (rates[0], rates[PARTS - 1]);
    table.push(Figure::new(format!("first-{}", STEPS[place].0), "  in the first tenth", Unit::PerSecond, first));
    table.push(Figure::new(format!("last-{}", STEPS[place].0), "  in the last tenth", Unit::PerSecond, last));
    let dearer = Figure::new(format!("dearer-{}", STEPS[place].0), "  dearer at the end", Unit::Times, first / last);
    table.push(dearer.must_reach(Statistic::Value, Bound::AtMost(Amount::Fixed(DEARER))));
    let points = rates.iter().enumerate().map(|(part, rate)| ((part + 1) as f64 / PARTS as f64 * 100.0, *rate));
    Ok(Series { label: format!("{shown} steps"), points: points.collect() })
}

/// How many happened in a second, for each part.
fn rates(moments: &[Instant]) -> Vec<f64> {
    let edge = |part: usize| part * (moments.len() - 1) / PARTS;
    let rate = |part: usize| {
        let (from, to) = (edge(part), edge(part + 1));
        (to - from) as f64 / (moments[to] - moments[from]).as_secs_f64()
    };
    (0..PARTS).map(rate).collect()
}

/// Reads the history from the store and replays it in a new guest. Gives how many events it has, and how long that took.
async fn cold_replay(
    house: &House,
    component: &Component,
    place: usize,
    steps: usize,
    table: &mut Table,
) -> anyhow::Result<(f64, f64)> {
    let instance = house.runtime.instance(&id(steps).into()).await?.instance;
    let (mut times, mut events) = (Vec::with_capacity(REPEATS), 0);
    for _ in 0..REPEATS {
        let began = Instant::now();
        let loaded = house.store.load(instance.key).await?;
        let history = loaded.map(|loaded| loaded.history).unwrap_or_default();
        events = history.len();
        let component = component.clone();
        tokio::task::spawn_blocking(move || fits(&component, history)).await??;
        times.push(began.elapsed());
    }
    times.sort_unstable();
    let took = times.get(REPEATS / 2).map_or(0.0, Duration::as_secs_f64);
    let name = format!("cold replay of {} events", grouped(events as f64));
    let figure = Figure::new(format!("cold-{}", STEPS[place].0), name, Unit::Seconds, took);
    table.push(match place {
        MIDDLE => figure.must_reach(Statistic::Value, Bound::AtMost(Amount::Fixed(COLD))),
        _ => figure,
    });
    let rate = events as f64 / took;
    table.push(Figure::new(format!("cold-{}-rate", STEPS[place].0), "  events", Unit::PerSecond, rate));
    Ok((events as f64, took))
}

fn linearity(cold: &[(f64, f64)], table: &mut Table) {
    if let [(few, quickly), .., (many, slowly)] = cold {
        let dearer = (slowly / many) / (quickly / few);
        let figure = Figure::new("cold-linear", "an event of the longest, beside the shortest", Unit::Times, dearer);
        table.push(figure.must_reach(Statistic::Value, Bound::AtMost(Amount::Fixed(LINEAR))));
    }
}

fn draw(live: Vec<Series>, cold: Vec<(f64, f64)>, table: &mut Table) {
    let chart = |name: &str, title: &str, unit, across: &str, series| Chart {
        name: name.to_owned(),
        title: title.to_owned(),
        unit,
        plot: Plot::Lines { across: across.to_owned(), series },
    };
    let title = "Steps per second while a workflow grows";
    table.draw(chart("replay-steps", title, Unit::PerSecond, "percent of its steps", live));
    let cold = Series { label: "load and replay".to_owned(), points: cold };
    table.draw(chart("replay-cold", "Cold replay of a history", Unit::Seconds, "events", vec![cold]));
}

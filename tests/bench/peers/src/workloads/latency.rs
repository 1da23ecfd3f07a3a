//! One workflow with one activity at a time, waited for as its clients do. And events, one at a time and to many at once.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use futures::stream::{self, StreamExt, TryStreamExt};
use serde_json::Value;

use crate::arguments::Size;
use crate::figure::{figure, times};
use crate::house::{House, failed};

pub(super) async fn run(directory: PathBuf, size: Size, figures: &mut Vec<Value>) -> anyhow::Result<()> {
    let count = size.count(3, 100, 1_000);
    let house = House::open(&directory, "latency").await?;
    let mut samples = Vec::with_capacity(count);
    for number in 0..count {
        let id = format!("one-{number}");
        let began = Instant::now();
        house.client.start_orchestration(id.as_str(), "sequential", "1").await.map_err(failed)?;
        house.wait(&id).await?;
        samples.push(began.elapsed());
    }
    figures.push(times("latency", format!("one workflow: start to end (theirs: of {count})"), samples));
    // No more of them: its clients poll, all through the few connections that it has.
    events(&house, size.count(3, 100, 100), figures).await?;
    house.close().await;
    Ok(())
}

/// Events to parked instances, each of which ends with it.
async fn events(house: &House, count: usize, figures: &mut Vec<Value>) -> anyhow::Result<()> {
    for (key, at_once, how) in [("events-alone", 1, "one by one"), ("events-crowd", count, "at once")] {
        let ids = house.start("park", count, key).await?;
        // An event before an instance waits for it is lost. All before these have ended: those that run are these.
        house.until_waiting(count).await?;
        let began = Instant::now();
        let samples: Vec<Duration> =
            stream::iter(&ids).map(|id| raise(house, id)).buffer_unordered(at_once).try_collect().await?;
        let rate = count as f64 / began.elapsed().as_secs_f64();
        figures.push(times(key, format!("events, {how}: raised to ended (theirs: of {count})"), samples));
        let name = format!("events, {how}: events (theirs: of {count})");
        figures.push(figure(&format!("{key}-rate"), name, "perSecond", rate));
    }
    Ok(())
}

/// From raising the event until the instance that waits for it has ended.
async fn raise(house: &House, id: &str) -> anyhow::Result<Duration> {
    let began = Instant::now();
    house.client.raise_event(id, "go", "").await.map_err(failed)?;
    house.wait(id).await?;
    Ok(began.elapsed())
}

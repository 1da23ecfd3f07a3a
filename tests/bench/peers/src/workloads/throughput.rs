//! A backlog of workflows with some activities one after the other, and of workflows with many at once.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::arguments::Size;
use crate::figure::figure;
use crate::house::House;

pub(super) async fn run(directory: PathBuf, size: Size, figures: &mut Vec<Value>) -> anyhow::Result<()> {
    let count = size.count(5, 300, 3_000);
    for steps in [1, 5, 10] {
        let took = backlog(&directory, "sequential", count, steps).await?;
        let name = format!("{steps} in a row: workflows (theirs: of {count})");
        let rate = count as f64 / took.as_secs_f64();
        figures.push(figure(&format!("sequential-{steps}-native"), name, "perSecond", rate));
    }
    let wanted = size.count(20, 1_000, 3_000);
    for width in [10, 100] {
        // At least one, which may have more activities than are wanted: what counts is how many there were.
        let count = (wanted / width).max(1);
        let took = backlog(&directory, "fan_out", count, width).await?;
        let activities = count * width;
        let name = format!("{width} at once: activities (theirs: of {activities})");
        let rate = activities as f64 / took.as_secs_f64();
        figures.push(figure(&format!("fan-out-{width}-native"), name, "perSecond", rate));
    }
    Ok(())
}

/// How long so many workflows take with so many activities each, on a file of their own.
async fn backlog(directory: &Path, orchestration: &str, count: usize, activities: usize) -> anyhow::Result<Duration> {
    let house = House::open(directory, &format!("throughput-{orchestration}-{activities}")).await?;
    let began = Instant::now();
    house.start(orchestration, count, &activities.to_string()).await?;
    house.until_completed(count).await?;
    let took = began.elapsed();
    house.close().await;
    Ok(took)
}

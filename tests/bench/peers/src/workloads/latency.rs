//! One workflow with one activity at a time, waited for as its clients do.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::Value;

use crate::arguments::Size;
use crate::figure::times;
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
    house.close().await;
    figures.push(times("latency", format!("one workflow: start to end (theirs: of {count})"), samples));
    Ok(())
}

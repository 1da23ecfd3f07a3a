//! One workflow with many activities one after the other.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::Value;

use crate::arguments::Size;
use crate::figure::figure;
use crate::house::House;

pub(super) async fn run(directory: PathBuf, size: Size, figures: &mut Vec<Value>) -> anyhow::Result<()> {
    let steps = size.count(10, 1_000, 5_000);
    let house = House::open(&directory, "replay").await?;
    let began = Instant::now();
    for id in house.start("sequential", 1, &steps.to_string()).await? {
        house.wait(&id).await?;
    }
    let rate = steps as f64 / began.elapsed().as_secs_f64();
    house.close().await;
    figures.push(figure("steps-5000", format!("5,000 in a row: steps (theirs: of {steps})"), "perSecond", rate));
    Ok(())
}

//! A backlog of workflows with some activities one after the other.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::Value;

use crate::arguments::Size;
use crate::figure::figure;
use crate::house::House;

pub(super) async fn run(directory: PathBuf, size: Size, figures: &mut Vec<Value>) -> anyhow::Result<()> {
    let count = size.count(5, 300, 3_000);
    for steps in [1, 5, 10] {
        let house = House::open(&directory, &format!("throughput-{steps}")).await?;
        let began = Instant::now();
        house.start("sequential", count, &steps.to_string()).await?;
        house.until_completed(count).await?;
        let rate = count as f64 / began.elapsed().as_secs_f64();
        let name = format!("{steps} in a row: workflows (theirs: of {count})");
        figures.push(figure(&format!("sequential-{steps}-native"), name, "perSecond", rate));
        house.close().await;
    }
    Ok(())
}

//! What workflows cost that wait for an event: memory, and processor time while nothing happens.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use crate::arguments::Size;
use crate::figure::figure;
use crate::house::House;
use crate::process::{processor_time, resident};

/// How long nothing happens.
const QUIET: Duration = Duration::from_secs(20);
/// The same when it has to be quick.
const QUIET_QUICK: Duration = Duration::from_millis(200);

pub(super) async fn run(directory: PathBuf, size: Size, figures: &mut Vec<Value>) -> anyhow::Result<()> {
    let count = size.count(5, 1_000, 10_000);
    let house = House::open(&directory, "parked").await?;
    let base = resident()?;
    house.start("park", count, "").await?;
    house.until_waiting(count).await?;
    let name = format!("10,000 parked: memory beside the base (theirs: {count})");
    figures.push(figure("parked-10000-memory", name, "bytes", resident()? - base));
    let quiet = if size == Size::Quick { QUIET_QUICK } else { QUIET };
    let before = processor_time()?;
    tokio::time::sleep(quiet).await;
    let share = processor_time()?.saturating_sub(before).as_secs_f64() / quiet.as_secs_f64() * 100.0;
    let name = format!("10,000 parked: processor while idle (theirs: {count})");
    figures.push(figure("parked-10000-idle", name, "percent", share));
    house.close().await;
    Ok(())
}

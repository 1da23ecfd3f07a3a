//! Workflows that do next to nothing, so that what is measured is the host.

use std::time::SystemTime;

use everturn_sdk::futures::stream::{FuturesUnordered, TryStreamExt};
use everturn_sdk::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The activity that is in this component.
pub const STEP_IN_COMPONENT: &str = "step_in_component";

/// Activities to call.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Calls {
    /// Which: its name decides who runs it.
    pub activity: String,
    /// How often.
    pub count: u64,
}

/// Calls an activity so often, one after the other, with the numbers from 0.
#[workflow]
async fn sequential(ctx: Ctx, calls: Calls) -> Result<()> {
    in_a_row(ctx, &calls).await
}

/// Calls an activity so often at once, with the numbers from 0, and waits for all.
#[workflow]
async fn fan_out(ctx: Ctx, calls: Calls) -> Result<()> {
    let open: FuturesUnordered<_> =
        (0..calls.count).map(|number| ctx.activity::<Value>(&calls.activity, &number)).collect();
    open.try_collect::<Vec<_>>().await.map(drop)
}

/// Waits for event `go` without limit.
#[workflow]
async fn park(ctx: Ctx) -> Result<Value> {
    ctx.wait_for_event("go").await
}

/// Calls an activity so often, one after the other, and then waits for event `go` without limit.
#[workflow]
async fn park_after(ctx: Ctx, calls: Calls) -> Result<Value> {
    in_a_row(ctx, &calls).await?;
    ctx.wait_for_event("go").await
}

/// Sleeps until the time it is given.
#[workflow]
async fn sleeps_until(ctx: Ctx, time: SystemTime) -> Result<()> {
    ctx.sleep_until(time).await;
    Ok(())
}

/// Does nothing.
#[activity]
async fn step_in_component(_ctx: ActivityCtx, _number: u64) -> Result<()> {
    Ok(())
}

async fn in_a_row(ctx: Ctx, calls: &Calls) -> Result<()> {
    for number in 0..calls.count {
        ctx.activity::<Value>(&calls.activity, &number).await?;
    }
    Ok(())
}

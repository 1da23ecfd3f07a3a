//! Timers: until a time, for a time, with and without a name.

use std::time::{Duration, SystemTime};

use everturn_sdk::prelude::*;

/// Sleeps until the time it is given, under the name `deadline`; the result is the time at which it goes on.
#[workflow]
async fn sleeps_until(ctx: Ctx, time: SystemTime) -> Result<SystemTime> {
    ctx.sleep_until(time).named("deadline").await;
    Ok(ctx.now())
}

/// Sleeps this long, without a name.
#[workflow]
async fn sleeps_for(ctx: Ctx, duration: Duration) -> Result<()> {
    ctx.sleep(duration).await;
    Ok(())
}

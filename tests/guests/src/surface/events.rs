//! Waiting for events: early, late, in time, and whose turn it is.

use std::time::Duration;

use everturn_sdk::prelude::*;
use serde_json::{Value, json};

/// Waits for event `Approval`.
#[workflow]
async fn waits_for_approval(ctx: Ctx) -> Result<Value> {
    ctx.wait_for_event("Approval").await
}

/// Sleeps 5 s, takes `item` twice if it is there, and then waits for one.
#[workflow]
async fn comes_late(ctx: Ctx) -> Result<Value> {
    ctx.sleep(Duration::from_secs(5)).await;
    let taken: [Option<Value>; 2] = [ctx.try_take_event("item").await?, ctx.try_take_event("item").await?];
    let waited: Value = ctx.wait_for_event("item").await?;
    Ok(json!([taken, waited]))
}

/// Waits for event `go` for 10 s, then once more without limit.
#[workflow]
async fn waits_twice(ctx: Ctx) -> Result<(Option<u32>, u32)> {
    let first = ctx.wait_for_event("go").timeout(Duration::from_secs(10)).await?;
    Ok((first, ctx.wait_for_event("go").await?))
}

/// Waits for event `go` this long.
#[workflow]
async fn waits_this_long(ctx: Ctx, limit: Duration) -> Result<Option<u32>> {
    ctx.wait_for_event("go").timeout(limit).await
}

/// Waits for event `go` twice at once.
#[workflow]
async fn two_wait_for_one_name(ctx: Ctx) -> Result<(u32, u32)> {
    try_join!(ctx.wait_for_event("go"), ctx.wait_for_event("GO"))
}

/// Waits for event `go` without limit beside a timer of 5 s; then gives the same wait 10 s more.
#[workflow]
async fn limits_a_wait_that_has_begun(ctx: Ctx) -> Result<Option<u32>> {
    let mut wait = ctx.wait_for_event::<u32>("go");
    select! {
        data = wait => return data.map(Some),
        () = ctx.sleep(Duration::from_secs(5)) => {}
    }
    wait.timeout(Duration::from_secs(10)).await
}

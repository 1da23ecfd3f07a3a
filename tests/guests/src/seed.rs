//! The workflows of the numbered test cases for timer origins and optional timers (tests 1 to 13).

use std::time::Duration;

use everturn_sdk::prelude::*;
use serde_json::Value;

/// Test 1: a timer of 5 s.
#[workflow]
async fn create_timer(ctx: Ctx) -> Result<()> {
    ctx.sleep(Duration::from_secs(5)).await;
    Ok(())
}

/// Test 2: waits for `myEvent` for 30 s; the result is what it carried, or null.
#[workflow]
async fn finite_wait(ctx: Ctx) -> Result<Option<Value>> {
    ctx.wait_for_event("myEvent").timeout(Duration::from_secs(30)).await
}

/// Tests 3 and 4: activity `A` with up to 3 attempts, after 1 s and 2 s.
#[workflow]
async fn activity_retry(ctx: Ctx) -> Result<Value> {
    ctx.activity("A", &()).retry(three_attempts()).await
}

/// Tests 5 and 6: child `Child` with up to 3 attempts, after 1 s and 2 s.
#[workflow]
async fn child_retry(ctx: Ctx) -> Result<Value> {
    ctx.child("Child", &()).retry(three_attempts()).await
}

/// Tests 7 and 9: waits for `myEvent` without limit; the result is what it carried.
#[workflow]
async fn indefinite_wait(ctx: Ctx) -> Result<Value> {
    ctx.wait_for_event("myEvent").await
}

/// Test 8: takes `myEvent` if it is there.
#[workflow]
async fn zero_wait(ctx: Ctx) -> Result<Option<Value>> {
    ctx.try_take_event("myEvent").await
}

/// Test 10: `myEvent`, then activity `A`, whose answer is the result.
#[workflow]
async fn wait_then_activity(ctx: Ctx) -> Result<Value> {
    ctx.wait_for_event::<Value>("myEvent").await?;
    ctx.activity("A", &()).await
}

/// Test 11: `myEvent`, then child `Child`, whose answer is the result.
#[workflow]
async fn wait_then_child(ctx: Ctx) -> Result<Value> {
    ctx.wait_for_event::<Value>("myEvent").await?;
    ctx.child("Child", &()).await
}

/// Test 12: `myEvent`, then a timer of 5 s; the result is what the event carried.
#[workflow]
async fn wait_then_timer(ctx: Ctx) -> Result<Value> {
    let data = ctx.wait_for_event("myEvent").await?;
    ctx.sleep(Duration::from_secs(5)).await;
    Ok(data)
}

/// Test 13: event `A`, activity `ActA`, event `B`, activity `ActB`; the result is the last answer.
#[workflow]
async fn two_waits(ctx: Ctx) -> Result<Value> {
    ctx.wait_for_event::<Value>("A").await?;
    ctx.activity::<Value>("ActA", &()).await?;
    ctx.wait_for_event::<Value>("B").await?;
    ctx.activity("ActB", &()).await
}

fn three_attempts() -> RetryPolicy {
    RetryPolicy::exponential(Duration::from_secs(1)).max_attempts(3)
}

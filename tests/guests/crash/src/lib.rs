//! The workflows of the crash test: each does a bit of everything and tells all that happened to it, so that the test can
//! compare that with what the host had acknowledged.

use std::time::{Duration, SystemTime};

use everturn_sdk::http;
use everturn_sdk::prelude::*;
use serde::{Deserialize, Serialize};

/// What an instance is to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Task {
    /// How long its timers take.
    pub milliseconds: u64,
    /// How often it continues as new.
    pub restarts: u32,
    /// What it saw before.
    pub seen: Vec<u64>,
    /// The timers that it had before.
    pub timers: Vec<Timer>,
    /// The calls that it made before.
    pub calls: Vec<String>,
}

/// A timer, in microseconds since 1970.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Timer {
    /// When it was to fire.
    pub due: u64,
    /// When it did.
    pub fired: u64,
}

/// What an instance saw.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The numbers that events carried, in order.
    pub seen: Vec<u64>,
    /// Its timers.
    pub timers: Vec<Timer>,
    /// The task execution ids of its activities.
    pub calls: Vec<String>,
}

/// The event that ends the collecting.
const LAST: u64 = u64::MAX;

/// Calls activities, one of which fails at first, and a child; sleeps; and collects events until the last one.
#[workflow]
async fn everything(ctx: Ctx, mut task: Task) -> Result<Report> {
    let pause = Duration::from_millis(task.milliseconds);
    let quickly = RetryPolicy::fixed(Duration::from_millis(10)).max_attempts(5);
    task.calls.push(ctx.activity("count", &()).retry(quickly.clone()).await?);
    task.timers.push(sleep(ctx, pause).await);
    let (report, call): (Result<Report>, Result<String>) =
        join!(async { ctx.child::<Report>("little", &task.milliseconds).await }, async {
            ctx.activity::<String>("fail_at_first", &()).retry(quickly).await
        },);
    let report = report?;
    task.calls.push(call?);
    task.calls.extend(report.calls);
    task.timers.extend(report.timers);
    loop {
        let number: u64 = ctx.wait_for_event("number").await?;
        if number == LAST {
            break;
        }
        task.seen.push(number);
        if task.restarts > 0 {
            task.restarts -= 1;
            return Err(ctx.continue_as_new(&task));
        }
    }
    Ok(Report { seen: task.seen, timers: task.timers, calls: task.calls })
}

/// A child: sleeps and calls an activity.
#[workflow]
async fn little(ctx: Ctx, milliseconds: u64) -> Result<Report> {
    let timer = sleep(ctx, Duration::from_millis(milliseconds)).await;
    let call = ctx.activity("count", &()).await?;
    Ok(Report { seen: Vec::new(), timers: vec![timer], calls: vec![call] })
}

async fn sleep(ctx: Ctx, pause: Duration) -> Timer {
    let due = ctx.now() + pause;
    ctx.sleep(pause).await;
    Timer { due: microseconds(due), fired: microseconds(ctx.now()) }
}

fn microseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}

/// Calls an activity that takes an hour.
#[workflow]
async fn patient(ctx: Ctx) -> Result<()> {
    ctx.activity("take_an_hour", &()).await
}

/// Takes an hour.
#[activity]
async fn take_an_hour(ctx: ActivityCtx, (): ()) -> Result<()> {
    effect(ctx).await?;
    std::thread::sleep(Duration::from_secs(3600));
    Ok(())
}

/// Has an effect in the world, and gives the id of the call.
#[activity]
async fn count(ctx: ActivityCtx, (): ()) -> Result<String> {
    effect(ctx).await
}

/// Does the same, but not at the first attempt.
#[activity]
async fn fail_at_first(ctx: ActivityCtx, (): ()) -> Result<String> {
    if ctx.info().attempt == 1 {
        return Err(Error::new("NotYet", "the first attempt fails"));
    }
    effect(ctx).await
}

async fn effect(ctx: ActivityCtx) -> Result<String> {
    let id = ctx.info().task_execution_id;
    let world = std::env::var("WORLD_URL")?;
    http::post(format!("{world}/{id}")).await?.error_for_status()?;
    Ok(id)
}

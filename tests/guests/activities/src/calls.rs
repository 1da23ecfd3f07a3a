//! What an activity knows of its call, what it is granted, and what it says.

use std::time::{Duration, Instant, SystemTime};

use everturn_sdk::prelude::*;
use serde_json::{Value, json};

/// Tells which call it is.
///
/// This is not part of the summary.
#[activity]
async fn info(ctx: ActivityCtx) -> Result<Value> {
    let info = ctx.info();
    Ok(json!({
        "id": info.id(),
        "name": info.name,
        "instanceId": info.instance_id,
        "workflow": info.workflow,
        "taskId": info.task_id,
        "generation": info.generation,
        "taskExecutionId": info.task_execution_id,
        "attempt": info.attempt,
        "dispatch": info.dispatch,
    }))
}

#[activity(name = "Another Name")]
async fn renamed(_ctx: ActivityCtx, input: Value) -> Result<Value> {
    Ok(input)
}

/// Says so often that it is alive, until nobody wants to hear it; tells how often that was.
#[activity]
async fn beats(ctx: ActivityCtx, times: u32) -> Result<u32> {
    for beat in 0..times {
        if !ctx.heartbeat_with(&json!({ "beat": beat }))? {
            return Ok(beat);
        }
    }
    Ok(if ctx.heartbeat() { times } else { 0 })
}

#[activity]
async fn environment(_ctx: ActivityCtx) -> Result<Vec<(String, String)>> {
    Ok(std::env::vars().collect())
}

#[activity]
async fn secret(ctx: ActivityCtx, name: String) -> Result<Option<String>> {
    Ok(ctx.secret(&name))
}

/// Says something in every way there is.
#[activity]
async fn logs(_ctx: ActivityCtx) -> Result<()> {
    let order = 7;
    info!(order, "charged");
    error!("a problem");
    println!("to stdout");
    eprintln!("to stderr");
    print!("without an end");
    Ok(())
}

#[activity]
async fn logs_a_lot(_ctx: ActivityCtx, lines: usize) -> Result<()> {
    for _ in 0..lines {
        println!("{}", "x".repeat(1023));
    }
    Ok(())
}

/// Uses what a workflow has only pinned: whether clocks go on, a thread may sleep, and random numbers differ.
#[activity]
async fn usual_world(_ctx: ActivityCtx) -> Result<(u64, bool, bool)> {
    let started = Instant::now();
    std::thread::sleep(Duration::from_millis(2));
    let seconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_secs();
    Ok((seconds, started.elapsed() >= Duration::from_millis(2), rand::random::<u64>() != rand::random::<u64>()))
}

/// A workflow beside the activities, as usual.
#[workflow]
async fn asks_for_info(ctx: Ctx) -> Result<Value> {
    info!("asking");
    ctx.activity("info", &()).await
}

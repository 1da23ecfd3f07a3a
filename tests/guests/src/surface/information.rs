//! What an instance is told of itself, of its time and its history.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use everturn_sdk::prelude::*;
use serde::Serialize;
use serde_json::Value;

/// All that `Ctx::info` tells.
#[derive(Serialize)]
struct Told {
    instance_id: String,
    workflow: String,
    version: Option<String>,
    generation: u32,
    started_at: SystemTime,
    parent: Option<(String, String)>,
    tags: BTreeMap<String, String>,
}

/// What differs from moment to moment.
#[derive(Serialize)]
struct Moment {
    now: SystemTime,
    history_length: u64,
    is_replaying: bool,
}

/// Sleeps a second, then tells all that it is told of itself: the time of its start is not that of its end.
#[workflow]
async fn who_am_i(ctx: Ctx) -> Result<Told> {
    ctx.sleep(Duration::from_secs(1)).await;
    let info = ctx.info();
    Ok(Told {
        instance_id: info.instance_id,
        workflow: info.workflow,
        version: info.version,
        generation: info.generation,
        started_at: info.started_at,
        parent: info.parent.map(|parent| (parent.instance_id, parent.workflow)),
        tags: info.tags,
    })
}

/// Looks at the clock before a timer of 5 s, after it, and after activity `A`.
#[workflow]
async fn looks_at_the_clock(ctx: Ctx) -> Result<Vec<Moment>> {
    let mut moments = vec![moment(ctx)];
    ctx.sleep(Duration::from_secs(5)).await;
    moments.push(moment(ctx));
    ctx.activity::<Value>("A", &()).await?;
    moments.push(moment(ctx));
    Ok(moments)
}

fn moment(ctx: Ctx) -> Moment {
    Moment { now: ctx.now(), history_length: ctx.history_length(), is_replaying: ctx.is_replaying() }
}

/// Draws a UUID, then so many random bytes; the result is the UUID, their number, and the last 8 of them.
#[workflow]
async fn draws_random(ctx: Ctx, length: usize) -> Result<(String, usize, Vec<u8>)> {
    let uuid = ctx.uuid();
    let bytes = ctx.random_bytes(length);
    Ok((uuid, bytes.len(), bytes[length.saturating_sub(8)..].to_vec()))
}

/// Has a name
/// of its own.
///
/// Only the first paragraph is its summary.
#[workflow(name = "Named/by hand")]
async fn another_name(_ctx: Ctx) -> Result<()> {
    Ok(())
}

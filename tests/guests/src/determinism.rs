//! A workflow that touches everything that differs between two runs of an ordinary program.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant, SystemTime};

use everturn_sdk::prelude::*;
use rand::RngExt;
use rand::rngs::StdRng;
use serde::Serialize;
use serde_json::Value;

/// How often it looks around.
const ROUNDS: u32 = 3;
/// Enough keys that two orders agree by accident once in 10^18 times.
const KEYS: u32 = 20;

/// What it found in one look.
#[derive(Clone, Debug, Serialize)]
struct Look {
    map_order: Vec<u32>,
    set_order: Vec<u32>,
    system_time: Duration,
    instant: String,
    since_start: Duration,
    thread_random: u64,
    fresh_random: [u8; 16],
    uuid: String,
    random_bytes: Vec<u8>,
}

/// Looks around, tells an activity and the world, and looks again; the result is all it saw.
#[workflow]
async fn nosy(ctx: Ctx) -> Result<Vec<Look>> {
    let start = Instant::now();
    let mut looks = Vec::new();
    for round in 0..ROUNDS {
        let look = look(ctx, start)?;
        println!("round {round}: {look:?}");
        eprintln!("round {round}: {look:?}");
        ctx.activity::<Value>("look", &look).await?;
        looks.push(look);
        ctx.sleep(Duration::from_secs(1)).await;
    }
    Ok(looks)
}

fn look(ctx: Ctx, start: Instant) -> Result<Look> {
    let map: HashMap<_, _> = (0..KEYS).map(|key| (key, ())).collect();
    let set: HashSet<_> = (0..KEYS).collect();
    Ok(Look {
        map_order: map.into_keys().collect(),
        set_order: set.into_iter().collect(),
        system_time: SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?,
        instant: format!("{:?}", Instant::now()),
        since_start: start.elapsed(),
        thread_random: rand::random(),
        fresh_random: rand::make_rng::<StdRng>().random(),
        uuid: ctx.uuid(),
        random_bytes: ctx.random_bytes(16),
    })
}

//! Workflows in several versions. Tests write another name over the one below in the compiled component: what differs is
//! then just that, and one crate is compiled for all of them.

#![allow(clippy::panic, reason = "some versions do not work, on purpose")]

mod family;
mod patches;

use everturn_sdk::prelude::*;

use crate::patches::takes;

/// Which version this is.
#[used]
static VERSION: [u8; 32] = *b"everturn-version:first__________";

/// The name in it. Read at run time, so that the compiler does not decide what depends on it.
fn version() -> String {
    let mut version = [0; VERSION.len()];
    for (index, byte) in version.iter_mut().enumerate() {
        // SAFETY: the index is within the array, which is never written to.
        *byte = unsafe { std::ptr::read_volatile(VERSION.as_ptr().add(index)) };
    }
    let name = version.split(|byte| *byte == b':').next_back().unwrap_or_default();
    String::from_utf8_lossy(name).trim_end_matches('_').to_owned()
}

/// Calls activities between two events, and tells which version had which part: the first, the second and the last.
#[workflow]
async fn journey(ctx: Ctx, name: String) -> Result<Vec<String>> {
    let version = version();
    match version.as_str() {
        "panics" => panic!("this version does not work"),
        // Not something that a compiler may take to be over at some point.
        "loops" => loop {
            std::hint::black_box(&version);
        },
        _ => {}
    }
    let (first, second) = if version == "reordered" { ("unpack", "pack") } else { ("pack", "unpack") };
    if version == "hasty" {
        // Whoever is told to depart leaves the rest unpacked.
        let mut packing = ctx.activity::<()>(first, &name);
        select! {
            packed = packing => packed?,
            departed = ctx.wait_for_event::<()>("depart") => departed?,
        }
        drop(packing);
    } else {
        ctx.activity::<()>(first, &name).await?;
    }
    let mut parts = vec![version.clone()];
    ctx.wait_for_event::<()>("depart").await?;
    if version == "insured" || takes(ctx, "insurance") {
        ctx.activity::<()>("insure", &name).await?;
    }
    ctx.activity::<()>(second, &name).await?;
    parts.push(version.clone());
    ctx.wait_for_event::<()>("arrive").await?;
    if version == "stumbles" {
        panic!("this version does not come this far");
    }
    let last = if version == "later" { "celebrate" } else { "rest" };
    ctx.activity::<()>(last, &name).await?;
    parts.push(version);
    Ok(parts)
}

/// Tells in each turn, twice, which version it is, for as long as it is asked.
#[workflow]
async fn steady(ctx: Ctx) -> Result<u32> {
    let mut turns = 0;
    loop {
        let goes_on: bool = ctx.wait_for_event("next").await?;
        let version = version();
        let (first, second) =
            join!(ctx.activity::<()>("tell", &(turns, &version)), ctx.activity::<()>("tell", &(turns, &version)));
        first.and(second)?;
        turns += 1;
        if !goes_on {
            return Ok(turns);
        }
    }
}

//! A change on its way into the code, in four versions: `first` does not have it, `patched` has both ways, `deprecated` has
//! the new way only and still says so, `settled` has it as if it had always been there.

use everturn_sdk::prelude::*;

use crate::version;

/// Whether the code behind a patch runs in this version.
pub(crate) fn takes(ctx: Ctx, patch: &str) -> bool {
    match version().as_str() {
        "patched" => ctx.patched(patch),
        "deprecated" => {
            ctx.deprecate_patch(patch);
            true
        }
        "settled" => true,
        _ => false,
    }
}

/// Delivers something with every event `next`; a patch checks it before.
#[workflow]
async fn rounds(ctx: Ctx) -> Result<()> {
    loop {
        ctx.wait_for_event::<()>("next").await?;
        if takes(ctx, "check") {
            ctx.activity::<()>("check", &()).await?;
        }
        ctx.activity::<()>("deliver", &()).await?;
    }
}

/// The same with a patch for each round.
#[workflow]
async fn numbered_rounds(ctx: Ctx) -> Result<()> {
    for round in 1.. {
        ctx.wait_for_event::<()>("next").await?;
        if takes(ctx, &format!("check-{round}")) {
            ctx.activity::<()>("check", &()).await?;
        }
        ctx.activity::<()>("deliver", &()).await?;
    }
    Ok(())
}

/// The same with a new generation for each round.
#[workflow]
async fn round_by_round(ctx: Ctx) -> Result<()> {
    let checks = takes(ctx, "check");
    ctx.wait_for_event::<()>("next").await?;
    if checks {
        ctx.activity::<()>("check", &()).await?;
    }
    ctx.activity::<()>("deliver", &()).await?;
    Err(ctx.continue_as_new(&()))
}

/// Two patches: one before an event `next`, and one behind it.
#[workflow]
async fn two_patches(ctx: Ctx) -> Result<()> {
    if takes(ctx, "wrap") {
        ctx.activity::<()>("wrap", &()).await?;
    }
    ctx.activity::<()>("pack", &()).await?;
    ctx.wait_for_event::<()>("next").await?;
    if takes(ctx, "weigh") {
        ctx.activity::<()>("weigh", &()).await?;
    }
    ctx.activity::<()>("post", &()).await?;
    ctx.wait_for_event("end").await
}

/// Two branches that come by the same patch, one with event `left` and one with event `right`.
#[workflow]
async fn two_branches(ctx: Ctx) -> Result<()> {
    let branch = async |event| {
        ctx.wait_for_event::<()>(event).await?;
        if takes(ctx, "check") {
            ctx.activity::<()>("check", event).await?;
        }
        ctx.activity::<()>("deliver", event).await
    };
    try_join!(branch("left"), branch("right"))?;
    Ok(())
}

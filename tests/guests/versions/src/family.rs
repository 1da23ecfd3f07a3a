//! Children and next generations, which tell the version that they are on.

use everturn_sdk::prelude::*;

use crate::version;

/// Tells which version it is.
#[workflow]
async fn tells(_ctx: Ctx) -> Result<String> {
    Ok(version())
}

/// With event `next`, notes its own version and that of a child, and begins again; two such generations are the result.
#[workflow]
async fn generations(ctx: Ctx, mut told: Vec<[String; 2]>) -> Result<Vec<[String; 2]>> {
    ctx.wait_for_event::<()>("next").await?;
    let child = ctx.child("tells", &()).await?;
    told.push([version(), child]);
    if told.len() < 2 {
        return Err(ctx.continue_as_new(&told));
    }
    Ok(told)
}

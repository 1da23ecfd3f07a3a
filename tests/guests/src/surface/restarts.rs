//! Continue-as-new from deep inside, and changes of code behind patches.

use std::time::Duration;

use everturn_sdk::ContinueOptions;
use everturn_sdk::prelude::*;
use serde::{Deserialize, Serialize};

/// How to restart, and how often it was done.
#[derive(Clone, Serialize, Deserialize)]
struct Restarts {
    done: u32,
    #[serde(default)]
    drop_unread_events: bool,
    version: Option<String>,
}

/// Waits for event `go` beside an open activity, and restarts from two calls further down.
#[workflow]
async fn restarts_from_deep_inside(ctx: Ctx, restarts: Restarts) -> Result<String> {
    let (_, ()) = try_join!(ctx.activity::<String>("endless", &()), goes_on(ctx, restarts))?;
    Ok("it never comes here".to_owned())
}

async fn goes_on(ctx: Ctx, restarts: Restarts) -> Result<()> {
    ctx.wait_for_event::<()>("go").await?;
    restart(ctx, &restarts)?;
    Err(Error::new("NotReached", "the question mark let a restart pass"))
}

fn restart(ctx: Ctx, restarts: &Restarts) -> Result<()> {
    let mut options = ContinueOptions::new();
    if restarts.drop_unread_events {
        options = options.drop_unread_events();
    }
    if let Some(version) = &restarts.version {
        options = options.version(version);
    }
    Err(ctx.continue_as_new_with(&Restarts { done: restarts.done + 1, ..restarts.clone() }, options))
}

/// Restarts with the default options, as its last word.
#[workflow]
async fn restarts_plainly(ctx: Ctx, count: u32) -> Result<()> {
    ctx.sleep(Duration::from_secs(1)).await;
    Err(ctx.continue_as_new(&(count + 1)))
}

/// Decides to restart, and then does not.
#[workflow]
async fn changes_its_mind(ctx: Ctx) -> Result<bool> {
    let error = ctx.continue_as_new(&1);
    Ok(error.is_continue_as_new())
}

/// Takes the new way or the old one, sleeps, and asks again; the result is both answers and that for a second patch.
#[workflow]
async fn takes_patches(ctx: Ctx) -> Result<(bool, bool, bool)> {
    let before = ctx.patched("first");
    let activity = if before { "New" } else { "Old" };
    ctx.activity::<()>(activity, &()).await?;
    Ok((before, ctx.patched("first"), ctx.patched("second")))
}

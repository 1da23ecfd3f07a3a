//! Greets somebody and waits for an answer, but not for ever.

use std::time::Duration;

use everturn_sdk::prelude::*;

/// How long there is to answer. It may as well be a year: an instance that waits costs nothing, and a host that is stopped
/// and started again goes on waiting.
const PATIENCE: Duration = Duration::from_secs(60);

/// Greets somebody by name and waits for the event `answer`.
///
/// It may be run again from its beginning at any time, with the same answers, so it does nothing but decide. What touches
/// the world is an activity.
#[workflow]
async fn hello(ctx: Ctx, name: String) -> Result<String> {
    let greeting: String = ctx.activity("greet", &name).await?;

    ctx.set_custom_status(&format!("waiting for {name}"))?;
    let answer = ctx.wait_for_event::<String>("answer").timeout(PATIENCE).await?;

    Ok(match answer {
        Some(answer) => format!("{greeting} {name} said: {answer}"),
        None => format!("{greeting} {name} said nothing."),
    })
}

/// Makes a greeting. This is the place for what a workflow may not do: requests, clocks, databases. It runs at least once.
#[activity]
async fn greet(_ctx: ActivityCtx, name: String) -> Result<String> {
    info!(name, "greeting");
    Ok(format!("Hello, {name}!"))
}

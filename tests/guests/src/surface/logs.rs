//! Log lines and prints.

use everturn_sdk::prelude::*;

/// Logs at every level and in every form, waits for event `go`, and logs once more.
#[workflow]
async fn logs(ctx: Ctx) -> Result<()> {
    let (order, customer, r#type) = (7, Some("Ada"), "express");
    trace!("trace");
    debug!(order, "debug");
    info!(order, ?customer, %order, "info after {} attempts", 2);
    warn!(order = order + 1, customer = ?customer, shown = %"as it is", "warn about {order}");
    error!(r#type, "a \"quoted\" error");
    println!("to stdout");
    eprintln!("to stderr");
    ctx.wait_for_event::<()>("go").await?;
    info!("went on");
    print!("without an end");
    Ok(())
}

//! What the workflow does to the world. The check is a real one; put a call of your own pager or chat in the place of the
//! alert.

use everturn_sdk::http;
use everturn_sdk::prelude::*;

use crate::Alert;

/// Asks an address for what is there. Any answer but a success is a failure. The deployment has to grant the host.
#[activity]
async fn check(_ctx: ActivityCtx, url: String) -> Result<()> {
    http::get(url).await?.error_for_status()?;
    Ok(())
}

/// Tells people.
#[activity]
async fn alert(_ctx: ActivityCtx, alert: Alert) -> Result<()> {
    match alert {
        Alert::Down { url, reason } => warn!(url, reason, "down"),
        Alert::Up { url, down_for_seconds } => info!(url, down_for_seconds, "up again"),
    }
    Ok(())
}

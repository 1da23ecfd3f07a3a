//! The activity: what the workflow does to the world. It only writes to the log, so that the example runs anywhere; put your
//! archive here (`everturn_sdk::http` sends requests).

use everturn_sdk::prelude::*;

use crate::{Decision, Request};

/// Files what came of a request.
#[activity]
async fn record(_ctx: ActivityCtx, (request, decision): (Request, Decision)) -> Result<()> {
    match decision.approved_by {
        Some(by) => info!(purpose = request.purpose, by, extensions = decision.extensions, "approved"),
        None => info!(purpose = request.purpose, extensions = decision.extensions, "expired"),
    }
    Ok(())
}

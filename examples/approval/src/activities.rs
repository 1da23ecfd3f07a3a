//! The activities: what the workflow does to the world. These only write to the log, so that the example runs anywhere; put
//! your mail server and your archive here (`everturn_sdk::http` sends requests).

use everturn_sdk::prelude::*;

use crate::{Request, Status};

/// Tells the approver that somebody waits for an answer.
#[activity]
async fn notify(_ctx: ActivityCtx, request: Request) -> Result<()> {
    info!(to = request.approver, purpose = request.purpose, until = %request.deadline, "please approve or reject");
    Ok(())
}

/// Files what came of a request, and gives the number under which it is found.
#[activity]
async fn record(ctx: ActivityCtx, (request, status): (Request, Status)) -> Result<String> {
    info!(purpose = request.purpose, ?status, "filed");
    // The same for every attempt of a call: an archive that knows it files once what it is sent twice.
    Ok(ctx.info().task_execution_id)
}

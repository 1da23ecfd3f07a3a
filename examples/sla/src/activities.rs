//! The activities: what the workflow does to the world. These only write to the log, so that the example runs anywhere; put
//! your pager here (`everturn_sdk::http` sends requests).

use everturn_sdk::prelude::*;

/// Calls somebody who has more to say.
#[activity]
async fn escalate(_ctx: ActivityCtx, (subject, to): (String, String)) -> Result<()> {
    warn!(to, subject, "nobody has answered: please see to it");
    Ok(())
}

/// Reports that a promise to a customer was broken.
#[activity]
async fn report_breach(_ctx: ActivityCtx, subject: String) -> Result<()> {
    error!(subject, "nobody answered in time");
    Ok(())
}

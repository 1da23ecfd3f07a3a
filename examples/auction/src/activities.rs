//! The activity: what the workflow does to the world. It only writes to the log, so that the example runs anywhere; put your
//! mails to the bidders here (`everturn_sdk::http` sends requests).

use everturn_sdk::prelude::*;

use crate::Sale;

/// Tells everybody who won.
#[activity]
async fn announce(_ctx: ActivityCtx, sale: Sale) -> Result<()> {
    match sale.winner {
        Some(winner) => info!(item = sale.item, to = winner.bidder, amount = winner.amount, "sold"),
        None => info!(item = sale.item, "not sold: nobody bid"),
    }
    Ok(())
}

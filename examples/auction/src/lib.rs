//! An auction that a late bid keeps open. The workflow is here; what it does to the world is in `activities`.

mod activities;

use std::time::Duration;

use chrono::{DateTime, Utc};
use everturn_sdk::prelude::*;
use serde::{Deserialize, Serialize};

/// What is sold, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lot {
    /// What is sold.
    pub item: String,
    /// Who sells it, and therefore does not bid.
    pub seller: String,
    /// The lowest bid, in cents.
    pub minimum: u64,
    /// How long the auction is open, if nobody bids near its end.
    pub open_seconds: u32,
    /// It does not close before nobody has bid for so long.
    pub quiet_seconds: u32,
}

/// What somebody would pay: what the update `bid` takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bid {
    /// Who bids.
    pub bidder: String,
    /// How much, in cents.
    pub amount: u64,
}

/// What came of an auction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sale {
    /// What was sold.
    pub item: String,
    /// The highest bid. None: nobody wanted it.
    pub winner: Option<Bid>,
}

struct Auction {
    lot: Lot,
    leader: Option<Bid>,
    closing: UpdatableTimer,
}

/// Takes bids until the auction closes, which each late bid puts off, and announces who won.
#[workflow]
impl Auction {
    #[init]
    fn new(ctx: &Ctx<Self>, lot: &Lot) -> Self {
        let closes_at = ctx.now() + Duration::from_secs(lot.open_seconds.into());
        Self { lot: lot.clone(), leader: None, closing: UpdatableTimer::until(closes_at) }
    }

    #[run]
    async fn run(ctx: Ctx<Self>, lot: Lot) -> Result<Sale> {
        let closing = ctx.read(|auction| auction.closing.clone());
        closing.wait(ctx).await;

        let sale = Sale { item: lot.item, winner: ctx.read(|auction| auction.leader.clone()) };
        // Everybody waits for it, so it is tried until it succeeds.
        let patient = RetryPolicy::exponential(Duration::from_secs(1)).max_interval(Duration::from_secs(60));
        ctx.activity::<()>("announce", &sale).retry(patient).await?;
        Ok(sale)
    }

    /// Takes the lead, and answers with when the auction closes now.
    #[update]
    fn bid(&mut self, ctx: &Ctx<Self>, bid: Bid) -> Result<DateTime<Utc>> {
        info!(bidder = bid.bidder, amount = bid.amount, "leads");
        let quiet_until = ctx.now() + Duration::from_secs(self.lot.quiet_seconds.into());
        if quiet_until > self.closing.deadline() {
            self.closing.move_to(ctx, quiet_until, bid.bidder.clone())?;
        }
        self.leader = Some(bid);
        Ok(self.closing.deadline().into())
    }

    /// What is refused here leaves no trace: the bidder is told why, and the auction never knew.
    #[validate(bid)]
    fn may_bid(&self, ctx: &Ctx<Self>, bid: &Bid) -> Result<()> {
        let refused = |kind: &str, why: String| Err(Error::new(kind, why).not_retriable());
        // The clock decides, even if the host has had no time to ring the bell.
        if self.closing.remaining(ctx).is_zero() {
            return refused("AuctionClosed", format!("the auction of {} is over", self.lot.item));
        }
        if bid.bidder == self.lot.seller {
            return refused("OwnLot", format!("{} sells it", bid.bidder));
        }
        match &self.leader {
            Some(leader) if leader.bidder == bid.bidder => {
                refused("OwnBid", format!("{} leads already", leader.bidder))
            }
            Some(leader) if bid.amount <= leader.amount => {
                refused("BidTooLow", format!("{} bids {} already", leader.bidder, leader.amount))
            }
            None if bid.amount < self.lot.minimum => {
                refused("BidTooLow", format!("the lowest bid is {}", self.lot.minimum))
            }
            _ => Ok(()),
        }
    }

    /// Who leads, and with how much; after the end, who won.
    #[query]
    fn leader(&self) -> Option<Bid> {
        self.leader.clone()
    }

    /// When the auction closes, unless somebody bids near its end.
    #[query]
    fn closes_at(&self) -> DateTime<Utc> {
        self.closing.deadline().into()
    }
}

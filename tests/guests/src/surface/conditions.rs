//! Waiting for the workflow's own state, with and without a limit.

use std::time::{Duration, SystemTime};

use everturn_sdk::futures::future::join_all;
use everturn_sdk::prelude::*;

/// Counts what is signalled.
#[derive(Default)]
struct Votes(u32);

/// Waits 60 s for as many `vote`s as it is given; then calls activity `count` with whether they came.
#[workflow(name = "waits_for_votes")]
impl Votes {
    #[run]
    async fn run(ctx: Ctx<Self>, wanted: u32) -> Result<(bool, u32)> {
        let came = ctx.wait_until(|votes| votes.0 >= wanted).timeout(Duration::from_secs(60)).await;
        ctx.activity::<()>("count", &came).await?;
        Ok((came, ctx.read(|votes| votes.0)))
    }

    #[signal]
    fn vote(&mut self) {
        self.0 += 1;
    }
}

/// The same until a time.
#[derive(Default)]
struct VotesUntil(u32);

#[workflow(name = "waits_for_a_vote_until")]
impl VotesUntil {
    #[run]
    async fn run(ctx: Ctx<Self>, closing: SystemTime) -> Result<bool> {
        Ok(ctx.wait_until(|votes| votes.0 > 0).deadline(closing).await)
    }

    #[signal]
    fn vote(&mut self) {
        self.0 += 1;
    }
}

/// How far a crowd has come.
#[derive(Default)]
struct Crowd {
    here: u32,
    order: Vec<u32>,
}

/// Waits for 1 to 3 at once, each of which lets the next one in: deep inside of other futures, and woken by each other.
#[workflow(name = "waits_in_a_crowd")]
impl Crowd {
    #[run]
    async fn run(ctx: Ctx<Self>) -> Result<Vec<u32>> {
        // More than thirty, so that `join_all` polls only those who were woken.
        join_all((1..=40).map(|number| async move {
            ctx.wait_until(move |crowd| crowd.here >= number).await;
            ctx.change(|crowd| {
                crowd.order.push(number);
                crowd.here += 1;
            });
        }))
        .await;
        Ok(ctx.read(|crowd| crowd.order.clone()))
    }

    #[signal]
    fn come(&mut self) {
        self.here += 1;
    }
}

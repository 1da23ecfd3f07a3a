//! A deadline that others move.

use std::time::SystemTime;

use everturn_sdk::Move;
use everturn_sdk::prelude::*;
use serde::{Deserialize, Serialize};

/// When it is over, and how far that may be moved.
#[derive(Clone, Serialize, Deserialize)]
struct Terms {
    deadline: SystemTime,
    latest: Option<SystemTime>,
    max_moves: Option<usize>,
}

struct Approval {
    timer: UpdatableTimer,
    is_approved: bool,
}

/// Waits for `approve` until a deadline that `extend` moves; asks activity `record` to record what came of it, and takes
/// requests until event `end` comes.
#[workflow(name = "approves_in_time")]
impl Approval {
    #[init]
    fn new(terms: &Terms) -> Self {
        let mut timer = UpdatableTimer::until(terms.deadline);
        if let Some(latest) = terms.latest {
            timer = timer.latest(latest);
        }
        if let Some(limit) = terms.max_moves {
            timer = timer.max_moves(limit);
        }
        Self { timer, is_approved: false }
    }

    #[run]
    async fn run(ctx: Ctx<Self>, _terms: Terms) -> Result<(bool, usize)> {
        let timer = ctx.read(|approval| approval.timer.clone());
        let approved = select! {
            () = ctx.wait_until(|approval| approval.is_approved) => true,
            () = timer.wait(ctx) => false,
        };
        ctx.activity::<()>("record", &approved).await?;
        ctx.wait_for_event::<()>("end").await?;
        Ok((approved, timer.moves().len()))
    }

    #[signal]
    fn approve(&mut self) {
        self.is_approved = true;
        self.timer.stop();
    }

    /// A move by a signal: one that is refused is forgotten.
    #[signal]
    fn postpone(&mut self, ctx: &Ctx<Self>, deadline: SystemTime) {
        if let Err(refused) = self.timer.move_to(ctx, deadline, "signal") {
            warn!(%refused, "not postponed");
        }
    }

    #[update]
    fn extend(&mut self, ctx: &Ctx<Self>, (deadline, by): (SystemTime, String)) -> Result<SystemTime> {
        self.timer.move_to(ctx, deadline, by)?;
        Ok(self.timer.deadline())
    }

    #[validate(extend)]
    fn may_extend(&self, ctx: &Ctx<Self>, (deadline, _): &(SystemTime, String)) -> Result<()> {
        Ok(self.timer.may_move_to(ctx, *deadline)?)
    }

    #[query]
    fn deadline(&self) -> SystemTime {
        self.timer.deadline()
    }

    #[query]
    fn seconds_left(&self, ctx: &Ctx<Self>) -> u64 {
        self.timer.remaining(ctx).as_secs()
    }

    #[query]
    fn moves(&self) -> Vec<Move> {
        self.timer.moves()
    }
}

//! An approval whose deadline can be moved while it waits. The workflow is here; what it does to the world is in
//! `activities`.

mod activities;

use chrono::{DateTime, Utc};
use everturn_sdk::Move;
use everturn_sdk::prelude::*;
use serde::{Deserialize, Serialize};

/// What somebody wants, and how long that may take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// What for.
    pub purpose: String,
    /// Until when there must be an answer, as long as nobody moves it.
    pub deadline: DateTime<Utc>,
    /// The deadline cannot be moved beyond this.
    pub latest: DateTime<Utc>,
    /// How often it can be moved.
    pub max_extensions: usize,
}

/// The wish for another deadline: what the update `extend` takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extension {
    /// The new deadline. Earlier than the present one is fine, as long as it is in the future.
    pub until: DateTime<Utc>,
    /// Who wants it.
    pub by: String,
}

/// An extension that was made: what the query `moves` lists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// The deadline before.
    pub from: DateTime<Utc>,
    /// The deadline since.
    pub to: DateTime<Utc>,
    /// Who moved it.
    pub by: String,
    /// When.
    pub at: DateTime<Utc>,
}

impl From<Move> for Moved {
    fn from(made: Move) -> Self {
        Self { from: made.from.into(), to: made.to.into(), by: made.by, at: made.at.into() }
    }
}

/// What came of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// Who approved it. Nobody: the deadline came first.
    pub approved_by: Option<String>,
    /// How often the deadline was moved.
    pub extensions: usize,
}

struct ExtendableApproval {
    deadline: UpdatableTimer,
    approved_by: Option<String>,
}

/// Waits for an approval until a deadline that others may move, and records what came of it.
#[workflow]
impl ExtendableApproval {
    #[init]
    fn new(request: &Request) -> Self {
        let deadline = UpdatableTimer::until(request.deadline.into())
            .latest(request.latest.into())
            .max_moves(request.max_extensions);
        Self { deadline, approved_by: None }
    }

    #[run]
    async fn run(ctx: Ctx<Self>, request: Request) -> Result<Decision> {
        // A clone is the same timer: this one waits, and the one in the state is moved.
        let deadline = ctx.read(|approval| approval.deadline.clone());
        select! {
            () = ctx.wait_until(|approval| approval.approved_by.is_some()) => {}
            () = deadline.wait(ctx) => {}
        }

        let approved_by = ctx.read(|approval| approval.approved_by.clone());
        let decision = Decision { approved_by, extensions: deadline.moves().len() };
        ctx.activity::<()>("record", &(&request, &decision)).await?;
        Ok(decision)
    }

    /// Says yes. Nothing can be moved after that.
    #[signal]
    fn approve(&mut self, by: String) {
        if self.deadline.has_fired() || self.approved_by.is_some() {
            warn!(by, "ignored: the request is decided");
            return;
        }
        self.approved_by = Some(by);
        self.deadline.stop();
    }

    /// Moves the deadline, and answers with the new one. The timer itself logs who moved it, and remembers it.
    #[update]
    fn extend(&mut self, ctx: &Ctx<Self>, extension: Extension) -> Result<DateTime<Utc>> {
        self.deadline.move_to(ctx, extension.until.into(), extension.by)?;
        Ok(self.deadline.deadline().into())
    }

    /// What is refused here leaves no trace: whoever asked is told why, and the workflow never knew.
    #[validate(extend)]
    fn may_extend(&self, ctx: &Ctx<Self>, extension: &Extension) -> Result<()> {
        Ok(self.deadline.may_move_to(ctx, extension.until.into())?)
    }

    /// Who approved it, if somebody has.
    #[query]
    fn approved_by(&self) -> Option<String> {
        self.approved_by.clone()
    }

    /// The deadline as it is now.
    #[query]
    fn deadline(&self) -> DateTime<Utc> {
        self.deadline.deadline().into()
    }

    /// Who moved the deadline, when, and from where to where.
    #[query]
    fn moves(&self) -> Vec<Moved> {
        self.deadline.moves().into_iter().map(Moved::from).collect()
    }
}

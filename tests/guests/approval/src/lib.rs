//! A workflow whose activities are elsewhere, as tests need it: asks one person after the other to approve a request, and does
//! not wait for ever. `histories` has runs that it must be able to replay for ever: one that was approved, one that went to
//! the manager, one that nobody answered.

use std::time::Duration;

use everturn_sdk::prelude::*;
use serde::{Deserialize, Serialize};

/// How long the approver has, and then whoever it is escalated to.
const PATIENCE: Duration = Duration::from_secs(3 * 24 * 3600);

/// What somebody wants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Who asks.
    pub requester: String,
    /// Who may say yes or no.
    pub approver: String,
    /// Who is asked when the approver does not answer.
    pub manager: String,
    /// What for.
    pub purpose: String,
    /// How much, in cents.
    pub amount: u64,
}

/// What the approver sends as event `decision`, and what is recorded in the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// Yes or no.
    pub approved: bool,
    /// Who decided.
    pub by: String,
}

/// Asks the approver, then the manager, and records what came of it. No answer is a no.
#[workflow]
async fn approval(ctx: Ctx, request: Request) -> Result<Decision> {
    let mut decision = ask(ctx, &request.approver, &request).await?;
    if decision.is_none() {
        warn!(approver = request.approver, "no answer, asking the manager");
        decision = ask(ctx, &request.manager, &request).await?;
    }
    let decision = decision.unwrap_or_else(|| Decision { approved: false, by: "nobody".to_owned() });

    // Recording must succeed sooner or later, so it is tried until it does.
    let policy = RetryPolicy::exponential(Duration::from_secs(1)).max_interval(Duration::from_secs(600));
    ctx.activity::<()>("record", &(&request, &decision)).retry(policy).await?;
    info!(approved = decision.approved, by = decision.by, "decided");
    Ok(decision)
}

/// Notifies a person and waits for the decision. `None`: no answer in time.
async fn ask(ctx: Ctx, person: &str, request: &Request) -> Result<Option<Decision>> {
    ctx.set_custom_status(&format!("waiting for {person}"))?;
    ctx.activity::<()>("notify", &(person, request)).await?;
    ctx.wait_for_event("decision").timeout(PATIENCE).await
}

//! Waits for somebody to approve a request, until a deadline. The workflow is here; what it does to the world is in
//! `activities`.

mod activities;

use std::time::Duration;

use chrono::{DateTime, Utc};
use everturn_sdk::prelude::*;
use serde::{Deserialize, Serialize};

/// What somebody wants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// What for.
    pub purpose: String,
    /// Who is asked.
    pub approver: String,
    /// Until when there must be an answer: no answer is a no.
    pub deadline: DateTime<Utc>,
}

/// How a request stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum Status {
    /// Nobody has answered.
    #[default]
    Pending,
    /// It is a yes.
    Approved {
        /// Who said so.
        by: String,
    },
    /// It is a no.
    Rejected {
        /// Who said so.
        by: String,
    },
    /// Nobody answered in time.
    Expired,
}

/// All that the workflow has to remember. The host keeps no copy of it: it comes back by replaying the history.
#[derive(Default)]
struct Approval {
    status: Status,
}

/// Asks the approver, waits for an answer until the deadline, and records what came of it.
#[workflow]
impl Approval {
    #[run]
    async fn run(ctx: Ctx<Self>, request: Request) -> Result<Status> {
        // Mail servers and archives are down now and then, but not for ever.
        let patient = RetryPolicy::exponential(Duration::from_secs(1)).max_interval(Duration::from_secs(600));
        ctx.activity::<()>("notify", &request).retry(patient.clone()).await?;

        let deadline = request.deadline.into();
        let answered = ctx.wait_until(|approval| approval.status != Status::Pending).deadline(deadline).await;
        if !answered {
            ctx.change(|approval| approval.status = Status::Expired);
        }

        let status = ctx.read(|approval| approval.status.clone());
        let receipt: String = ctx.activity("record", &(&request, &status)).retry(patient).await?;
        info!(?status, receipt, "recorded");
        Ok(status)
    }

    /// Says yes.
    #[signal]
    fn approve(&mut self, by: String) {
        self.answer(Status::Approved { by });
    }

    /// Says no.
    #[signal]
    fn reject(&mut self, by: String) {
        self.answer(Status::Rejected { by });
    }

    /// How the request stands. It can be asked at any time, also when all is over.
    #[query]
    fn status(&self) -> Status {
        self.status.clone()
    }

    /// The first answer counts. One that comes later, or after the deadline, changes nothing.
    fn answer(&mut self, answer: Status) {
        match self.status {
            Status::Pending => self.status = answer,
            _ => warn!(?answer, "ignored: the request is decided"),
        }
    }
}

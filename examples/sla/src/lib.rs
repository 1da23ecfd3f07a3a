//! A ticket that must be answered in time, or somebody with more to say hears of it. The workflow is here, the time it
//! watches in `clock`; what it does to the world is in `activities`.

mod activities;
mod clock;

use std::time::Duration;

use chrono::{DateTime, Utc};
use everturn_sdk::prelude::*;
use serde::{Deserialize, Serialize};

use crate::clock::Clock;

/// What a customer was promised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket {
    /// What it is about.
    pub subject: String,
    /// How soon somebody has to answer.
    pub answer_within_seconds: u32,
    /// Who hears of it when nobody does, one after the other.
    pub escalations: Vec<Escalation>,
}

/// A level to which a ticket is escalated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Escalation {
    /// Who hears of it.
    pub to: String,
    /// How long they have, before the next one hears of it.
    pub grace_seconds: u32,
}

/// How a ticket stands: what the query `state` answers, and what comes of it in the end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Who works on it. Somebody does: it is not escalated any more.
    pub acknowledged_by: Option<String>,
    /// Who has done it.
    pub resolved_by: Option<String>,
    /// Why its clock is paused, if it is.
    pub paused_for: Option<String>,
    /// To whom it was escalated last.
    pub escalated_to: Option<String>,
    /// Whether nobody answered in time, the last level included.
    pub is_breached: bool,
}

/// What the query `time_left` answers. A query sees the time of the last turn, which stands still: so a clock that runs says
/// when it runs out, and not how much is left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeLeft {
    /// There must be an answer until then.
    RunsOutAt(DateTime<Utc>),
    /// The clock is paused, and will go on with so many seconds.
    PausedWithSeconds(u64),
    /// The ticket is answered, or everybody has been told.
    NotCounted,
}

/// All that the workflow has to remember.
struct Watch {
    state: State,
    clock: Clock,
}

/// Watches over a ticket: escalates it level by level as long as nobody answers, and ends when it is resolved.
#[workflow(name = "ticket")]
impl Watch {
    #[init]
    fn new(ctx: &Ctx<Self>, ticket: &Ticket) -> Self {
        Self { state: State::default(), clock: Clock::running(ctx.now(), seconds(ticket.answer_within_seconds)) }
    }

    #[run]
    async fn run(ctx: Ctx<Self>, ticket: Ticket) -> Result<State> {
        let patient = RetryPolicy::exponential(Duration::from_secs(1)).max_interval(Duration::from_secs(60));
        let mut in_time = answered_in_time(ctx).await;
        for escalation in &ticket.escalations {
            if in_time {
                break;
            }
            let told = (&ticket.subject, &escalation.to);
            ctx.activity::<()>("escalate", &told).retry(patient.clone()).await?;
            // Their time begins when they have been told, however long that took.
            ctx.change(|watch| {
                watch.state.escalated_to = Some(escalation.to.clone());
                watch.clock.restart(ctx.now(), seconds(escalation.grace_seconds));
            });
            in_time = answered_in_time(ctx).await;
        }
        if !in_time {
            ctx.change(|watch| watch.state.is_breached = true);
            ctx.activity::<()>("report_breach", &ticket.subject).retry(patient).await?;
        }
        ctx.wait_until(|watch| watch.state.resolved_by.is_some()).await;
        Ok(ctx.read(|watch| watch.state.clone()))
    }

    /// Says that somebody works on it: it is not escalated any more.
    #[signal]
    fn acknowledge(&mut self, by: String) {
        self.state.acknowledged_by.get_or_insert(by);
    }

    /// Says that it is done.
    #[signal]
    fn resolve(&mut self, by: String) {
        self.state.resolved_by.get_or_insert(by);
    }

    /// Stops the clock, and says why: the customer has been asked something, for instance.
    #[signal]
    fn pause(&mut self, ctx: &Ctx<Self>, why: String) {
        self.clock.pause(ctx.now());
        self.state.paused_for = Some(why);
    }

    /// Lets the clock go on, with the time that was left.
    #[signal]
    fn resume(&mut self, ctx: &Ctx<Self>) {
        self.clock.resume(ctx.now());
        self.state.paused_for = None;
    }

    /// How the ticket stands.
    #[query]
    fn state(&self) -> State {
        self.state.clone()
    }

    /// How long it is until somebody else hears of it.
    #[query]
    fn time_left(&self, ctx: &Ctx<Self>) -> TimeLeft {
        match self.clock.runs_out_at() {
            _ if self.is_answered() || self.state.is_breached => TimeLeft::NotCounted,
            Some(time) => TimeLeft::RunsOutAt(time.into()),
            None => TimeLeft::PausedWithSeconds(self.clock.left(ctx.now()).as_secs()),
        }
    }

    fn is_answered(&self) -> bool {
        self.state.acknowledged_by.is_some() || self.state.resolved_by.is_some()
    }
}

/// Waits until the ticket is answered, or its clock has run out: whether it was answered.
async fn answered_in_time(ctx: Ctx<Watch>) -> bool {
    while !ctx.read(Watch::is_answered) {
        let clock = ctx.read(|watch| watch.clock);
        // Whatever stops the clock or sets it going ends this wait, and its timer with it.
        let something_happened = ctx.wait_until(|watch| watch.is_answered() || watch.clock != clock);
        match clock.runs_out_at() {
            None => something_happened.await,
            Some(time) => {
                if !something_happened.deadline(time).await {
                    return false;
                }
            }
        }
    }
    true
}

fn seconds(count: u32) -> Duration {
    Duration::from_secs(count.into())
}

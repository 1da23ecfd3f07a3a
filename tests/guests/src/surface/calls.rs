//! Activities, children, detached workflows, events to others and the status: with all options, and with none.

use std::time::{Duration, SystemTime};

use everturn_sdk::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A retry policy as a test writes it. What is absent is not set.
#[derive(Clone, Serialize, Deserialize)]
struct Policy {
    /// Starts from `RetryPolicy::fixed`, not from `RetryPolicy::exponential`.
    #[serde(default)]
    fixed: bool,
    first_interval: Duration,
    coefficient: Option<f64>,
    max_attempts: Option<u32>,
    max_interval: Option<Duration>,
    timeout: Option<Duration>,
    #[serde(default)]
    not_on: Vec<String>,
}

impl From<Policy> for RetryPolicy {
    fn from(policy: Policy) -> Self {
        let mut built = match policy.fixed {
            true => Self::fixed(policy.first_interval),
            false => Self::exponential(policy.first_interval),
        };
        if let Some(coefficient) = policy.coefficient {
            built = built.coefficient(coefficient);
        }
        if let Some(attempts) = policy.max_attempts {
            built = built.max_attempts(attempts);
        }
        if let Some(interval) = policy.max_interval {
            built = built.max_interval(interval);
        }
        if let Some(timeout) = policy.timeout {
            built = built.timeout(timeout);
        }
        policy.not_on.into_iter().fold(built, Self::not_on)
    }
}

/// Calls activity `A` with this policy.
#[workflow]
async fn retries_an_activity(ctx: Ctx, policy: Policy) -> Result<Value> {
    ctx.activity("A", &()).retry(policy.into()).await
}

/// Calls child `C` with this policy.
#[workflow]
async fn retries_a_child(ctx: Ctx, policy: Policy) -> Result<Value> {
    ctx.child("C", &()).retry(policy.into()).await
}

/// Calls activity `A` with every option there is.
#[workflow]
async fn activity_with_all_options(ctx: Ctx) -> Result<Value> {
    ctx.activity("A", &json!({"order": 7}))
        .start_to_close(Duration::from_millis(1_500))
        .schedule_to_close(Duration::from_secs(60))
        .heartbeat(Duration::from_nanos(1))
        .target_app_id("warehouse")
        .version("2.1")
        .retry(RetryPolicy::fixed(Duration::from_secs(1)).max_attempts(2))
        .await
}

/// Calls activity `A` without any option.
#[workflow]
async fn activity_without_options(ctx: Ctx) -> Result<Value> {
    ctx.activity("A", "seven").await
}

/// Calls child `C` with every option there is.
#[workflow]
async fn child_with_all_options(ctx: Ctx) -> Result<Value> {
    ctx.child("C", &[1, 2])
        .instance_id("my-child")
        .target_app_id("warehouse")
        .version("2.1")
        .on_parent_close(ParentClosePolicy::Terminate)
        .retry(RetryPolicy::fixed(Duration::from_secs(1)).max_attempts(2))
        .await
}

/// Calls child `C` without any option.
#[workflow]
async fn child_without_options(ctx: Ctx) -> Result<Value> {
    ctx.child("C", &()).await
}

/// Starts `D` with every option there is, then `E` without any; the result is their instance ids.
#[workflow]
async fn starts_detached(ctx: Ctx, start_at: SystemTime) -> Result<(String, String)> {
    let first = ctx
        .start_detached("D", &json!({"order": 7}))
        .instance_id("survey-7")
        .target_app_id("marketing")
        .version("3")
        .start_at(start_at)
        .start()?;
    let second = ctx.start_detached("E", &()).start()?;
    Ok((first, second))
}

/// Raises event `Payment` to instance `order-7`.
#[workflow]
async fn raises_an_event(ctx: Ctx) -> Result<()> {
    ctx.raise_event("order-7", "Payment", &json!({"amount": 12}))
}

/// Sets its status twice, waits for event `go`, and sets it once more.
#[workflow]
async fn sets_its_status(ctx: Ctx) -> Result<()> {
    ctx.set_custom_status("replaced at once")?;
    ctx.set_custom_status(&json!({"waits": true}))?;
    ctx.wait_for_event::<()>("go").await?;
    ctx.set_custom_status(&1)
}

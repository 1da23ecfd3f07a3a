//! Workflows made of many steps: one that does what a script says, and simple ones to measure.

use std::time::{Duration, UNIX_EPOCH};

use everturn_sdk::futures::future::{Either, LocalBoxFuture, select, try_join_all};
use everturn_sdk::futures::stream::{FuturesUnordered, TryStreamExt};
use everturn_sdk::futures::{FutureExt, TryFutureExt};
use everturn_sdk::prelude::*;
use everturn_sdk::{ContinueOptions, Failure};
use serde_json::Value;

use crate::script::{Callee, Limit, Log, Outcome, Retry, Script, Seen, Step};

/// Does what the script says, and returns what it saw.
#[workflow]
async fn script(ctx: Ctx, script: Script) -> Result<Log> {
    play_all(ctx, &script).await
}

/// Calls activity `step` n times, one after the other, with the numbers from 0; the result is n.
#[workflow]
async fn sequential(ctx: Ctx, n: u64) -> Result<u64> {
    for number in 0..n {
        ctx.activity::<Value>("step", &number).await?;
    }
    Ok(n)
}

/// Calls activity `step` n times at once, with the numbers from 0; the result is the answers as they came.
#[workflow]
async fn fan_out(ctx: Ctx, n: u64) -> Result<Vec<Value>> {
    let calls: FuturesUnordered<_> = (0..n).map(|number| ctx.activity::<Value>("step", &number)).collect();
    calls.try_collect().await
}

/// Waits for event `go` without limit; the result is what it carried.
#[workflow]
async fn park(ctx: Ctx) -> Result<Value> {
    ctx.wait_for_event("go").await
}

async fn play_all(ctx: Ctx, script: &[Step]) -> Result<Log> {
    let mut log = Log::new();
    for step in script {
        log.push(play(ctx, step).await?);
    }
    Ok(log)
}

/// Boxed, because steps contain steps.
fn play(ctx: Ctx, step: &Step) -> LocalBoxFuture<'_, Result<Seen>> {
    async move {
        Ok(match step {
            Step::Activity(callee) => Seen::Activity(call_activity(ctx, callee).await),
            Step::Child(callee) => Seen::Child(call_child(ctx, callee).await),
            Step::Timer { milliseconds } => {
                ctx.sleep(Duration::from_millis(*milliseconds)).await;
                Seen::Timer
            }
            Step::Wait { event, limit } => Seen::Event(wait(ctx, event, *limit).await?),
            Step::Join(steps) => Seen::Joined(try_join_all(steps.iter().map(|step| play(ctx, step))).await?),
            Step::Select(left, right) => play_first(ctx, left, right).await?,
            Step::Patched { id, steps } if ctx.patched(id) => Seen::Patched(Some(play_all(ctx, steps).await?)),
            Step::Patched { .. } => Seen::Patched(None),
            other => do_now(ctx, other)?,
        })
    }
    .boxed_local()
}

/// The steps that do not wait.
fn do_now(ctx: Ctx, step: &Step) -> Result<Seen> {
    Ok(match step {
        Step::RaiseEvent { instance_id, event, data } => {
            ctx.raise_event(instance_id, event, data)?;
            Seen::Raised
        }
        Step::StartDetached { workflow, input } => Seen::Detached(ctx.start_detached(workflow, input).start()?),
        Step::CustomStatus(status) => {
            ctx.set_custom_status(status)?;
            Seen::Status
        }
        Step::Uuid => Seen::Uuid(ctx.uuid()),
        Step::Random { length } => Seen::Random(ctx.random_bytes(*length)),
        Step::Now => Seen::Now(ctx.now().duration_since(UNIX_EPOCH)?.as_nanos().try_into()?),
        Step::ContinueAsNew { steps, keep_unread_events } => return Err(restart(ctx, steps, *keep_unread_events)),
        Step::Fail { error_type } => return Err(Error::new(error_type, "the script said so")),
        waiting => return Err(Error::new("NotNow", format!("{waiting:?} waits"))),
    })
}

fn restart(ctx: Ctx, steps: &Script, keep_unread_events: bool) -> Error {
    match keep_unread_events {
        true => ctx.continue_as_new(steps),
        false => ctx.continue_as_new_with(steps, ContinueOptions::new().drop_unread_events()),
    }
}

async fn play_first(ctx: Ctx, left: &Step, right: &Step) -> Result<Seen> {
    // The loser is dropped with the pattern, at once.
    let (winner, seen) = match select(play(ctx, left), play(ctx, right)).await {
        Either::Left((seen, _)) => (0, seen),
        Either::Right((seen, _)) => (1, seen),
    };
    Ok(Seen::Selected { winner, seen: Box::new(seen?) })
}

async fn wait(ctx: Ctx, event: &str, limit: Limit) -> Result<Option<Value>> {
    match limit {
        Limit::Never => ctx.wait_for_event(event).map_ok(Some).await,
        Limit::Zero => ctx.try_take_event(event).await,
        Limit::Milliseconds(limit) => ctx.wait_for_event(event).timeout(Duration::from_millis(limit)).await,
    }
}

async fn call_activity(ctx: Ctx, callee: &Callee) -> Outcome {
    let call = ctx.activity(&callee.name, &callee.input);
    outcome(match &callee.retry {
        Some(retry) => call.retry(policy(retry)).await,
        None => call.await,
    })
}

async fn call_child(ctx: Ctx, callee: &Callee) -> Outcome {
    let call = ctx.child(&callee.name, &callee.input);
    outcome(match &callee.retry {
        Some(retry) => call.retry(policy(retry)).await,
        None => call.await,
    })
}

fn outcome(answer: Result<Value>) -> Outcome {
    match answer {
        Ok(answer) => Outcome::Completed(answer),
        Err(error) => {
            let Failure { error_type, message, .. } = error.failure().clone();
            Outcome::Failed { error_type, message }
        }
    }
}

fn policy(retry: &Retry) -> RetryPolicy {
    RetryPolicy::exponential(Duration::from_millis(retry.first_interval_milliseconds))
        .coefficient(retry.coefficient)
        .max_attempts(retry.max_attempts)
}

//! Several things at once, and what is dropped on the way.

use std::time::Duration;

use everturn_sdk::futures::stream::FuturesUnordered;
use everturn_sdk::futures::{FutureExt, StreamExt, poll};
use everturn_sdk::prelude::*;
use serde_json::Value;

/// Calls activities `A` and `B` and sleeps 5 s, all at once.
#[workflow]
async fn joins(ctx: Ctx) -> Result<(u32, u32)> {
    let (a, b, ()) = join!(ctx.activity("A", &()), ctx.activity("B", &()), ctx.sleep(Duration::from_secs(5)));
    Ok((a?, b?))
}

/// Calls activities `A` and `B` at once, and child `C` when one of them failed.
#[workflow]
async fn gives_up_together(ctx: Ctx) -> Result<Value> {
    match try_join!(ctx.activity::<u32>("A", &()), ctx.activity::<u32>("B", &())) {
        Ok((a, b)) => Ok((a + b).into()),
        Err(error) => ctx.child("C", &error.error_type).await,
    }
}

/// Waits for event `go`, activity `A` and 60 s, whichever is first, then calls activity `After` with who won.
#[workflow]
async fn races(ctx: Ctx) -> Result<Value> {
    let winner = select! {
        data = ctx.wait_for_event::<String>("go") => data?,
        answer = ctx.activity::<String>("A", &()) => answer?,
        () = ctx.sleep(Duration::from_secs(60)) => "nobody".to_owned(),
    };
    ctx.activity("After", &winner).await
}

/// Collects what events `item` carry for 60 s: one timer, many waits.
#[workflow]
async fn collects_for_a_minute(ctx: Ctx) -> Result<Vec<u32>> {
    let mut items = Vec::new();
    let mut minute = ctx.sleep(Duration::from_secs(60));
    loop {
        select! {
            item = ctx.wait_for_event("item") => items.push(item?),
            () = minute => return Ok(items),
        }
    }
}

/// Calls activity `step` n times at once; the result is the answers as they came, failures as null.
#[workflow]
async fn takes_answers_as_they_come(ctx: Ctx, n: u32) -> Result<Vec<Option<u32>>> {
    let calls: FuturesUnordered<_> = (0..n).map(|number| ctx.activity("step", &number).map(Result::ok)).collect();
    Ok(calls.collect().await)
}

/// Makes one call of each kind and drops them before they begin, then calls activity `Only`.
#[workflow]
async fn drops_before_the_first_poll(ctx: Ctx) -> Result<Value> {
    drop(ctx.activity::<Value>("A", &()));
    drop(ctx.child::<Value>("C", &()));
    drop(ctx.sleep(Duration::from_secs(1)));
    drop(ctx.wait_for_event::<Value>("e"));
    drop(ctx.start_detached("D", &()));
    ctx.activity("Only", &()).await
}

/// Begins one call of each kind and drops them, then calls activity `Kept`.
#[workflow]
async fn drops_after_the_first_poll(ctx: Ctx) -> Result<Value> {
    let begun = (
        ctx.activity::<Value>("A", &()).now_or_never().is_some(),
        ctx.child::<Value>("C", &()).now_or_never().is_some(),
        ctx.sleep(Duration::from_secs(1)).now_or_never().is_some(),
        ctx.wait_for_event::<Value>("e").now_or_never().is_some(),
    );
    ctx.activity("Kept", &begun).await
}

/// Begins activity `Late`, sleeps a second, and drops it.
#[workflow]
async fn drops_in_a_later_turn(ctx: Ctx) -> Result<()> {
    let mut late = ctx.activity::<Value>("Late", &());
    let begun = poll!(&mut late);
    ctx.sleep(Duration::from_secs(1)).await;
    drop(late);
    ctx.activity("After", &begun.is_ready()).await
}

/// Tries activity `A` again and again until event `stop` comes; the result is whether it succeeded before.
#[workflow]
async fn tries_until_stopped(ctx: Ctx) -> Result<bool> {
    select! {
        answer = ctx.activity::<Value>("A", &()).retry(RetryPolicy::fixed(Duration::from_secs(10))) => answer.map(|_| true),
        stopped = ctx.wait_for_event::<()>("stop") => stopped.map(|()| false),
    }
}

/// Begins activity `Early`, sleeps 5 s, and only then asks for its answer.
#[workflow]
async fn begins_early(ctx: Ctx) -> Result<Value> {
    let mut early = ctx.activity("Early", &());
    if let std::task::Poll::Ready(answer) = poll!(&mut early) {
        return answer;
    }
    ctx.sleep(Duration::from_secs(5)).await;
    early.await
}

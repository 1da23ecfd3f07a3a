//! What the SDK offers for patterns: scopes, limits, sagas, fan-out, debouncing and rate limits.

use std::time::Duration;

use everturn_sdk::futures::StreamExt;
use everturn_sdk::futures::stream::FuturesUnordered;
use everturn_sdk::prelude::*;
use serde_json::Value;

/// What a signal calls off.
#[derive(Default)]
struct Work {
    scope: Scope,
}

/// Calls activity `A` and sleeps 60 s in a scope that signal `cancel` cancels, then activity `After` with what came of it;
/// what is run in the scope then does not begin.
#[workflow(name = "works_in_a_scope")]
impl Work {
    #[run]
    async fn run(ctx: Ctx<Self>) -> Result<bool> {
        let scope = ctx.read(|work| work.scope.clone());
        let inside = async { join!(ctx.activity::<u32>("A", &()), ctx.sleep(Duration::from_secs(60))).0 };
        let outcome = match scope.run(inside).await {
            Ok(answer) => answer?.to_string(),
            Err(cancelled) => cancelled.to_string(),
        };
        ctx.activity::<()>("After", &outcome).await?;
        Ok(scope.run(ctx.activity::<()>("B", &())).await.is_err())
    }

    #[signal]
    fn cancel(&mut self) {
        self.scope.cancel();
    }
}

/// Waits in a scope that is cancelled by what waits in it, and in one that many leave again.
#[workflow]
async fn cancels_its_own_scope(ctx: Ctx, many: u32) -> Result<(bool, usize)> {
    let scope = Scope::new();
    let inside = async {
        scope.cancel();
        ctx.sleep(Duration::from_secs(60)).await;
    };
    let is_cancelled = scope.run(inside).await.is_err();

    let scope = Scope::new();
    let crowd: FuturesUnordered<_> = (0..many).map(|number| scope.run(ctx.activity::<u32>("A", &number))).collect();
    Ok((is_cancelled, crowd.filter(|ended| std::future::ready(ended.is_ok())).count().await))
}

/// Calls activity `A` with a limit of 60 s, and lets the failure pass.
#[workflow]
async fn limits_a_call(ctx: Ctx) -> Result<Value> {
    timeout(ctx, Duration::from_secs(60), ctx.activity("A", &())).await?
}

/// Books a flight and a hotel, charges for them, and takes all of it back when a step fails.
#[workflow]
async fn books_a_trip(ctx: Ctx) -> Result<(u32, u32)> {
    let patient = RetryPolicy::fixed(Duration::from_secs(10)).max_attempts(2);
    Saga::run(async |saga| {
        let undo = |name: &str, number: &u32| ctx.activity::<()>(name, number).retry(patient.clone());
        let flight = saga.step(ctx.activity("book_flight", &()), |flight| undo("cancel_flight", flight)).await?;
        let hotel = saga.step(ctx.activity("book_hotel", &()), |hotel| undo("cancel_hotel", hotel)).await?;
        saga.compensate_with(ctx.activity("refund_if_charged", &()));
        ctx.activity::<()>("charge", &()).await?;
        Ok((flight, hotel))
    })
    .await
}

/// Reserves, and charges for it: the whole of it within 60 s, which takes nothing back; or only the charge, which does.
#[workflow]
async fn limits_a_saga(ctx: Ctx, the_whole: bool) -> Result<()> {
    let limit = Duration::from_secs(60);
    let saga = Saga::run(async |saga| {
        saga.step(ctx.activity::<()>("reserve", &()), |()| ctx.activity("release", &())).await?;
        let charge = ctx.activity("charge", &());
        if the_whole { charge.await } else { timeout(ctx, limit, charge).await? }
    });
    if the_whole { timeout(ctx, limit, saga).await? } else { saga.await }
}

/// Runs child `C` for each number up to n, two at a time; failures are null.
#[workflow]
async fn fans_out(ctx: Ctx, n: u32) -> Result<Vec<Option<Value>>> {
    let answers = fan_out(2, 0..n, |number| ctx.child::<Value>("C", &number)).await;
    Ok(answers.into_iter().map(Result::ok).collect())
}

/// Calls activity `A` for each number up to n, two at a time, until one fails; then activity `After` with its failure.
#[workflow]
async fn fans_out_until_one_fails(ctx: Ctx, n: u32) -> Result<Vec<Value>> {
    match try_fan_out(2, 0..n, |number| ctx.activity::<Value>("A", &number)).await {
        Ok(answers) => Ok(answers),
        Err(error) => ctx.activity("After", &error.error_type).await,
    }
}

struct Burst {
    items: Debounce<u32>,
}

/// Takes bursts of signal `item` and calls activity `take` with each: after 5 s of quiet, or 12 s.
#[workflow(name = "takes_bursts")]
impl Burst {
    #[init]
    fn new() -> Self {
        Self { items: Debounce::new(Duration::from_secs(5)).at_most(Duration::from_secs(12)) }
    }

    #[run]
    async fn run(ctx: Ctx<Self>) -> Result<()> {
        let items = ctx.read(|burst| burst.items.clone());
        loop {
            let burst = items.next(ctx).await;
            ctx.activity::<()>("take", &burst).await?;
        }
    }

    #[signal]
    fn item(&mut self, ctx: &Ctx<Self>, item: u32) {
        self.items.push(ctx, item);
    }
}

/// The same for two who take bursts.
struct SharedBurst {
    items: Debounce<u32>,
}

/// Two wait for bursts of signal `item`, and call activity `take` with those that they get: after 5 s of quiet.
#[workflow(name = "shares_bursts")]
impl SharedBurst {
    #[init]
    fn new() -> Self {
        Self { items: Debounce::new(Duration::from_secs(5)) }
    }

    #[run]
    async fn run(ctx: Ctx<Self>) -> Result<()> {
        let items = ctx.read(|burst| burst.items.clone());
        let take = async || -> Result<()> {
            loop {
                let burst = items.next(ctx).await;
                ctx.activity::<()>("take", &burst).await?;
            }
        };
        try_join!(take(), take())?;
        Ok(())
    }

    #[signal]
    fn item(&mut self, ctx: &Ctx<Self>, item: u32) {
        self.items.push(ctx, item);
    }
}

/// Calls activity `A` n times, two in any 10 s.
#[workflow]
async fn calls_at_a_rate(ctx: Ctx, n: u32) -> Result<()> {
    let limiter = RateLimiter::new(2, Duration::from_secs(10));
    for number in 0..n {
        limiter.acquire(ctx).await;
        ctx.activity::<()>("A", &number).await?;
    }
    Ok(())
}

/// Has left the old way of a patch behind.
#[workflow]
async fn deprecates_a_patch(ctx: Ctx) -> Result<bool> {
    ctx.deprecate_patch("first");
    ctx.activity::<()>("New", &()).await?;
    Ok(ctx.patched("first"))
}

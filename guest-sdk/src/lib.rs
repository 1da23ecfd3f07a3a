//! Write durable workflows as plain async Rust, and the activities that they call.
//!
//! A workflow is an async function. It runs inside a WebAssembly component on an Everturn host, which records
//! everything it waits for: the workflow survives crashes, restarts and deploys, and may take months.
//!
//! ```
//! use std::time::Duration;
//!
//! use everturn_sdk::prelude::*;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize)]
//! struct Order {
//!     id: u64,
//! }
//!
//! /// Charges an order, and gives the customer a day to change their mind.
//! #[workflow]
//! async fn place_order(ctx: Ctx, order: Order) -> Result<String> {
//!     let policy = RetryPolicy::exponential(Duration::from_secs(1)).max_attempts(5).not_on("CardDeclined");
//!     let receipt = ctx.activity::<String>("charge", &order).retry(policy).await?;
//!     info!(order = order.id, "charged");
//!
//!     let cancelled = ctx.wait_for_event::<()>("cancel").timeout(Duration::from_secs(24 * 3600)).await?;
//!     if cancelled.is_some() {
//!         ctx.activity::<()>("refund", &receipt).await?;
//!         return Err(Error::new("Cancelled", "the customer changed their mind").not_retriable());
//!     }
//!     Ok(receipt)
//! }
//! ```
//!
//! # The component
//! Write a library crate with `crate-type = ["cdylib"]` that depends on this one, and build it for `wasm32-wasip2`.
//! Every function with [`#[workflow]`](macro@workflow) in that crate becomes a workflow of the component, and every one
//! with [`#[activity]`](macro@activity) an activity; there is nothing to list or export. (A function in another crate does not: linkers drop what nothing refers to.)
//!
//! # What a workflow may do
//! The host replays a workflow from its history whenever it has to, so given the same answers it must ask the same
//! things in the same order. Nearly all Rust code does: the clocks, random numbers and hash maps of the standard
//! library are pinned, and there are no threads, files, sockets or environment. Whatever touches the world belongs into
//! an activity.
//!
//! # Activities
//! An activity is an async function with [`#[activity]`](macro@activity), in the same crate or in another; workflows call
//! it by name. It may do what a workflow may not: talk to the network with [`http`], read the clock, fail halfway. In
//! return it may run more than once.
//!
//! ```
//! use everturn_sdk::prelude::*;
//!
//! #[activity]
//! async fn weather(_ctx: ActivityCtx, city: String) -> Result<String> {
//!     let url = format!("https://weather.example.com/{city}");
//!     everturn_sdk::http::get(url).await?.error_for_status()?.text()
//! }
//!
//! #[workflow]
//! async fn umbrella(ctx: Ctx, city: String) -> Result<bool> {
//!     let weather: String = ctx.activity("weather", &city).await?;
//!     Ok(weather.contains("rain"))
//! }
//! ```
//!
//! # Waiting for several things
//! Durable calls are futures, so the usual tools work: [`join!`], [`try_join!`], [`select!`],
//! [`FuturesUnordered`](futures::stream::FuturesUnordered). They are lazy: a call takes its place in history when it is
//! first polled. Dropping one cancels it, and [`select!`] drops those that lost.
//!
//! ```
//! use std::time::Duration;
//!
//! use everturn_sdk::prelude::*;
//!
//! #[workflow]
//! async fn race(ctx: Ctx) -> Result<String> {
//!     let (left, right) = try_join!(ctx.activity::<u32>("left", &()), ctx.activity::<u32>("right", &()))?;
//!     select! {
//!         name = ctx.wait_for_event::<String>("name") => name,
//!         () = ctx.sleep(Duration::from_secs(60)) => Ok(format!("number {}", left + right)),
//!     }
//! }
//! ```
//!
//! # Signals, queries and updates
//! A workflow that others talk to while it runs is a struct with marked methods: see [`#[workflow]`](macro@workflow). A plain
//! function can register handlers on its context: see [`Ctx::on_signal`]. Both wait for what comes with
//! [`Ctx::wait_until`].
//!
//! # Patterns
//! | to | use |
//! |---|---|
//! | wait for a deadline that others move | [`UpdatableTimer`] |
//! | limit anything that waits | [`timeout`] |
//! | call off a part of the work from outside | [`Scope`] |
//! | take back what was done when a later step fails | [`Saga`] |
//! | do the same for many, a few at a time | [`fan_out`], [`try_fan_out`] |
//! | answer a burst once | [`Debounce`] |
//! | do something not too often | [`RateLimiter`] |
//! | run for ever | [`Ctx::continue_as_new`], which keeps unread events |
//! | change code under running instances | [`Ctx::patched`], [`Ctx::deprecate_patch`] |
//!
//! # Layout
//! `context` is the door to all calls; `activity`, `child`, `timer`, `event` and `detached` are the calls, `call` the
//! future behind them. `instance` keeps the state and `handlers` what handles messages; `state` and `condition` are the
//! workflow's side of both, `read_only` stops queries that do more than look. The patterns have a module each.
//! `activity_context` and `http` are for activities. `component` knows what is inside, `export` shows
//! it to the host, `bindings` is the contract.

extern crate self as everturn_sdk;

mod activity;
mod activity_context;
mod bell;
mod bindings;
mod call;
mod child;
mod component;
mod condition;
mod context;
mod debounce;
mod detached;
mod error;
pub mod error_types;
mod event;
mod export;
mod failure;
mod fan_out;
mod handlers;
pub mod http;
mod info;
mod instance;
mod log;
mod payload;
mod rate_limiter;
mod read_only;
mod restart;
mod retry;
mod role;
mod saga;
mod scope;
mod stall;
mod state;
mod time;
mod timeout;
mod timer;
mod type_names;
mod wakers;

pub use activity::ActivityCall;
pub use activity_context::{ActivityCtx, ActivityInfo};
pub use child::{ChildCall, ParentClosePolicy};
pub use condition::{Condition, TimedCondition};
pub use context::Ctx;
pub use debounce::Debounce;
pub use detached::DetachedStart;
pub use error::{Error, Result};
pub use event::{EventWait, TimedEventWait};
pub use everturn_sdk_macros::{activity, workflow};
pub use failure::{Cause, Failure, MAX_CAUSES};
pub use fan_out::{fan_out, try_fan_out};
pub use futures;
pub use info::{Info, Parent};
pub use rate_limiter::RateLimiter;
pub use restart::ContinueOptions;
pub use retry::RetryPolicy;
pub use saga::Saga;
pub use scope::{Cancelled, Scope};
pub use timeout::{TimedOut, timeout};
pub use timer::{Move, MoveRefused, Sleep, TimerWait, UpdatableTimer};

/// Waits for all of several futures at once, and gives all their results: [`futures::join!`].
///
/// ```no_run
/// use std::time::Duration;
/// use everturn_sdk::{Ctx, Result, join};
///
/// async fn at_least_a_minute(ctx: Ctx) -> Result<u32> {
///     let (count, ()) = join!(ctx.activity::<u32>("count", &()), ctx.sleep(Duration::from_secs(60)));
///     count
/// }
/// ```
pub use futures::join;

/// Waits for the first of several futures and drops the others, which cancels them: [`futures::select_biased!`].
///
/// When several are ready, the one written first wins: always the same, so that a replay goes the same way.
///
/// ```no_run
/// use std::time::Duration;
/// use everturn_sdk::{Ctx, Result, select};
///
/// async fn approved(ctx: Ctx) -> Result<bool> {
///     select! {
///         decision = ctx.wait_for_event::<bool>("decision") => decision,
///         () = ctx.sleep(Duration::from_secs(3600)) => Ok(false),
///     }
/// }
/// ```
pub use futures::select_biased as select;

/// Waits for all of several futures, or for the first that fails, which cancels the others: [`futures::try_join!`].
///
/// ```no_run
/// use everturn_sdk::{Ctx, Result, try_join};
///
/// async fn sum(ctx: Ctx) -> Result<u32> {
///     let (left, right) = try_join!(ctx.activity::<u32>("left", &()), ctx.activity::<u32>("right", &()))?;
///     Ok(left + right)
/// }
/// ```
pub use futures::try_join;

/// What most workflows and activities use.
///
/// ```
/// use everturn_sdk::prelude::*;
///
/// #[workflow]
/// async fn hello(_ctx: Ctx, name: String) -> Result<String> {
///     info!(name, "somebody is here");
///     Ok(format!("Hello, {name}!"))
/// }
/// ```
pub mod prelude {
    pub use crate::{
        ActivityCtx, Cancelled, Ctx, Debounce, Error, ParentClosePolicy, RateLimiter, Result, RetryPolicy, Saga, Scope,
        UpdatableTimer, activity, debug, error, fan_out, info, join, select, timeout, trace, try_fan_out, try_join,
        warn, workflow,
    };
}

/// What the macros expand to. Not for use by hand: it changes without notice.
#[doc(hidden)]
pub mod __private {
    pub use crate::component::{
        Activity, Run, Workflow, converted, start_with_input, start_with_state, start_without_input,
    };
    pub use crate::handlers::Methods;
    pub use crate::log::{LogLevel, field, write};
    pub use inventory;
}

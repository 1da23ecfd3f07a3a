//! Tests of the replay core: workflows as async functions against crafted histories. Random ones, on the core and
//! through compiled guests, are in the crate `everturn-tests`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

mod answers;
mod lifecycle;
mod matching;
mod messages;
mod optional_timers;
mod origins;
mod resets;

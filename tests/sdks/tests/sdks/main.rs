//! Published SDKs against the real host: programs that were written for Durable Task run on it unchanged.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

mod client;
mod crowd;
mod docs;
mod host;
mod install;
mod ledger;
mod lost_worker;
mod patches;
mod process;
mod restart;
mod sdk;
mod stage;
mod stories;
mod until;
mod worker;

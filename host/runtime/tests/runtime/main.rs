//! The runtime as those who embed it use it: on a real SQLite file, with real compiled guests.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod activities;
mod children;
#[cfg(unix)]
mod compiler;
mod control;
mod deletion;
mod faults;
mod impatience;
mod interaction;
mod lifecycle;
mod limits;
mod refusals;
mod remote;
mod rerun;
mod resets;
mod room;
mod timers;
mod trouble;
mod updates;
mod versions;

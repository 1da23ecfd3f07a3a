//! Compiled guests on the real engine and the real replay core.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

mod approval;
mod determinism;
mod faults;
mod patches;
mod properties;
mod refusals;
mod seed;
mod surface;

//! Golden histories: none was changed, none is missing, and each replays on the current build.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

mod complete;
mod components;
mod kept;
mod replayed;

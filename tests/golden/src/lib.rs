//! Golden histories: what instances of every feature and every example left behind, recorded by a host once and replayed on
//! the current build for ever. CONTRIBUTING.md has the rule.
//!
//! - `files`: where they are, and what their digests say
//! - `stories`: what is recorded, one for each feature; `stage`: the host that it is recorded on
//!
//! `cargo run -p everturn-golden` records the stories that have no history yet. The tests replay all that there is.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a recorder fails by panicking, as a test does")]

pub mod files;
mod stage;
pub mod stories;

pub use stage::COMPILED;

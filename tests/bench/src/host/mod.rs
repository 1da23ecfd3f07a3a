//! What a host costs that keeps many instances: to start, to idle, and how late its timers are. Each host is a process of
//! its own, started by this program, so that its memory and time are its own too.
//!
//! - `process`: the host as a process; `data`: what it finds on disk; `figures`: what is measured of it
//! - `gate`: how fast it replays what is open, which needs no process of its own

mod data;
mod figures;
mod gate;
mod process;

pub(crate) use figures::{idle, startup, timers};
pub(crate) use gate::gate;
pub(crate) use process::{ROLE, serve};

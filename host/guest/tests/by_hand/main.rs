//! Components written by hand, for what no compiler lets a guest do.
//!
//! - `guest.rs`: makes and runs them; `activities.rs`: those without workflows
//! - `faults.rs`: each rule that a guest breaks is told; `limits.rs`: so is each limit
//! - `pool.rs`: room that guests have one after the other
//! - `compiler.rs`: compilers that do not do what they should

#![expect(clippy::unwrap_used, clippy::panic, reason = "what fails in a helper fails its test")]

mod activities;
#[cfg(unix)]
mod compiler;
mod faults;
mod guest;
mod limits;
mod pool;

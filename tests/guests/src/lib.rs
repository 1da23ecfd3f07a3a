//! Workflows that the tests run: well-behaved and otherwise. One component holds them all.
//!
//! A guest that opens a socket has other imports than these and is a component of its own, in `socket/`.

mod determinism;
mod faults;
mod hosting;
pub mod script;
mod seed;
mod steps;
mod surface;

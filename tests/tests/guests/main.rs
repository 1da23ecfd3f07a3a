//! Compiled guests on the real engine and the real replay core.

mod determinism;
mod faults;
mod properties;
mod refusals;
mod seed;

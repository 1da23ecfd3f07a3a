//! Activities that the tests run, well-behaved and otherwise, and two workflows: one component holds them all.
//!
//! - `calls`: what an activity knows and says; `network`: HTTP, and `older_network`: as libraries on WASI 0.2 do it
//! - `faults`: what goes wrong; `strangers`: calls that belong to the other kind

mod calls;
mod faults;
mod network;
#[cfg(target_family = "wasm")]
mod older_network;
#[cfg(target_family = "wasm")]
mod strangers;

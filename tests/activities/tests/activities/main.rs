//! Activities as compiled components, run in this process.
//!
//! - `fixture`: components and calls; `server`: an HTTP server to talk to; `logs`: hears what activities say
//! - `calls`: what an activity knows and is granted; `network`: which requests go out; `faults`: what goes wrong;
//!   `components`: what is loaded and refused, and workflows beside activities

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

mod calls;
mod components;
mod faults;
mod fixture;
mod logs;
mod network;
mod server;

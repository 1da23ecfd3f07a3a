//! The protocol as workers and clients meet it: a real server on a real port, a real SQLite file, a real gRPC client.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

mod again;
mod control;
mod dialects;
mod hostile;
mod house;
mod limits;
mod lists;
mod purge;
mod serving;
mod start;
mod tokens;
mod turns;
mod wait;
mod worker;

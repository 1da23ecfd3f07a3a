//! The API as clients meet it: a real server on a real port, a real SQLite file, real compiled guests.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

mod bodies;
mod changes;
mod client;
mod control;
mod deployments;
mod document;
mod guard;
mod house;
mod instances;
mod interaction;
mod limits;
mod moving;
mod progress;
mod purge;
mod start;
mod status;
mod stop;
mod versions;
mod wait;

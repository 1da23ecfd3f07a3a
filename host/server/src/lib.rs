//! The HTTP/JSON API of a host. It reads requests, asks the runtime and writes answers; it decides nothing about workflows.
//!
//! It listens on loopback addresses only: it has neither tokens nor encryption, so whoever reaches it may do everything. Web
//! pages are kept out by what browsers cannot fake: the `Host` and `Origin` headers and the type of a body.
//!
//! # Layout
//! - [`Listener`] (`listener.rs`), [`Server`] (`server.rs`): listens, serves connections, stops
//! - `router.rs`: which path leads where, and the OpenAPI document
//! - `routes/`: one file a thing that can be asked for
//! - [`model`]: requests and answers as JSON, for clients too
//! - `guard.rs`: who may ask, and how many at a time
//! - `body.rs`, `query.rs`, `path.rs`: from bytes to requests
//! - `refusal.rs`: from errors to answers
//! - [`Limits`] (`limits.rs`)

mod app;
mod body;
mod guard;
mod limits;
mod listener;
pub mod model;
mod path;
mod query;
mod refusal;
mod router;
mod routes;
mod server;

pub use limits::Limits;
pub use listener::{BindError, Listener};
pub use router::openapi;
pub use server::Server;

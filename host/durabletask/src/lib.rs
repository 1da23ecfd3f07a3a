//! The Durable Task protocol over gRPC, for workers and clients of existing SDKs: those of Dapr and those of
//! Microsoft, which share a service and differ in some of its fields. It translates between the protocol and the
//! runtime; it decides nothing about workflows.
//!
//! It listens on loopback addresses only. A token may be asked for; there is no encryption.
//!
//! # Layout
//! - [`GrpcServer`] (`server.rs`), `connections.rs`: serve, stop
//! - `guard.rs`: the token, and codes that callers expect
//! - [`protocol`]: messages, service and client, generated; three of them by hand
//! - `wire/`: from messages to the host's types and back, for each [`Dialect`]
//! - `service/`: one file a thing that can be asked for
//! - `registry.rs`: what was sent to which worker
//! - `status.rs`: from errors to codes; `deadline.rs`: how long a client waits
//! - [`Limits`] (`limits.rs`), [`Usage`] (`usage.rs`)

mod connections;
mod deadline;
mod guard;
mod limits;
pub mod protocol;
mod registry;
mod server;
mod service;
mod status;
mod usage;
mod wire;

pub use limits::Limits;
pub use server::{GrpcOptions, GrpcServer};
pub use usage::Usage;
pub use wire::Dialect;

//! Between the protocol's messages and the host's types: what the dialects disagree about is settled here, and nowhere
//! else.
//!
//! - `dialect`: which one a worker speaks
//! - `answer`, `actions`, `carried`, `refused`: what a worker answers to a turn; `chunks`: an answer in pieces
//! - `item`, `events`: what a worker is sent
//! - `state`: an instance as clients see it
//! - `token`, `tags`, `moment`, `shape`: small forms

mod actions;
mod answer;
mod carried;
mod chunks;
mod dialect;
mod events;
mod item;
mod moment;
mod refused;
mod shape;
mod state;
mod tags;
mod token;

pub(crate) use answer::{read_answer, tells};
pub(crate) use chunks::{Chunks, Progress};
pub use dialect::Dialect;
pub(crate) use dialect::{Capabilities, StreamDialect};
pub(crate) use events::readable;
pub(crate) use item::{activity_item, ping, turn_item};
pub(crate) use moment::{NoMoment, read_time};
pub(crate) use refused::RefusedAnswer;
pub(crate) use state::{Payloads, state};
pub(crate) use token::{MalformedToken, read_token, write_token};

//! Where instances live: the contract that a store keeps, the suite that checks it, and the store on SQLite.
//!
//! A store has no logic of workflows. It keeps instances, their histories, the inbox, activity tasks and deployments, and
//! makes each change whole or not at all. What is acknowledged is on disk.
//!
//! # Layout
//!
//! - [`Store`]: the contract
//! - [`Turn`]: what a turn changes; [`Reset`]: what a reset does; [`Instance`], [`Message`], [`Task`], [`Deployment`]: what is kept
//! - [`Filter`], [`Page`]: questions; [`EncodedEvents`]: histories as bytes; [`Time`]; [`StoreError`]
//! - [`sqlite`]: the store in a file
//! - `conformance` (a feature): what any store must pass

#[cfg(feature = "conformance")]
pub mod conformance;
mod deployment;
mod encoding;
mod error;
mod instance;
mod message;
mod query;
mod reset;
pub mod sqlite;
mod store;
mod task;
mod time;
mod turn;

pub use deployment::{
    Activation, ComponentDigest, Deployment, DeploymentId, Follow, GateReport, NewDeployment, Route, Successors, Trial,
    Undone,
};
pub use encoding::{EncodedEvents, UnreadableEvents, decode_events};
pub use error::StoreError;
pub use instance::{Beginning, IfExists, Instance, InstanceKey, NewInstance, ParentLink, Past, Started, Status};
pub use message::{Address, INBOX_BYTES, Message, MessageId, NewMessage, Visible};
pub use query::{Filter, OpenWork, Page};
pub use reset::{Awaited, Reset};
pub use store::{Answer, Awoken, GATE_REPORTS, Hold, Loaded, SHORT_HISTORY_BYTES, Store, StoreFuture, Wakeups};
pub use task::{FinishedTask, Lease, NewTask, Task, TaskKey, Token};
pub use time::Time;
pub use turn::{CloseChildren, Committed, Restart, Turn};

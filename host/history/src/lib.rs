//! What happened to an instance and what a turn asks for: protobuf types, ids and the JSON form.
//! There is no logic here; `everturn-replay` decides what events mean.
//!
//! - [`HistoryEvent`], [`WorkflowAction`] and what they carry: generated from `proto/history.proto`
//! - [`event`]: short ways to write events
//! - [`TimerOrigin`]: why a timer exists, the same for action and event
//! - [`NEVER`]: when the timer of a wait without limit fires
//! - [`json`]: a history as people read and write it
//! - [`InstanceId`], [`SequenceId`]

pub mod event;
mod generated;
mod ids;
pub mod json;
mod origin;
mod sentinel;
mod timestamp;

pub use generated::*;
pub use ids::{InstanceId, SequenceId};
pub use origin::TimerOrigin;
pub use pbjson_types::{Duration, StringValue};
pub use sentinel::NEVER;
pub use timestamp::Timestamp;

/// Wraps text for the fields that tell absent from empty.
pub fn text(value: impl Into<String>) -> StringValue {
    StringValue { value: value.into() }
}

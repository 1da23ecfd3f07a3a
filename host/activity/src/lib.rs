//! Runs activities in process: those of WebAssembly components, with what they were granted and nothing else, and
//! native functions of a program that embeds the host. When an activity runs, how often, and what becomes of its result
//! is the caller's: nothing here retries, times out, stores or limits how many run at once.
//!
//! # Layout
//!
//! - [`Call`], [`Outcome`], [`Heartbeat`]: what is asked and answered, the same for both kinds
//! - [`Activities`], [`Context`], [`Error`]: native functions
//! - [`ActivityComponent`]: the activities of a component; `run` is one of them as a future, `state` its store's data,
//!   `context` the WIT package's import, `http` the network, `output` its log lines, `usage` its memory
//! - [`Permissions`], [`Grants`], [`Secret`], [`HostPattern`]: what a component may reach
//! - [`ActivityLimits`]: how much an activity may take; [`error_types`]: what failures are called

mod bindings;
mod call;
mod component;
mod context;
mod convert;
mod error;
pub mod error_types;
mod grants;
mod host_pattern;
mod http;
mod limits;
mod native;
mod output;
mod run;
mod state;
mod usage;

pub use call::{Call, Heartbeat, Outcome};
pub use component::{ActivityComponent, LoadError};
pub use error::{Error, Result};
pub use everturn_guest::ActivityDescription;
pub use grants::{Grants, MissingSecrets, Permissions, Secret};
pub use host_pattern::{HostPattern, InvalidHostPattern};
pub use limits::ActivityLimits;
pub use native::{Activities, Context};
pub use output::LOG_TARGET;

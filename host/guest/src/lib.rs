//! Runs workflow components on wasmtime: deterministic, limited, driven by the replay core. There is no async runtime
//! here, no storage and no clock of its own: the caller pushes events and asks for what a turn wants.
//!
//! # Layout
//!
//! - [`Engine`], [`Limits`]: one a process; `pool`: room for its guests; `ticker` interrupts guests that run too long
//! - [`Component`], [`ComponentError`]: `check` looks before anything is compiled; [`ComponentCache`], [`Digest`]
//! - [`Compiler`]: compiles in this process, or in a child with limits
//! - [`forbid`]: stands in for what a component imports and may not call
//! - [`LiveGuest`]: one instance; `pace`: how long it runs until it waits; `run` is its guest as a future, `link` what both sides share
//! - `state`: the data of a guest's store and its doors to the execution; `durable`, `context`, `messages`: the WIT
//!   package's imports; `query`: its questions; `wasi`: the pinned rest; `output`: what guests say; `convert`: between the package's types and the core's;
//!   `usage`: what memories and tables take
//! - [`GuestFault`]: why a guest was stopped; `fit`: whether a component can go on where a history is

mod bindings;
mod cache;
mod check;
mod compiler;
mod component;
mod context;
mod convert;
mod digest;
mod durable;
mod engine;
mod fault;
mod fit;
mod forbid;
mod limits;
mod link;
mod live;
mod messages;
mod output;
mod pace;
mod pool;
mod query;
mod run;
mod state;
mod ticker;
mod usage;
mod wasi;

pub use cache::{CacheError, CacheStatistics, ComponentCache};
pub use compiler::{Compiler, TellingAllocator, compile_as_ordered};
pub use component::{ActivityDescription, Component, ComponentError, WorkflowDescription};
pub use digest::{Digest, InvalidDigest};
pub use engine::{Engine, EngineError};
pub use fault::GuestFault;
pub use fit::{Misfit, Standing, asks_for_nothing, fits, replay, standing};
pub use forbid::forbid;
pub use limits::Limits;
pub use live::{LiveGuest, RunError};
pub use output::LOG_TARGET;
pub use query::QueryError;
pub use ticker::Running;

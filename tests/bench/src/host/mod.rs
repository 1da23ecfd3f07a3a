//! A host as a process of its own, so that its memory and its processor time are its own too: this program again, with a
//! role as its first argument. The two speak lines.
//!
//! - `process`: the host from outside; `serve`: the same from inside

mod process;
mod serve;

pub(crate) use process::Process;
pub(crate) use serve::serve;

/// The first argument of a program that is such a process.
pub(crate) const ROLE: &str = "--as-host";

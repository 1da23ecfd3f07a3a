//! One file a command. Each has a `run` that takes the command's options and prints its answer to stdout.

pub(crate) mod build;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod deploy;
pub(crate) mod deployment;
pub(crate) mod dev;
mod gate;
mod moves;
pub(crate) mod new;
pub(crate) mod replay;
pub(crate) mod serve;
pub(crate) mod workflow;

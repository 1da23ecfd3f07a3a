//! One file a command. Each has a `run` that takes the command's options and prints its answer to stdout.

pub(crate) mod build;
pub(crate) mod replay;

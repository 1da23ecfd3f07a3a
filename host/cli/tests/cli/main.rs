//! The command as people and scripts use it: the real binary, its output and its exit codes.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

mod bad_files;
#[cfg(unix)]
mod build;
mod compiler;
mod demo;
mod diff;
mod grpc;
mod interaction;
mod moves;
mod new;
mod readme;
mod refusals;
mod replay;
mod room;
mod serve;
mod serving;
mod story;
mod usage;
mod versions;
mod workflow;

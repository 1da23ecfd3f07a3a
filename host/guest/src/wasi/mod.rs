//! WASI 0.2 as far as standard libraries need it, with every source of difference pinned: two guests with the same
//! history see the same. Nothing here waits, and nothing reaches the machine. What is not here is refused at load.
//!
//! - `io`: streams that are always ready, and no way to block on a clock
//! - `clocks`: the time of the turn
//! - `random`: the stream of the instance
//! - `cli`: no arguments, no environment, no input; output becomes log lines
//! - `forbidden`: what stops a guest that calls it

mod cli;
mod clocks;
mod forbidden;
mod io;
mod random;

use wasmtime::Result;
use wasmtime::component::{Component, Linker};

use crate::state::State;

pub(crate) use forbidden::NETWORK;

/// The interfaces that a component may import.
pub(crate) const INTERFACES: [&str; 20] = [
    "wasi:cli/environment",
    "wasi:cli/exit",
    "wasi:cli/stderr",
    "wasi:cli/stdin",
    "wasi:cli/stdout",
    "wasi:cli/terminal-input",
    "wasi:cli/terminal-output",
    "wasi:cli/terminal-stderr",
    "wasi:cli/terminal-stdin",
    "wasi:cli/terminal-stdout",
    "wasi:clocks/monotonic-clock",
    "wasi:clocks/wall-clock",
    "wasi:filesystem/preopens",
    "wasi:filesystem/types",
    "wasi:io/error",
    "wasi:io/poll",
    "wasi:io/streams",
    "wasi:random/insecure",
    "wasi:random/insecure-seed",
    "wasi:random/random",
];

/// Adds what is the same for every component. Any 0.2.x that a component imports is linked to these.
pub(crate) fn add_to_linker(linker: &mut Linker<State>) -> Result<()> {
    io::add_to_linker(linker)?;
    clocks::add_to_linker(linker)?;
    random::add_to_linker(linker)?;
    cli::add_to_linker(linker)
}

/// Adds what stands in for the functions that this component imports and may not call.
pub(crate) fn forbid(linker: &mut Linker<State>, component: &Component) -> Result<()> {
    forbidden::add_to_linker(linker, component)
}

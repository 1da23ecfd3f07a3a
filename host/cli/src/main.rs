//! The everturn command. It reads arguments and files and prints; what it prints is found out by the crates below it.
//!
//! # Layout
//! - `arguments.rs`: the commands and their options, as `--help` shows them
//! - `commands/`: one file a command
//! - `component.rs`: from the argument COMPONENT to a loaded component
//! - `outcome.rs`: how a command ends, and with which exit code
//! - `style.rs`: colours, and where there are none

mod arguments;
mod commands;
mod component;
mod outcome;
mod style;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let result = match arguments::Arguments::parse().command {
        arguments::Command::Build(options) => commands::build::run(&options),
        arguments::Command::Replay(options) => commands::replay::run(&options),
    };
    outcome::exit(result)
}

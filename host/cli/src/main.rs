//! The everturn command. It reads arguments and files and prints; what it prints is found out by the crates below it, or
//! by a host that it talks to.
//!
//! # Layout
//! - `arguments/`: the commands and their options, as `--help` shows them
//! - `commands/`: one file a command
//! - `client/`: talks to a host; `payload.rs`: JSON from arguments and files
//! - `host/`: runs a host
//! - `component.rs`: from the argument COMPONENT to a loaded component
//! - `outcome.rs`: how a command ends, and with which exit code
//! - `print.rs`, `table.rs`, `text.rs`, `moment.rs`: answers for people and programs
//! - `progress.rs`: shows that something takes its time; `interrupt.rs`: somebody does not want to wait any longer
//! - `style.rs`: colours, and where there are none

mod arguments;
mod client;
mod commands;
mod component;
mod host;
mod interrupt;
mod moment;
mod outcome;
mod payload;
mod print;
mod progress;
mod style;
mod table;
mod text;

use std::process::ExitCode;

use arguments::Command;
use clap::Parser;
use everturn_guest::TellingAllocator;
use mimalloc::MiMalloc;

/// One for all commands. Guests come on one thread and go on another, thousands in a second, which not every allocator bears
/// well; only a compiler that has no memory left notices that it tells.
#[global_allocator]
static ALLOCATOR: TellingAllocator<MiMalloc> = TellingAllocator(MiMalloc);

fn main() -> ExitCode {
    let result = match arguments::Arguments::parse().command {
        Command::Compile(options) => return everturn_guest::compile_as_ordered(&options.order),
        Command::Serve(options) => commands::serve::run(&options),
        Command::Demo => commands::demo::run(),
        Command::New(options) => commands::new::run(&options),
        Command::Dev(options) => commands::dev::run(&options),
        Command::Deploy(options) => commands::deploy::run(&options),
        Command::Workflow(command) => commands::workflow::run(&command),
        Command::Deployment(command) => commands::deployment::run(&command),
        Command::Build(options) => commands::build::run(&options),
        Command::Replay(options) => commands::replay::run(&options),
        Command::Completions(options) => commands::completions::run(&options),
    };
    outcome::exit(result)
}

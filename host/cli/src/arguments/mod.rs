//! The commands and their options, as `--help` shows them. What they do is in `commands/`.
//!
//! - `client.rs`: what every command has that talks to a host
//! - `workflow.rs`, `look.rs`: `everturn workflow ...`
//! - `new.rs`: `everturn new`
//! - `host.rs`: `everturn serve` and `everturn dev`
//! - `deploy.rs`: `everturn deploy` and `everturn deployment ...`
//! - `offline.rs`: what needs no host
//! - `values.rs`: how times, lengths of time and the like are written

mod client;
mod deploy;
mod host;
mod look;
mod new;
mod offline;
mod values;
mod workflow;

use clap::{Parser, Subcommand};

pub(crate) use client::{ClientOptions, Format};
pub(crate) use deploy::{
    ActivateOptions, DeployOptions, DeploymentCommand, DiffOptions, GrantOptions, RetireOptions, RolloutOptions,
    ShowDeploymentOptions, Strategy, Successors,
};
pub(crate) use host::{DevOptions, HostOptions, LogFormat, ServeOptions};
pub(crate) use look::{HistoryOptions, ListOptions, ShowOptions, WaitOptions};
pub(crate) use new::NewOptions;
pub(crate) use offline::{BuildOptions, CompileOptions, CompletionsOptions, ReplayOptions};
pub(crate) use workflow::{
    Existing, MoveOptions, PurgeOptions, QueryOptions, RaiseEventOptions, ReasonOptions, RerunOptions, ResetOptions,
    StartOptions, TerminateOptions, UpdateOptions, WorkflowCommand,
};

/// The command that a host starts for each component that is to be compiled.
pub(crate) const COMPILE: &str = "compile-component";

/// Durable workflows as WebAssembly components.
#[derive(Debug, Parser)]
#[command(name = "everturn", version, arg_required_else_help = true, max_term_width = 100, styles = crate::style::HELP)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// See it work: an order whose host is killed in the middle, and everything happens once.
    ///
    /// Starts a host on an empty data directory, deploys an example, shows its history while it grows, kills the host process
    /// hard, starts it again, and counts what was done to the world. It takes about ten seconds and leaves nothing behind.
    Demo,
    New(NewOptions),
    Serve(ServeOptions),
    Dev(DevOptions),
    Deploy(DeployOptions),
    /// Start workflows, look at them, and tell them things.
    #[command(subcommand)]
    Workflow(WorkflowCommand),
    /// Look at what is deployed, and change where new starts go.
    #[command(subcommand)]
    Deployment(DeploymentCommand),
    Build(BuildOptions),
    Replay(ReplayOptions),
    Completions(CompletionsOptions),
    #[command(name = COMPILE)]
    Compile(CompileOptions),
}

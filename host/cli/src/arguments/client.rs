//! What every command has that talks to a host.

use clap::{Args, ValueEnum};

/// Where a host is, if nobody says otherwise.
pub(crate) const DEFAULT_HOST: &str = "http://127.0.0.1:4000";

#[derive(Debug, Args)]
pub(crate) struct ClientOptions {
    /// The address of the host.
    #[arg(long, value_name = "URL", env = "EVERTURN_HOST", default_value = DEFAULT_HOST, hide_env_values = true)]
    pub(crate) host: String,

    /// How to print the result. An error is always text, on stderr.
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t = Format::Text)]
    pub(crate) output: Format,
}

/// For whom a command prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
}

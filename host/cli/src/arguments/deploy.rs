//! `everturn deploy` and `everturn deployment`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{ClientOptions, values};

/// Make a component available on a host: new starts of the workflows inside go to it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  everturn deploy examples/approval
  everturn deploy approval.wasm --version 2026-03-01
  everturn deploy orders.wasm --allow-http api.example.com --env MODE=live --secret API_KEY")]
pub(crate) struct DeployOptions {
    /// A component: a .wasm file, or the directory of a workflow crate, which is then built first.
    pub(crate) component: PathBuf,

    /// The version label; one that stands for another component is refused [default: the beginning of the digest].
    #[arg(long, value_name = "LABEL")]
    pub(crate) version: Option<String>,

    #[command(flatten)]
    pub(crate) grants: GrantOptions,

    #[command(flatten)]
    pub(crate) client: ClientOptions,
}

#[derive(Debug, Args)]
pub(crate) struct GrantOptions {
    /// A host that its activities may send HTTP requests to: api.example.com, *.example.com, localhost:8080. May be repeated.
    #[arg(long, value_name = "HOST")]
    pub(crate) allow_http: Vec<String>,

    /// A variable in the environment of its activities. May be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = values::pair)]
    pub(crate) env: Vec<(String, String)>,

    /// The name of a secret that its activities may read. May be repeated.
    #[arg(long, value_name = "NAME")]
    pub(crate) secret: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DeploymentCommand {
    /// List all deployments, newest first.
    #[command(after_help = "Examples:
  everturn deployment list
  everturn deployment list -o json")]
    List(ClientOptions),
}

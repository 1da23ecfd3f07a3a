//! `everturn workflow list`, `show`, `history`, `wait`: looking at instances.

use std::time::Duration;

use clap::Args;
use everturn_server::model::{InstanceStatus, Moment};

use super::{ClientOptions, values};

/// List instances, newest first.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  everturn workflow list
  everturn workflow list --status running,stalled --workflow approval
  everturn workflow list --prefix order- --since 1h
  everturn workflow list --all -o json")]
pub(crate) struct ListOptions {
    /// One of these: pending, running, suspended, stalled, completed, failed, terminated.
    #[arg(long, value_name = "STATUS", value_delimiter = ',')]
    pub(crate) status: Vec<InstanceStatus>,

    /// Of this workflow.
    #[arg(long, value_name = "NAME")]
    pub(crate) workflow: Option<String>,

    /// Whose id begins like this.
    #[arg(long)]
    pub(crate) prefix: Option<String>,

    /// Children of this instance.
    #[arg(long, value_name = "ID")]
    pub(crate) parent: Option<String>,

    /// Made since then: a time, or how long ago, such as 1h.
    #[arg(long, value_name = "TIME", value_parser = values::past)]
    pub(crate) since: Option<Moment>,

    /// Made before then: a time, or how long ago, such as 1h.
    #[arg(long, value_name = "TIME", value_parser = values::past)]
    pub(crate) until: Option<Moment>,

    /// How many at most on a page: up to 1000.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(crate) limit: u32,

    /// The page to show; the page before it says how to get here.
    #[arg(long, value_name = "TOKEN", conflicts_with = "all")]
    pub(crate) page: Option<String>,

    /// All pages.
    #[arg(long)]
    pub(crate) all: bool,

    #[command(flatten)]
    pub(crate) client: ClientOptions,
}

/// Show an instance: how it stands, what it was given, what it returned, what it has open.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  everturn workflow show order-1\n  everturn workflow show order-1 -o json")]
pub(crate) struct ShowOptions {
    /// The id of the instance.
    pub(crate) id: String,

    #[command(flatten)]
    pub(crate) client: ClientOptions,
}

/// Show the history of an instance. As JSON it is what `everturn replay` reads.
///
/// The attempts of a call that was tried again are shown together, under the first.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  everturn workflow history order-1
  everturn workflow history order-1 --follow
  everturn workflow history order-1 -o json > history.json")]
pub(crate) struct HistoryOptions {
    /// The id of the instance.
    pub(crate) id: String,

    /// Show new events as they come, until the instance has ended. They are shown in the order in which they come.
    #[arg(long, short)]
    pub(crate) follow: bool,

    #[command(flatten)]
    pub(crate) client: ClientOptions,
}

/// Wait until an instance has ended and print its output.
#[derive(Debug, Args)]
#[command(after_help = "Exit codes:
  0  it completed
  1  it failed, was terminated, or has not ended in that time

Examples:
  everturn workflow wait order-1
  everturn workflow wait order-1 --timeout 30s")]
pub(crate) struct WaitOptions {
    /// The id of the instance.
    pub(crate) id: String,

    /// How long to wait [default: as long as it takes].
    #[arg(long, value_name = "DURATION", value_parser = values::duration)]
    pub(crate) timeout: Option<Duration>,

    #[command(flatten)]
    pub(crate) client: ClientOptions,
}

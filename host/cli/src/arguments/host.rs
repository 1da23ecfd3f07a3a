//! `everturn serve` and `everturn dev`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::values::{self, MaybeAddress};

/// Run a host: it keeps workflows going until it is stopped, and after it is started again.
///
/// When it is ready, one line on stdout says where it listens. It stops gracefully on SIGTERM or Ctrl-C: what is under way
/// comes to its end, and everything else goes on after the next start. A second signal stops it at once; nothing is lost then
/// either.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  everturn serve
  everturn serve --data /var/lib/everturn --http 127.0.0.1:4100 --grpc none
  everturn serve --grpc 127.0.0.1:4001 --grpc-microsoft 127.0.0.1:4002
  everturn serve --retain-completed 7d --retain-failed 30d --log json

Environment:
  EVERTURN_CACHE_DIR    where compiled components are kept [default: in the data directory]
  EVERTURN_LOG          what to log [default: info], such as debug or info,everturn_runtime=debug
  EVERTURN_GRPC_TOKEN   what callers by gRPC have to show as dapr-api-token [default: nothing]
  EVERTURN_SECRET_NAME  the value of the secret NAME, for activities that it is granted to
  NO_COLOR              no colours")]
pub(crate) struct ServeOptions {
    #[command(flatten)]
    pub(crate) host: HostOptions,
}

/// Run a host for a crate that you work on: it is built and deployed, and again whenever its files change.
///
/// A build that fails is shown, and the version before it goes on. Instances stay on the version that they were started on.
/// Everything else is as with `everturn serve`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  everturn dev
  everturn dev examples/approval
  everturn dev examples/approval --allow-http api.example.com --secret API_KEY

Environment:
  EVERTURN_CACHE_DIR    where compiled components are kept [default: in the data directory]
  EVERTURN_LOG          what to log [default: info], such as debug or info,everturn_runtime=debug
  EVERTURN_GRPC_TOKEN   what callers by gRPC have to show as dapr-api-token [default: nothing]
  EVERTURN_SECRET_NAME  the value of the secret NAME, for activities that it is granted to
  NO_COLOR              no colours")]
pub(crate) struct DevOptions {
    /// The directory of the crate.
    #[arg(default_value = ".")]
    pub(crate) directory: PathBuf,

    #[command(flatten)]
    pub(crate) grants: super::deploy::GrantOptions,

    #[command(flatten)]
    pub(crate) host: HostOptions,
}

#[derive(Debug, Args)]
pub(crate) struct HostOptions {
    /// The directory of the data. It is made if it is missing.
    #[arg(long, value_name = "DIR", env = "EVERTURN_DATA", default_value = ".everturn", hide_env_values = true)]
    pub(crate) data: PathBuf,

    /// The address of the API: a loopback address. With port 0 the system chooses one.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:4000", value_parser = values::address)]
    pub(crate) http: SocketAddr,

    /// The address of the Durable Task protocol: a loopback address, or `none`.
    ///
    /// Workers and clients of existing SDKs connect here by gRPC, unmodified: those of Dapr here, those of Microsoft at the
    /// address of `--grpc-microsoft`. Workflows of components can call their activities and workflows, and the other way.
    #[arg(long, value_name = "ADDRESS", env = "EVERTURN_GRPC", default_value = "127.0.0.1:4001",
          value_parser = values::address_or_none, hide_env_values = true)]
    pub(crate) grpc: MaybeAddress,

    /// The same for SDKs of Microsoft, which use some fields of the protocol in another way [default: none].
    #[arg(long, value_name = "ADDRESS", env = "EVERTURN_GRPC_MICROSOFT", default_value = "none",
          value_parser = values::address_or_none, hide_env_values = true, hide_default_value = true)]
    pub(crate) grpc_microsoft: MaybeAddress,

    /// How long a worker may keep a turn of a workflow before it is given to another [default: 5m].
    #[arg(long, value_name = "DURATION", value_parser = values::duration)]
    pub(crate) lease: Option<Duration>,

    /// How long to keep instances that completed [default: for ever].
    #[arg(long, value_name = "DURATION", value_parser = values::duration)]
    pub(crate) retain_completed: Option<Duration>,

    /// How long to keep instances that failed [default: for ever].
    #[arg(long, value_name = "DURATION", value_parser = values::duration)]
    pub(crate) retain_failed: Option<Duration>,

    /// How long to keep instances that were terminated [default: for ever].
    #[arg(long, value_name = "DURATION", value_parser = values::duration)]
    pub(crate) retain_terminated: Option<Duration>,

    /// How many activities run at the same time in this process [default: 64].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) activities: Option<u32>,

    /// How many turns run at the same time [default: one for each core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_024))]
    pub(crate) turns: Option<u32>,

    /// How many guests are kept in memory between turns; with 0, every turn replays [default: 1000].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=20_000))]
    pub(crate) live_guests: Option<u32>,

    /// How long compiling a component may take [default: 1m].
    #[arg(long, value_name = "DURATION", value_parser = values::duration)]
    pub(crate) compile_time: Option<Duration>,

    /// How much memory compiling a component may take, in MiB [default: 2048].
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(64..=1_048_576))]
    pub(crate) compile_memory: Option<u32>,

    /// How to write the log, on stderr.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = LogFormat::Text)]
    pub(crate) log: LogFormat,
}

/// How a log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// A line each, for people.
    Text,
    /// A JSON object each, for programs.
    Json,
}

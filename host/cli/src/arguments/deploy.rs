//! `everturn deploy` and `everturn deployment`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use super::{ClientOptions, values};

/// Make a component available on a host: new starts of the workflows inside go to it.
///
/// First the gate replays the history of every open instance of these workflows on it. Then those that fit move to it at
/// their next turn, and the others stay on the version that they are on until they finish. A component that cannot run what
/// is open is stored and does not become active, unless all that is open stays where it is. `everturn deployment rollback` undoes a deploy.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit code: 0 it is active, or a dry run found nothing that differs; 1 otherwise. With --wait, 0 says \
that all have moved, too.

Examples:
  everturn deploy examples/approval
  everturn deploy approval.wasm --version 2026-03-01 --dry-run
  everturn deploy approval.wasm --version 2026-03-01 --strategy pin
  everturn deploy approval.wasm --version 2026-03-02 --ramp 10
  everturn deploy approval.wasm --version 2026-03-03 --wait --timeout 10m
  everturn deploy orders.wasm --allow-http api.example.com --env MODE=live --secret API_KEY"
)]
pub(crate) struct DeployOptions {
    /// A component: a .wasm file, or the directory of a workflow crate, which is then built first.
    pub(crate) component: PathBuf,

    /// The version label; one that stands for another component is refused [default: the beginning of the digest].
    #[arg(long, value_name = "LABEL")]
    pub(crate) version: Option<String>,

    /// Where children and next generations of its instances go.
    #[arg(long, value_enum, default_value_t = Successors::Newest)]
    pub(crate) successors: Successors,

    #[command(flatten)]
    pub(crate) rollout: RolloutOptions,

    #[command(flatten)]
    pub(crate) grants: GrantOptions,

    #[command(flatten)]
    pub(crate) client: ClientOptions,
}

/// How a version takes over.
#[derive(Debug, Args)]
pub(crate) struct RolloutOptions {
    /// Only say what would happen: nothing is stored, and nothing changes.
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// What open instances do.
    #[arg(long, value_enum, default_value_t = Strategy::Upgrade)]
    pub(crate) strategy: Strategy,

    /// Which open instances are checked first: all, sample=NUMBER or off.
    #[arg(long, value_name = "WHICH", default_value = "all", value_parser = values::gate)]
    pub(crate) gate: String,

    /// Only this share of new starts, in percent; open instances stay where they are.
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(1..=99))]
    pub(crate) ramp: Option<u8>,

    /// Then wait until every open instance that moves to it has moved or finished. Each moves at its next turn, and that may be
    /// months away. Those that stay where they are, because they diverged or were started with --version, are not waited for.
    /// Ctrl-C ends the wait and undoes nothing.
    #[arg(long, conflicts_with_all = ["dry_run", "ramp"])]
    pub(crate) wait: bool,

    /// The longest time to wait, such as 30s or 5m: if some have not moved by then, the exit code is 1, and nothing is undone.
    #[arg(long, value_name = "DURATION", requires = "wait", value_parser = values::duration)]
    pub(crate) timeout: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Strategy {
    /// Those whose history fits move to it, each at its next turn.
    Upgrade,
    /// All stay where they are.
    Pin,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Successors {
    /// To the active version.
    Newest,
    /// They stay with it.
    Same,
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
    Show(ShowDeploymentOptions),
    Diff(DiffOptions),
    Activate(ActivateOptions),
    /// Undo the last deploy or activation: new starts go where they went before, and instances that moved move back.
    #[command(after_help = "Examples:
  everturn deployment rollback")]
    Rollback(ClientOptions),
    Retire(RetireOptions),
}

/// Show a version, and what the gate found when it was deployed last.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  everturn deployment show 2026-03-01
  everturn deployment show 2026-03-01 -o json")]
pub(crate) struct ShowDeploymentOptions {
    /// The version label.
    pub(crate) version: String,

    #[command(flatten)]
    pub(crate) client: ClientOptions,
}

/// Show what changed from one version to another: the component, its workflows and what they handle, its activities, and what
/// those may reach.
#[derive(Debug, Args)]
#[command(
    after_help = "Of variables only the names are shown. How many instances are open is shown too, and is no difference.

Exit codes:
  0  they are the same
  1  they differ
  2  they cannot be compared

Examples:
  everturn deployment diff 2026-02-01 2026-03-01
  everturn deployment diff 2026-03-01
  everturn deployment diff 2026-02-01 2026-03-01 -o json"
)]
pub(crate) struct DiffOptions {
    /// The version label of the older one. Alone, it is the newer one, and the older is the active version.
    #[arg(value_name = "OLD")]
    pub(crate) first: String,

    /// The version label of the newer one.
    #[arg(value_name = "NEW")]
    pub(crate) second: Option<String>,

    #[command(flatten)]
    pub(crate) client: ClientOptions,
}

/// Make a version that is deployed the active one, through the gate.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit code: 0 it is active, or a dry run found nothing that differs; 1 otherwise. With --wait, 0 says \
that all have moved, too.

Examples:
  everturn deployment activate 2026-02-01
  everturn deployment activate 2026-02-01 --dry-run
  everturn deployment activate 2026-03-02 --ramp 50
  everturn deployment activate 2026-03-02 --wait"
)]
pub(crate) struct ActivateOptions {
    /// The version label.
    pub(crate) version: String,

    #[command(flatten)]
    pub(crate) rollout: RolloutOptions,

    #[command(flatten)]
    pub(crate) client: ClientOptions,
}

/// Give up a version that nobody needs: its component is not kept any more.
///
/// It is refused while an open instance runs on it, or new starts or calls go to it. A newer version that has a workflow or an
/// activity no more leaves that name with the older one.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  everturn deployment retire 2026-02-01
  everturn deployment retire 2026-02-01 --drop-names")]
pub(crate) struct RetireOptions {
    /// The version label.
    pub(crate) version: String,

    /// Give up the workflows and activities that no other version has: new starts are refused then, and calls wait.
    #[arg(long)]
    pub(crate) drop_names: bool,

    #[command(flatten)]
    pub(crate) client: ClientOptions,
}

//! `everturn workflow ...`: the verbs, and the options of those that change something.

use std::time::Duration;

use clap::{ArgGroup, Args, Subcommand, ValueEnum};
use everturn_server::model::{InstanceStatus, Moment};

use super::{ClientOptions, HistoryOptions, ListOptions, ShowOptions, WaitOptions, values};

#[derive(Debug, Subcommand)]
pub(crate) enum WorkflowCommand {
    Start(StartOptions),
    List(ListOptions),
    Show(ShowOptions),
    History(HistoryOptions),
    Wait(WaitOptions),
    RaiseEvent(RaiseEventOptions),
    /// Send a signal: an event that the workflow says it handles.
    #[command(after_help = "Examples:\n  everturn workflow signal desk-1 approve --data '\"Ada\"'")]
    Signal(RaiseEventOptions),
    Query(QueryOptions),
    Update(UpdateOptions),
    Terminate(TerminateOptions),
    /// Suspend an instance: what reaches it is kept until it is resumed.
    #[command(after_help = "Examples:\n  everturn workflow suspend order-1 --reason \"the warehouse is closed\"")]
    Suspend(ReasonOptions),
    /// Resume an instance that is suspended, or try one again that is stalled.
    #[command(after_help = "Examples:\n  everturn workflow resume order-1")]
    Resume(ReasonOptions),
    Purge(PurgeOptions),
    Rerun(RerunOptions),
    Move(MoveOptions),
    Reset(ResetOptions),
}

/// Move an open instance to a version, now. One that is stalled goes on there.
///
/// Its whole history is replayed on that version first. If it does not fit, it stays where it is.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  everturn workflow move order-1 --version 2026-03-01")]
pub(crate) struct MoveOptions {
    /// The id of the instance.
    pub(crate) id: String,

    /// The version label.
    #[arg(long, value_name = "LABEL")]
    pub(crate) version: String,

    #[command(flatten)]
    pub(crate) client: ClientOptions,
}

/// Take an open instance back in its history, under its id, and let it go on from there. One that is stalled goes on.
///
/// The turn that has the event and all later ones are taken back. What others sent to it since comes again, in its order, and so
/// do the answers to what it had asked for before. What it asked for since is given up; what that has done to the world stays.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  everturn workflow reset order-1 --to 9
  everturn workflow reset order-1 --to 9 --version 2026-03-01 --reason \"insured twice\"
  everturn workflow reset order-1 --to 1     begins again, with the same input")]
pub(crate) struct ResetOptions {
    /// The id of the instance.
    pub(crate) id: String,

    /// The number of an event, as `history` and the reason of a stall show it.
    #[arg(long, value_name = "EVENT")]
    pub(crate) to: u64,

    /// The version to go on with [default: the one that it follows, if what is kept fits that, or else its own].
    #[arg(long, value_name = "LABEL")]
    pub(crate) version: Option<String>,

    /// Why, for its history.
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,

    #[command(flatten)]
    pub(crate) client: ClientOptions,
}

/// Start a workflow and print the id of the instance.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  everturn workflow start approval --id desk-1 --input '{\"amount\": 42}'
  everturn workflow start approval --input @request.json --tag team=blue
  everturn workflow start report --in 5m
  everturn workflow start report --wait")]
pub(crate) struct StartOptions {
    /// The name of the workflow.
    pub(crate) name: String,

    /// The id of the new instance [default: generated].
    #[arg(long)]
    pub(crate) id: Option<String>,

    /// What it is given: JSON, @FILE, or - for stdin [default: null].
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    pub(crate) input: Option<String>,

    /// Not before this time, such as 2026-01-01T09:00:00Z.
    #[arg(long, value_name = "TIME", value_parser = values::moment, conflicts_with = "delay")]
    pub(crate) at: Option<Moment>,

    /// Not before so long from now, such as 5m.
    #[arg(long = "in", value_name = "DURATION", value_parser = values::after_now)]
    pub(crate) delay: Option<Moment>,

    /// A label. May be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = values::pair)]
    pub(crate) tag: Vec<(String, String)>,

    /// The version [default: the active one].
    #[arg(long, value_name = "LABEL")]
    pub(crate) version: Option<String>,

    /// What to do when the id is in use.
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = Existing::Fail)]
    pub(crate) if_exists: Existing,

    /// Wait for its end, as `everturn workflow wait` does.
    #[arg(long)]
    pub(crate) wait: bool,

    #[command(flatten)]
    pub(crate) client: ClientOptions,
}

/// What to do when the id of a new instance is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Existing {
    /// Refuse.
    Fail,
    /// Leave it as it is, and give that.
    Use,
    /// Take its place if it has ended; otherwise refuse.
    ReplaceEnded,
    /// Terminate it if it is open, and take its place.
    Replace,
}

/// Raise an event to an instance. One that nobody waits for is kept until somebody does.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  everturn workflow raise-event desk-1 decision --data '{\"approved\": true}'
  everturn workflow raise-event desk-1 decision --data @decision.json")]
pub(crate) struct RaiseEventOptions {
    /// The id of the instance.
    pub(crate) id: String,

    /// The name of the event.
    pub(crate) name: String,

    /// What it carries: JSON, @FILE, or - for stdin [default: null].
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    pub(crate) data: Option<String>,

    #[command(flatten)]
    pub(crate) client: ClientOptions,
}

/// Ask an instance, which may have ended, and print the answer.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  everturn workflow query desk-1 status
  everturn workflow query desk-1 offers --input '{\"above\": 100}'")]
pub(crate) struct QueryOptions {
    /// The id of the instance.
    pub(crate) id: String,

    /// The name of the query.
    pub(crate) name: String,

    /// What the query is given: JSON, @FILE, or - for stdin [default: null].
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    pub(crate) input: Option<String>,

    #[command(flatten)]
    pub(crate) client: ClientOptions,
}

/// Ask an instance to change, and print what it answers.
///
/// The workflow may refuse it; then nothing has happened, and the exit code is 1.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  everturn workflow update desk-1 extend --input '{\"until\": \"2026-03-01T00:00:00Z\"}'
  everturn workflow update desk-1 extend --input @extension.json --update-id extension-7")]
pub(crate) struct UpdateOptions {
    /// The id of the instance.
    pub(crate) id: String,

    /// The name of the update.
    pub(crate) name: String,

    /// What the update is given: JSON, @FILE, or - for stdin [default: null].
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    pub(crate) input: Option<String>,

    /// Tells it from others: the same asked again is not done again, and its answer is given again [default: generated].
    #[arg(long, value_name = "ID")]
    pub(crate) update_id: Option<String>,

    /// How long to wait for the answer: 30s, 5m, 1h. What was accepted goes on; ask again with the same --update-id.
    #[arg(long, value_name = "DURATION", value_parser = values::duration, requires = "update_id")]
    pub(crate) timeout: Option<Duration>,

    #[command(flatten)]
    pub(crate) client: ClientOptions,
}

/// Terminate an instance.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  everturn workflow terminate order-1
  everturn workflow terminate order-1 --result '\"no longer needed\"' --recursive")]
pub(crate) struct TerminateOptions {
    /// The id of the instance.
    pub(crate) id: String,

    /// What it shows as its result: JSON, @FILE, or - for stdin.
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    pub(crate) result: Option<String>,

    /// Terminate its children too, their children and so on.
    #[arg(long)]
    pub(crate) recursive: bool,

    #[command(flatten)]
    pub(crate) client: ClientOptions,
}

#[derive(Debug, Args)]
pub(crate) struct ReasonOptions {
    /// The id of the instance.
    pub(crate) id: String,

    /// Why, for its history.
    #[arg(long)]
    pub(crate) reason: Option<String>,

    #[command(flatten)]
    pub(crate) client: ClientOptions,
}

/// Delete instances that have ended, with their histories: some by id, or all that fit.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("which").required(true).multiple(true).args(["ids", "status", "older_than", "workflow"]),
    after_help = "Examples:
  everturn workflow purge order-1 order-2
  everturn workflow purge order-1 --recursive --force
  everturn workflow purge --status completed,failed --older-than 7d --yes"
)]
pub(crate) struct PurgeOptions {
    /// The ids of instances.
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<String>,

    /// All with one of these statuses: completed, failed, terminated.
    #[arg(long, value_name = "STATUS", value_delimiter = ',', conflicts_with = "ids")]
    pub(crate) status: Vec<InstanceStatus>,

    /// All that ended so long ago, such as 7d.
    #[arg(long, value_name = "DURATION", value_parser = values::ago, conflicts_with = "ids")]
    pub(crate) older_than: Option<Moment>,

    /// All of this workflow.
    #[arg(long, value_name = "NAME", conflicts_with = "ids")]
    pub(crate) workflow: Option<String>,

    /// Their children too, their children and so on.
    #[arg(long, requires = "ids")]
    pub(crate) recursive: bool,

    /// Also if they have not ended.
    #[arg(long, requires = "ids")]
    pub(crate) force: bool,

    /// Do not ask.
    #[arg(long, short)]
    pub(crate) yes: bool,

    #[command(flatten)]
    pub(crate) client: ClientOptions,
}

/// Run an instance again from some point of its history, as a new one. Prints the new id.
///
/// What came before that point is taken from the history; nothing of it is done again.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  everturn workflow rerun order-1 --from 3
  everturn workflow rerun order-1 --from 3 --new-id order-1b --input '{\"card\": \"other\"}'")]
pub(crate) struct RerunOptions {
    /// The id of the instance.
    pub(crate) id: String,

    /// What is done again first: the number of an activity, timer or child, as `history` shows it after #.
    #[arg(long, value_name = "N")]
    pub(crate) from: i32,

    /// The id of the new instance [default: generated].
    #[arg(long, value_name = "ID")]
    pub(crate) new_id: Option<String>,

    /// Another input for what is done again: JSON, @FILE, or - for stdin [default: the one it had].
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    pub(crate) input: Option<String>,

    #[command(flatten)]
    pub(crate) client: ClientOptions,
}

//! Commands that need no host.

use std::path::PathBuf;

use clap::Args;

use super::Format;

/// Compile a workflow crate to a component and print the path of the .wasm file.
///
/// The Rust target that this needs is installed by rustup if it is missing. What cargo has to say goes to stderr.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  everturn build
  everturn build examples/approval")]
pub(crate) struct BuildOptions {
    /// The directory of the crate.
    #[arg(default_value = ".")]
    pub(crate) directory: PathBuf,
}

/// Replay a history against a component and print the state it reached.
///
/// Nothing is executed but the workflow's own code: answers come from the history, and what the workflow asks for beyond
/// it is printed. The name of the workflow is in the history.
#[derive(Debug, Args)]
#[command(after_help = "Exit codes:
  0  the code does what the history says it did
  1  it does not, or it panicked, trapped or ran too long
  2  the arguments, the component or the history cannot be used

Examples:
  everturn replay approval.wasm history.json
  everturn replay examples/approval examples/approval/tests/histories/approved.json
  everturn replay approval.wasm history.json -o json

Environment:
  EVERTURN_CACHE_DIR  where compiled components are kept [default: the user's cache directory]
  NO_COLOR            no colours")]
pub(crate) struct ReplayOptions {
    /// A component: a .wasm file, or the directory of a workflow crate, which is then built first.
    pub(crate) component: PathBuf,

    /// A history: a JSON array of events.
    #[arg(value_name = "HISTORY.json")]
    pub(crate) history: PathBuf,

    /// How to print the result. An error in arguments or files is always text, on stderr.
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t = Format::Text)]
    pub(crate) output: Format,

    /// Compile the component anew, and do not keep the result.
    #[arg(long)]
    pub(crate) no_cache: bool,
}

/// Compile a component for a host, which starts this for each. The arguments are the host's to know.
#[derive(Debug, Args)]
#[command(hide = true)]
pub(crate) struct CompileOptions {
    #[arg(hide = true)]
    pub(crate) order: Vec<String>,
}

/// Print what makes a shell complete this command.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  source <(everturn completions bash)
  everturn completions zsh > ~/.zfunc/_everturn
  everturn completions fish > ~/.config/fish/completions/everturn.fish")]
pub(crate) struct CompletionsOptions {
    /// The shell.
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

//! `everturn completions`: prints what makes a shell complete this command.

use std::io::Write;

use clap::CommandFactory;

use crate::arguments::{Arguments, CompletionsOptions};
use crate::outcome::{Blame, Outcome, Verdict};

pub(crate) fn run(options: &CompletionsOptions) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Arguments::command(), "everturn", &mut script);
    std::io::stdout().write_all(&script).or_internal()?;
    Ok(Verdict::Done)
}

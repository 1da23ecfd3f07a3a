//! Prints what a replay found, for people or for programs.

use std::io::{self, Write};

use everturn_guest::GuestFault;
use everturn_replay::{Failure, Mismatch};
use serde::Serialize;

use super::actions;
use super::history::History;
use super::state::State;
use crate::arguments::Format;
use crate::outcome::Verdict;
use crate::style::{ERROR, GOOD, LABEL};
use crate::text::{counted, shown, shown_lines};

/// What a replay found.
#[derive(Debug)]
pub(super) enum Report {
    /// The code does what the history says it did.
    Matches(Box<State>),
    /// It does something else.
    Mismatch(Box<Mismatch>),
    /// It did not get to its end.
    Fault(Fault),
}

/// A guest that panicked, trapped, or was stopped by a limit.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Fault {
    workflow: String,
    instance_id: String,
    message: String,
    /// Whether the same code meets it again with the same history. Only time may differ from run to run.
    deterministic: bool,
}

impl Report {
    pub(super) fn fault(history: &History, fault: &GuestFault) -> Self {
        Self::Fault(Fault {
            workflow: history.workflow.clone(),
            instance_id: history.instance_id.clone(),
            message: fault.to_string(),
            deterministic: fault.is_deterministic(),
        })
    }

    pub(super) fn verdict(&self) -> Verdict {
        match self {
            Self::Matches(_) => Verdict::Done,
            Self::Mismatch(_) | Self::Fault(_) => Verdict::Failed,
        }
    }

    pub(super) fn print(&self, format: Format) -> io::Result<()> {
        let mut stdout = anstream::stdout().lock();
        match format {
            Format::Text => self.print_text(&mut stdout),
            Format::Json => self.print_json(&mut stdout),
        }
    }

    fn print_json(&self, stdout: &mut impl Write) -> io::Result<()> {
        let found = match self {
            Self::Matches(state) => Found { matches: true, state: Some(state), mismatch: None, fault: None },
            Self::Mismatch(mismatch) => Found { matches: false, state: None, mismatch: Some(mismatch), fault: None },
            Self::Fault(fault) => Found { matches: false, state: None, mismatch: None, fault: Some(fault) },
        };
        serde_json::to_writer_pretty(&mut *stdout, &found)?;
        writeln!(stdout)
    }

    fn print_text(&self, stdout: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Matches(state) => print_state(state, stdout),
            Self::Mismatch(mismatch) => {
                writeln!(stdout, "{ERROR}mismatch:{ERROR:#} {}", shown_lines(&mismatch.to_string()))
            }
            Self::Fault(fault) => {
                let Fault { workflow, instance_id, message, .. } = fault;
                let (workflow, instance_id) = (shown(workflow), shown(instance_id));
                writeln!(
                    stdout,
                    "{ERROR}fault:{ERROR:#} workflow \"{workflow}\" of instance \"{instance_id}\" failed"
                )?;
                writeln!(stdout, "  {}", shown_lines(message))
            }
        }
    }
}

/// The JSON form of a report.
#[derive(Serialize)]
struct Found<'a> {
    matches: bool,
    #[serde(flatten)]
    state: Option<&'a State>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mismatch: Option<&'a Mismatch>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<&'a Fault>,
}

fn print_state(state: &State, stdout: &mut impl Write) -> io::Result<()> {
    let mut line = |label: &str, value: &str| writeln!(stdout, "{LABEL}{label:<9}{LABEL:#} {value}");
    line("workflow", &shown(&state.workflow))?;
    line("instance", &shown(&state.instance_id))?;
    line("history", &format!("{}, {GOOD}the code matches{GOOD:#}", counted(state.events as u64, "event")))?;
    line("status", &status(state))?;
    if let Some(result) = &state.result {
        line("result", &shown(result))?;
    }
    if let Some(failure) = &state.failure {
        line("failure", &describe_failure(failure))?;
    }
    if let Some(status) = &state.custom_status {
        line("custom", &shown(status))?;
    }
    for (index, action) in state.actions.iter().enumerate() {
        line(if index == 0 { "next" } else { "" }, &actions::describe(action))?;
    }
    if !state.cancelled_timers.is_empty() {
        let ids: Vec<_> = state.cancelled_timers.iter().map(ToString::to_string).collect();
        line("cancelled", &format!("sequence id {}", ids.join(", ")))?;
    }
    Ok(())
}

fn status(state: &State) -> String {
    match state.open_tasks {
        0 => state.status.to_owned(),
        open => format!("{}, waits for {}", state.status, counted(open as u64, "answer")),
    }
}

fn describe_failure(failure: &Failure) -> String {
    let told = |error_type: &str, message: &str| format!("{}: {}", shown(error_type), shown(message));
    let causes = failure.causes.iter().map(|cause| told(&cause.error_type, &cause.message));
    let all: Vec<_> = std::iter::once(told(&failure.error_type, &failure.message)).chain(causes).collect();
    all.join("; caused by ")
}

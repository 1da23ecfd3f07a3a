//! `everturn replay`: does the code do what the history says it did, and where does that leave it?
//!
//! - `history.rs`: reads the file
//! - `state.rs`: the state that was reached
//! - `report.rs`: prints it, for people or for programs
//! - `actions.rs`: words for people

mod actions;
mod history;
mod report;
mod state;

use anyhow::anyhow;
use everturn_guest::{Component, GuestFault, LiveGuest, RunError};
use everturn_replay::{ReplayError, Source};

use self::history::History;
use self::report::Report;
use self::state::State;
use crate::arguments::ReplayOptions;
use crate::component;
use crate::outcome::{Blame, Error, Outcome};
use crate::text::shown;

pub(crate) fn run(options: &ReplayOptions) -> Outcome {
    let history = History::read(&options.history)?;
    let component = component::load(&options.component, !options.no_cache)?;
    require_workflow(&component, &history, options)?;
    let report = replay(&component, &history, options)?;
    report.print(options.output).or_internal()?;
    Ok(report.verdict())
}

fn require_workflow(component: &Component, history: &History, options: &ReplayOptions) -> Result<(), Error> {
    let names: Vec<_> = component.workflows().iter().map(|workflow| workflow.name.as_str()).collect();
    // A start without a name is the core's to refuse: it knows which event that is.
    if history.workflow.is_empty() || names.contains(&history.workflow.as_str()) {
        return Ok(());
    }
    let (component, file) = (options.component.display(), options.history.display());
    Err(anyhow!(
        "{file} is the history of workflow {}, and {component} holds {}",
        shown(&history.workflow),
        names.join(", ")
    ))
    .or_input()
}

fn replay(component: &Component, history: &History, options: &ReplayOptions) -> Result<Report, Error> {
    let mut guest = LiveGuest::new(component);
    for event in &history.events {
        guest.push(event.clone(), Source::History);
    }
    match guest.run() {
        Ok(()) => {
            let turn = guest.end_turn();
            Ok(Report::Matches(Box::new(State::new(history, &guest.execution(), turn))))
        }
        Err(RunError::Replay(ReplayError::Mismatch(mismatch))) => Ok(Report::Mismatch(mismatch)),
        Err(RunError::Replay(ReplayError::InvalidHistory(problem))) => {
            Err(anyhow!("{}: {problem}", options.history.display())).or_input()
        }
        Err(error @ RunError::UnknownWorkflow { .. }) => Err(error).or_input(),
        // Not the workflow's doing.
        Err(RunError::Guest(fault @ GuestFault::Host { .. })) => Err(fault).or_internal(),
        Err(RunError::Guest(fault)) => Ok(Report::fault(history, &fault)),
    }
}

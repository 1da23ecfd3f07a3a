//! `everturn workflow`: one file a verb.

mod control;
mod history;
mod interaction;
mod list;
mod purge;
mod rerun;
mod reset;
mod show;
mod start;
mod wait;

use crate::arguments::WorkflowCommand;
use crate::outcome::Outcome;

pub(crate) use history::described;

pub(crate) fn run(command: &WorkflowCommand) -> Outcome {
    match command {
        WorkflowCommand::Start(options) => start::run(options),
        WorkflowCommand::List(options) => list::run(options),
        WorkflowCommand::Show(options) => show::run(options),
        WorkflowCommand::History(options) => history::run(options),
        WorkflowCommand::Wait(options) => wait::run(options),
        WorkflowCommand::RaiseEvent(options) => control::raise_event(options),
        WorkflowCommand::Signal(options) => control::signal(options),
        WorkflowCommand::Query(options) => interaction::query(options),
        WorkflowCommand::Update(options) => interaction::update(options),
        WorkflowCommand::Terminate(options) => control::terminate(options),
        WorkflowCommand::Suspend(options) => control::suspend(options),
        WorkflowCommand::Resume(options) => control::resume(options),
        WorkflowCommand::Purge(options) => purge::run(options),
        WorkflowCommand::Rerun(options) => rerun::run(options),
        WorkflowCommand::Move(options) => control::move_to(options),
        WorkflowCommand::Reset(options) => reset::run(options),
    }
}

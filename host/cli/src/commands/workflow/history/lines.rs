//! Prints events, a line each: number, time, what.

use std::io::{self, Write};

use anstyle::Style;
use everturn_history::HistoryEvent;
use everturn_history::history_event::EventType;

use super::chains::Chains;
use super::words::describe;
use crate::moment::to_the_millisecond;
use crate::style::{ERROR, GOOD, LABEL};

/// The narrowest column of numbers.
const NUMBER_WIDTH: usize = 4;

/// Prints a whole history, what belongs to a call that was tried again under its first attempt.
pub(super) fn print_grouped(events: &[HistoryEvent], out: &mut impl Write) -> io::Result<()> {
    let chains = Chains::of(events);
    for index in (0..events.len()).filter(|index| !chains.follows(*index)) {
        print_line(events, index, &chains, out)?;
        for &member in chains.begun_by(index).unwrap_or_default() {
            print_line(events, member, &chains, out)?;
        }
    }
    Ok(())
}

/// Prints the events from some point on, in the order in which they came.
pub(super) fn print_from(events: &[HistoryEvent], from: usize, out: &mut impl Write) -> io::Result<()> {
    let chains = Chains::of(events);
    (from..events.len()).try_for_each(|index| print_line(events, index, &chains, out))
}

fn print_line(events: &[HistoryEvent], index: usize, chains: &Chains, out: &mut impl Write) -> io::Result<()> {
    let event = &events[index];
    let number = index + 1;
    let time = to_the_millisecond(event.timestamp.unwrap_or_default());
    let indent = if chains.follows(index) { "  " } else { "" };
    let style = style_of(event);
    let words = describe(index, event, chains);
    writeln!(out, "{LABEL}{number:>NUMBER_WIDTH$}  {time}{LABEL:#}  {indent}{style}{words}{style:#}")
}

fn style_of(event: &HistoryEvent) -> Style {
    match &event.event_type {
        Some(EventType::WorkflowStarted(_) | EventType::WorkflowCompleted(_)) => LABEL,
        Some(EventType::TaskFailed(_) | EventType::ChildWorkflowInstanceFailed(_)) => ERROR,
        Some(EventType::ExecutionCompleted(end)) if end.failure_details.is_some() => ERROR,
        Some(EventType::ExecutionCompleted(_)) => GOOD,
        _ => Style::new(),
    }
}

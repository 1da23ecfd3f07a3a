//! An instance between turns: its guest, or what a remote worker leaves, and what the host has to know of it.

use everturn_guest::LiveGuest;
use everturn_history::history_event::EventType;
use everturn_history::{ExecutionStartedEvent, HistoryEvent};
use everturn_store::{Instance, Loaded, Message};

use crate::remote::RemotePast;

/// Who runs the code of an instance.
#[derive(Debug)]
pub(crate) enum Code {
    /// A guest in this process.
    Guest(Box<LiveGuest>),
    /// Remote workers; this is what is kept for them.
    Remote(Box<RemotePast>),
}

/// An instance, as the host knows it between turns.
#[derive(Debug)]
pub(crate) struct Parked {
    /// What the store keeps of it, as of its last turn.
    pub(crate) instance: Instance,
    /// What its generation was started with, without the input. None before its first turn.
    pub(crate) start: Option<ExecutionStartedEvent>,
    /// What will be visible to it soon and was read ahead: all that its next turn takes, if nothing else comes before.
    pub(crate) foreseen: Vec<Message>,
}

impl Parked {
    /// From the store, with its history.
    pub(crate) fn new(loaded: Loaded) -> (Box<Self>, Vec<HistoryEvent>) {
        let start = loaded.history.iter().find_map(start_of);
        (Box::new(Self { instance: loaded.instance, start, foreseen: Vec::new() }), loaded.history)
    }
}

/// The start of a generation, without its input: that may be large, and history has it.
pub(crate) fn start_of(event: &HistoryEvent) -> Option<ExecutionStartedEvent> {
    match &event.event_type {
        Some(EventType::ExecutionStarted(start)) => Some(ExecutionStartedEvent {
            name: start.name.clone(),
            version: start.version.clone(),
            input: None,
            workflow_instance: start.workflow_instance.clone(),
            parent_instance: start.parent_instance.clone(),
            scheduled_start_timestamp: None,
            parent_trace_context: start.parent_trace_context.clone(),
            workflow_span_id: start.workflow_span_id.clone(),
            tags: start.tags.clone(),
            generation: start.generation,
            randomness: start.randomness.clone(),
            propagated_history: None,
        }),
        _ => None,
    }
}

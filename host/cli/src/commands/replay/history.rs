//! Reads a history from a file. What its events mean is the replay core's to say.

use std::fs;
use std::path::Path;

use anyhow::{Context, anyhow};
use everturn_history::history_event::EventType;
use everturn_history::{ExecutionStartedEvent, HistoryEvent, json};

use crate::outcome::{Blame, Error};

/// A history and whose it is.
#[derive(Debug)]
pub(super) struct History {
    pub(super) workflow: String,
    pub(super) instance_id: String,
    pub(super) events: Vec<HistoryEvent>,
}

impl History {
    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        let text = fs::read_to_string(path)
            .with_context(|| format!("failed to read the history {}", path.display()))
            .or_input()?;
        let events = json::from_str(&text).with_context(|| path.display().to_string()).or_input()?;
        let start = events.iter().find_map(started).ok_or_else(|| no_start(path, events.len())).or_input()?;
        let instance_id = start.workflow_instance.as_ref().map(|instance| instance.instance_id.clone());
        Ok(Self { workflow: start.name.clone(), instance_id: instance_id.unwrap_or_default(), events })
    }
}

fn started(event: &HistoryEvent) -> Option<&ExecutionStartedEvent> {
    match &event.event_type {
        Some(EventType::ExecutionStarted(start)) => Some(start),
        _ => None,
    }
}

fn no_start(path: &Path, events: usize) -> anyhow::Error {
    let path = path.display();
    match events {
        0 => anyhow!("{path}: the history is empty; it begins with workflowStarted and executionStarted"),
        _ => anyhow!("{path}: none of its events (1 to {events}) is executionStarted, which names the workflow"),
    }
}

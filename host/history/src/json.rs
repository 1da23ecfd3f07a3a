//! A history as people and tests read and write it: an array of events in the proto3 JSON form.

use serde_json::value::RawValue;
use thiserror::Error;

use crate::HistoryEvent;

/// Why text is not a history.
#[derive(Debug, Error)]
pub enum JsonError {
    /// It is not JSON at all, or not an array.
    #[error("not a history: {source}; a history is a JSON array of events")]
    NotAnArray {
        /// What the JSON reader says.
        source: serde_json::Error,
    },
    /// One of its events is not an event.
    #[error("event {} (line {line}) is not a history event: {reason}", index + 1)]
    BadEvent {
        /// Which one, from 0.
        index: usize,
        /// The line of the text where the reader stopped, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A history that exists has no JSON form.
    #[error("the history has no JSON form: {source}")]
    NoJsonForm {
        /// What the JSON writer says.
        source: serde_json::Error,
    },
}

/// Reads a history. Unknown fields are errors: a misspelt field must not vanish without a word.
pub fn from_str(json: &str) -> Result<Vec<HistoryEvent>, JsonError> {
    let raw: Vec<&RawValue> = serde_json::from_str(json).map_err(|source| JsonError::NotAnArray { source })?;
    raw.into_iter().enumerate().map(|(index, event)| read_event(json, index, event.get())).collect()
}

fn read_event(json: &str, index: usize, event: &str) -> Result<HistoryEvent, JsonError> {
    let bad = |inner_line: usize, reason: String| {
        let offset = event.as_ptr() as usize - json.as_ptr() as usize;
        let line = json[..offset].matches('\n').count() + inner_line.max(1);
        JsonError::BadEvent { index, line, reason }
    };
    let event: HistoryEvent = serde_json::from_str(event).map_err(|error| {
        let position = format!(" at line {} column {}", error.line(), error.column());
        bad(error.line(), error.to_string().replace(&position, ""))
    })?;
    if event.event_type.is_none() {
        return Err(bad(
            1,
            "it says nothing happened: one of the event kinds, such as \"timerFired\", is missing".to_owned(),
        ));
    }
    Ok(event)
}

/// Writes a history, one event after the other, indented. Fails for what has no JSON form: a time outside the years 1 to
/// 9999, or a status that this version does not know.
pub fn to_string(history: &[HistoryEvent]) -> Result<String, JsonError> {
    serde_json::to_string_pretty(history).map_err(|source| JsonError::NoJsonForm { source })
}

//! Server-sent events, as they come.

use std::io::{BufRead, BufReader};

use ureq::{Body, BodyReader};

/// A stream of events.
pub(super) struct Events(BufReader<BodyReader<'static>>);

impl Events {
    pub(super) fn new(body: Body) -> Self {
        Self(BufReader::new(body.into_with_config().limit(u64::MAX).reader()))
    }

    /// Waits for the next event: its name and its data. None: the stream has ended, or broke off.
    pub(super) fn next(&mut self) -> Option<(String, String)> {
        let mut name = String::new();
        loop {
            let mut line = String::new();
            if matches!(self.0.read_line(&mut line), Ok(0) | Err(_)) {
                return None;
            }
            if let Some(event) = line.strip_prefix("event:") {
                event.trim().clone_into(&mut name);
            } else if let Some(data) = line.strip_prefix("data:") {
                return Some((name, data.trim().to_owned()));
            }
        }
    }
}

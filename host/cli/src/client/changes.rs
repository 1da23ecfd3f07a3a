//! The stream of changes: server-sent events.

use std::io::{BufRead, BufReader};

use anyhow::anyhow;
use everturn_server::model::Change;
use ureq::{Body, BodyReader};

use crate::outcome::{Blame, Error};

/// Changes of an instance, as they come.
pub(crate) struct Changes(BufReader<BodyReader<'static>>);

impl Changes {
    pub(super) fn new(body: Body) -> Self {
        Self(BufReader::new(body.into_with_config().limit(u64::MAX).reader()))
    }

    /// Waits for the next change. None: some were missed, so look at what matters.
    pub(crate) fn next(&mut self) -> Result<Option<Change>, Error> {
        let mut name = String::new();
        loop {
            let mut line = String::new();
            let read = self.0.read_line(&mut line);
            if matches!(read, Ok(0) | Err(_)) || name == Change::END {
                return Err(anyhow!("the host stopped; what it has on disk goes on when it is started again"))
                    .or_refused();
            }
            if let Some(event) = line.strip_prefix("event:") {
                event.trim().clone_into(&mut name);
            } else if let Some(data) = line.strip_prefix("data:") {
                match name.as_str() {
                    Change::EVENT => return serde_json::from_str(data).map(Some).or_internal(),
                    Change::MISSED => return Ok(None),
                    _ => {}
                }
            }
        }
    }
}

//! The stream of changes.

use anyhow::anyhow;
use everturn_server::model::Change;
use ureq::Body;

use super::events::Events;
use crate::outcome::{Blame, Error};

/// Changes of an instance, as they come.
pub(crate) struct Changes(Events);

impl Changes {
    pub(super) fn new(body: Body) -> Self {
        Self(Events::new(body))
    }

    /// Waits for the next change. None: some were missed, so look at what matters.
    pub(crate) fn next(&mut self) -> Result<Option<Change>, Error> {
        while let Some((name, data)) = self.0.next() {
            match name.as_str() {
                Change::EVENT => return serde_json::from_str(&data).map(Some).or_internal(),
                Change::MISSED => return Ok(None),
                Change::END => break,
                _ => {}
            }
        }
        Err(anyhow!("the host stopped; what it has on disk goes on when it is started again")).or_refused()
    }
}

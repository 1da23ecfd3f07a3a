//! The host's clock: wall time that does not go back while the process lives, so that what arrives later sorts later.

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::time::{SystemTime, UNIX_EPOCH};

use everturn_store::Time;

/// The host's clock.
#[derive(Debug, Default)]
pub(crate) struct Clock(AtomicI64);

impl Clock {
    /// Now, and never before what it said last.
    pub(crate) fn now(&self) -> Time {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let micros = i64::try_from(wall.as_micros()).unwrap_or(i64::MAX);
        Time::from_micros(self.0.fetch_max(micros, Relaxed).max(micros))
    }
}

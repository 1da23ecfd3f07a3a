//! A clock that counts down and can be paused. It knows no workflow: whoever asks it tells it what time it is.

use std::time::{Duration, SystemTime};

/// Counts down from some time to nothing, except while it is paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clock {
    /// What was left when it was last set going, or paused.
    left: Duration,
    /// Since when it runs. None: it is paused.
    since: Option<SystemTime>,
}

impl Clock {
    /// A clock that runs from now on.
    pub(crate) fn running(now: SystemTime, time: Duration) -> Self {
        Self { left: time, since: Some(now) }
    }

    /// Winds it up again. One that is paused stays paused.
    pub(crate) fn restart(&mut self, now: SystemTime, time: Duration) {
        self.left = time;
        self.since = self.since.map(|_| now);
    }

    /// Stops counting; a second time changes nothing.
    pub(crate) fn pause(&mut self, now: SystemTime) {
        self.left = self.left(now);
        self.since = None;
    }

    /// Goes on counting with what was left. Nothing happens to one that runs.
    pub(crate) fn resume(&mut self, now: SystemTime) {
        self.since.get_or_insert(now);
    }

    /// How much is left.
    pub(crate) fn left(&self, now: SystemTime) -> Duration {
        let passed = self.since.map(|since| now.duration_since(since).unwrap_or_default());
        self.left.saturating_sub(passed.unwrap_or_default())
    }

    /// When nothing is left. None: never, as long as it is paused.
    pub(crate) fn runs_out_at(&self) -> Option<SystemTime> {
        self.since.map(|since| since + self.left)
    }
}

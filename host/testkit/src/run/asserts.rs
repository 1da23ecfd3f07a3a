//! What must be so in a run. What is not here can be asserted on [`Run::history`] and [`Run::story`].

use super::Run;
use crate::complaint::{Complaint, listed, or_fail};
use crate::payload;
use crate::world::Pending;

impl Run {
    /// Asserts how often an activity, a child or a detached workflow was called; each attempt counts.
    ///
    /// # Panics
    /// When it was called more or less often. The message lists the calls.
    #[track_caller]
    pub fn assert_called(&mut self, name: &str, times: usize) {
        let calls = self.calls(name);
        if calls.len() == times {
            return;
        }
        let lines = calls.iter().map(|call| {
            let at = crate::time::Time::from(call.at);
            format!("\n  attempt {} at {at}: {}", call.attempt, payload::shown(&call.payload))
        });
        let mut message = format!("calls of `{name}`: {}, expected: {times}", calls.len());
        message.extend(lines);
        if calls.is_empty() {
            let mut called: Vec<_> = self.all_calls().iter().map(|call| call.name.clone()).collect();
            called.sort();
            called.dedup();
            message += &format!("; called were {}", listed(&called));
        }
        or_fail::<()>(Err(Complaint::Assertion(message)));
    }

    /// Asserts that something was never called.
    ///
    /// # Panics
    /// When it was.
    #[track_caller]
    pub fn assert_not_called(&mut self, name: &str) {
        self.assert_called(name, 0);
    }

    /// Asserts that these lines are in the [story](Self::story), in this order, whatever else is between them.
    ///
    /// # Panics
    /// When one is missing, or comes earlier. The message shows the story.
    #[track_caller]
    pub fn assert_in_order<'a>(&mut self, lines: impl IntoIterator<Item = &'a str>) {
        let story = self.story();
        let mut rest = story.iter();
        for line in lines {
            if !rest.any(|told| told == line) {
                let story = story.join("\n  ");
                let message = format!("`{line}` did not happen, or not in this order; what happened:\n  {story}");
                or_fail::<()>(Err(Complaint::Assertion(message)));
            }
        }
    }

    /// Asserts that the workflow waits for no timer: no sleep, no limit, no further attempt.
    ///
    /// # Panics
    /// When there is one. The message lists them.
    #[track_caller]
    pub fn assert_no_pending_timers(&mut self) {
        let pending = or_fail(self.settled()).pending.iter();
        let timers: Vec<_> =
            pending.filter(|pending| matches!(pending, Pending::Timer(_))).map(Pending::words).collect();
        if !timers.is_empty() {
            let message = format!("the workflow still waits for\n  {}", timers.join("\n  "));
            or_fail::<()>(Err(Complaint::Assertion(message)));
        }
    }
}

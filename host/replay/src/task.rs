//! What a guest waits for: handles that stay the same whatever happens to sequence ids.

use crate::Failure;
use crate::call::Call;

/// Something a guest awaits. Stays the same while drop-and-shift moves sequence ids, and over all attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Task(pub(crate) u64);

/// The answer to what a guest awaited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// The timer reached its time.
    TimerFired,
    /// The event that was waited for. None: the wait timed out.
    Event(Option<String>),
    /// An activity or child ended.
    Completed(Result<String, Failure>),
}

/// A task that is not answered yet, and what it needs until it is.
#[derive(Debug)]
pub(crate) enum OpenTask {
    Timer,
    EventWait {
        /// The event's name as the mailbox knows it.
        key: String,
    },
    /// Boxed: it is many times larger than the others.
    Call(Box<Call>),
}

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
    /// The next signal: its name as its sender spelt it, and what it carries.
    Signal {
        /// Its name.
        name: String,
        /// What it carries.
        input: String,
    },
    /// The next update. It is to be accepted or rejected at once.
    Update {
        /// Tells updates of this instance apart.
        id: String,
        /// Which update, as its caller spelt it.
        name: String,
        /// What it carries.
        input: String,
    },
}

/// A task that is not answered yet, and what it needs until it is.
#[derive(Debug)]
pub(crate) enum OpenTask {
    Timer,
    EventWait {
        /// The event's name as the mailbox knows it.
        key: String,
    },
    /// Waits for any event of these names.
    SignalWait {
        /// The names as the mailbox knows them.
        keys: Vec<String>,
    },
    /// Waits for any update of these names.
    UpdateWait,
    /// Boxed: it is many times larger than the others.
    Call(Box<Call>),
}

//! Why a timer was not moved.

use std::error::Error as StdError;
use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::error_types;

/// Why a timer was not moved. It is where it was.
///
/// With `?` it becomes an [`Error`](crate::Error) whose type says which: see [`error_type`](Self::error_type).
///
/// ```
/// use everturn_sdk::{Error, MoveRefused, error_types};
///
/// let error = Error::from(MoveRefused::TooManyMoves { limit: 3 });
/// assert!(error.is(error_types::TOO_MANY_MOVES));
/// assert_eq!(error.message, "the timer was moved 3 times already, which is as often as it may be");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveRefused {
    /// The new deadline is not after the present.
    InThePast {
        /// The deadline that was asked for.
        deadline: SystemTime,
        /// The time of the turn.
        now: SystemTime,
    },
    /// The new deadline is later than it may be.
    TooLate {
        /// The deadline that was asked for.
        deadline: SystemTime,
        /// The latest that there may be.
        latest: SystemTime,
    },
    /// The timer has fired.
    Fired,
    /// The timer is stopped: what it waited for has happened.
    Stopped,
    /// The timer was moved as often as it may be.
    TooManyMoves {
        /// How often that is.
        limit: usize,
    },
}

impl MoveRefused {
    /// The type of the error that it becomes: one of [`error_types`].
    ///
    /// ```
    /// # use everturn_sdk::MoveRefused;
    /// assert_eq!(MoveRefused::Fired.error_type(), "TimerFired");
    /// ```
    #[must_use]
    pub fn error_type(&self) -> &'static str {
        match self {
            Self::InThePast { .. } => error_types::DEADLINE_IN_THE_PAST,
            Self::TooLate { .. } => error_types::DEADLINE_TOO_LATE,
            Self::Fired => error_types::TIMER_FIRED,
            Self::Stopped => error_types::TIMER_STOPPED,
            Self::TooManyMoves { .. } => error_types::TOO_MANY_MOVES,
        }
    }
}

impl fmt::Display for MoveRefused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InThePast { deadline, now } if deadline == now => {
                formatter.write_str("the new deadline is now, and not in the future")
            }
            Self::InThePast { deadline, now } => {
                write!(formatter, "the new deadline is {} in the past", Length(distance(*deadline, *now)))
            }
            Self::TooLate { deadline, latest } => {
                let beyond = Length(distance(*latest, *deadline));
                write!(formatter, "the new deadline is {beyond} later than the latest that there may be")
            }
            Self::Fired => formatter.write_str("the timer has fired already"),
            Self::Stopped => formatter.write_str("the timer is stopped: what it waited for has happened"),
            Self::TooManyMoves { limit } => {
                write!(formatter, "the timer was moved {limit} times already, which is as often as it may be")
            }
        }
    }
}

impl StdError for MoveRefused {}

/// How long after `earlier` something is; nothing, if it is not.
pub(super) fn distance(earlier: SystemTime, later: SystemTime) -> Duration {
    let since_epoch = |time: SystemTime| time.duration_since(UNIX_EPOCH).unwrap_or_default();
    since_epoch(later).saturating_sub(since_epoch(earlier))
}

/// A length of time in whole seconds, or as it is when it is shorter.
struct Length(Duration);

impl fmt::Display for Length {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_secs() {
            0 => write!(formatter, "{:?}", self.0),
            seconds => write!(formatter, "{seconds} s"),
        }
    }
}

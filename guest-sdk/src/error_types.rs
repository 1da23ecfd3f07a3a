//! The names of the errors that this SDK itself gives. None of them can be mended by trying again, unless it says so.
//!
//! ```no_run
//! use everturn_sdk::{Ctx, Result, error_types};
//!
//! async fn amount(ctx: Ctx) -> Result<u32> {
//!     match ctx.activity("amount", &()).await {
//!         Err(error) if error.is(error_types::INVALID_OUTPUT) => Ok(0),
//!         other => other,
//!     }
//! }
//! ```

/// The component has no workflow of the name it was asked to run; the message lists those it has.
pub const UNKNOWN_WORKFLOW: &str = "UnknownWorkflow";

/// The component has no activity of the name it was asked to run; the message lists those it has.
pub const UNKNOWN_ACTIVITY: &str = "UnknownActivity";

/// What a workflow or activity was given cannot be read as its input type, or what it gives a callee cannot be written as JSON.
pub const INVALID_INPUT: &str = "InvalidInput";

/// What a callee answered cannot be read as the expected type, or the result of a workflow or activity cannot be written as JSON.
pub const INVALID_OUTPUT: &str = "InvalidOutput";

/// What an event carries cannot be read as the expected type, or cannot be written as JSON.
pub const INVALID_EVENT: &str = "InvalidEvent";

/// A status cannot be written as JSON.
pub const INVALID_STATUS: &str = "InvalidStatus";

/// Something did not end in time: what [`timeout`](crate::timeout()) limits, or a wait without limit at the end of the year
/// 9999. Trying again may help.
pub const TIMED_OUT: &str = "TimedOut";

/// Something was called off before it ended.
pub const CANCELLED: &str = "Cancelled";

/// The details of a heartbeat cannot be written as JSON.
pub const INVALID_HEARTBEAT: &str = "InvalidHeartbeat";

/// An HTTP request went to a host that the component was not granted.
pub const HTTP_NOT_GRANTED: &str = "HttpNotGranted";

/// An HTTP request is not valid: its URL, its method or a header.
pub const HTTP_INVALID_REQUEST: &str = "HttpInvalidRequest";

/// There is no answer to an HTTP request: no connection, a timeout, a broken answer. Trying again may help.
pub const HTTP_FAILED: &str = "HttpFailed";

/// An HTTP answer has more bytes than it may have.
pub const HTTP_TOO_LARGE: &str = "HttpTooLarge";

/// An HTTP answer has a status that says no. Trying again may help after 408, 425, 429 and from 500 on.
pub const HTTP_STATUS: &str = "HttpStatus";

/// A timer was not moved: the new deadline is in the past.
pub const DEADLINE_IN_THE_PAST: &str = "DeadlineInThePast";

/// A timer was not moved: the new deadline is later than it may be.
pub const DEADLINE_TOO_LATE: &str = "DeadlineTooLate";

/// A timer was not moved: it has fired.
pub const TIMER_FIRED: &str = "TimerFired";

/// A timer was not moved: it is stopped, since what it waited for has happened.
pub const TIMER_STOPPED: &str = "TimerStopped";

/// A timer was not moved: it was moved as often as it may be.
pub const TOO_MANY_MOVES: &str = "TooManyMoves";

//! The names of the errors that this SDK itself gives. None of them can be mended by trying again.
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

/// What a workflow was given cannot be read as its input type, or what it gives a callee cannot be written as JSON.
pub const INVALID_INPUT: &str = "InvalidInput";

/// What a callee answered cannot be read as the expected type, or a workflow's result cannot be written as JSON.
pub const INVALID_OUTPUT: &str = "InvalidOutput";

/// What an event carries cannot be read as the expected type, or cannot be written as JSON.
pub const INVALID_EVENT: &str = "InvalidEvent";

/// A status cannot be written as JSON.
pub const INVALID_STATUS: &str = "InvalidStatus";

/// A wait without limit came to its end, which is the end of the year 9999.
pub const TIMED_OUT: &str = "TimedOut";

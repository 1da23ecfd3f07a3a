//! The names of the failures that this crate itself gives. Workflows may compare them, so they never change.

/// There is no activity of that name here. Not retriable.
pub const UNKNOWN_ACTIVITY: &str = "UnknownActivity";

/// What a native function was given cannot be read as its input type. Not retriable.
pub const INVALID_INPUT: &str = "InvalidInput";

/// What a native function returned cannot be written as JSON. Not retriable.
pub const INVALID_OUTPUT: &str = "InvalidOutput";

/// The result, or the failure with all its causes, is larger than a payload may be. Not retriable.
pub const RESULT_TOO_LARGE: &str = "ActivityResultTooLarge";

/// The activity panicked; the message says what it said.
pub const PANICKED: &str = "ActivityPanicked";

/// WebAssembly stopped the activity: out of memory, out of stack, a call that it may not make.
pub const TRAPPED: &str = "ActivityTrapped";

/// The host could not make or run the activity's guest.
pub const HOST: &str = "ActivityHostError";

//! The one time that means never.

use crate::Timestamp;

/// When the timer of a wait without limit fires: 9999-12-31T23:59:59.999999999Z, the last nanosecond that a
/// protobuf timestamp can name. A timer is optional only if it has exactly this time *and* the origin of an event wait.
pub const NEVER: Timestamp = Timestamp { seconds: 253_402_300_799, nanos: 999_999_999 };

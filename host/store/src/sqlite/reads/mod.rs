//! What each question reads, from one state of the data.

pub(super) mod deployments;
pub(super) mod instances;
pub(super) mod list;
pub(super) mod tasks;
pub(super) mod wakeups;

/// A limit as SQLite takes it.
fn limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

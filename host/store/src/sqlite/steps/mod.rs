//! What each step does, inside the transaction that the writer has open.

pub(super) mod activate;
pub(super) mod commit;
pub(super) mod deploy;
pub(super) mod hold;
mod messages;
pub(super) mod purge;
pub(super) mod recover;
pub(super) mod reset;
pub(super) mod send;
pub(super) mod start;
pub(super) mod tasks;

//! One file a thing that can be asked for. Each reads its request, asks the runtime and gives the answer.

pub(crate) mod changes;
pub(crate) mod control;
pub(crate) mod deployments;
pub(crate) mod health;
pub(crate) mod history;
pub(crate) mod instances;
pub(crate) mod interaction;
pub(crate) mod moving;
mod progress;
pub(crate) mod purge;
pub(crate) mod rerun;
pub(crate) mod reset;
pub(crate) mod start;
pub(crate) mod status;
pub(crate) mod versions;
pub(crate) mod wait;

//! Changes behind patches, on every version of the code that may meet them and every history that any of these may have
//! made: what fits, and what is said where it does not.
//!
//! - `travels`: instances, and the versions that they are played on
//! - `once`: a change that an instance passes once; `again`: one that it passes again, or beside another

mod again;
mod once;
mod travels;

//! After an opening: who has something to do.

use super::super::failure::Failure;
use super::super::reads::wakeups;
use super::super::writer::Writing;
use crate::{Time, Wakeups};

pub(in super::super) fn recover(writing: &Writing<'_>, now: Time) -> Result<Wakeups, Failure> {
    let sql = "UPDATE task SET token = NULL, leased_until = NULL WHERE token IS NOT NULL";
    writing.connection.prepare_cached(sql)?.execute([])?;
    wakeups::all(writing.connection, now)
}

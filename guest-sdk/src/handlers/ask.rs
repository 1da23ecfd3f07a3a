//! Answering a query from what is there. Nothing is recorded, and nothing may be asked of the host.

use crate::error::Error;
use crate::instance;
use crate::read_only::{self, Reader};

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum QueryError {
    /// There is no query of that name; these there are.
    Unknown(Vec<String>),
    /// It failed.
    Failed(Error),
}

/// Answers a query of the instance in this guest.
pub(crate) fn ask(name: &str, input: &str) -> Result<String, QueryError> {
    let query = instance::with(|instance| {
        let registry = instance.registry.borrow();
        registry.queries.find(name).ok_or_else(|| QueryError::Unknown(registry.queries.names()))
    })?;
    read_only::run(Reader::Query, || query(input)).map_err(QueryError::Failed)
}

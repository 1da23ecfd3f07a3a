//! What a native activity returns when it fails, and what `?` works with. The facts are in [`Failure`].

use std::error::Error as StdError;
use std::fmt;

use everturn_replay::{Cause, Failure};

/// A chain of causes is cut here, as history would cut it.
const CAUSES_MAX: usize = 32;

/// What native activities return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a native activity failed.
///
/// `?` turns any [`std::error::Error`] into one: the name of its type becomes the error type, its sources the causes.
/// To let workflows compare the kind of an error, name it yourself with [`Error::new`].
///
/// ```
/// use everturn_activity::{Error, Result};
///
/// fn parse(text: &str) -> Result<u32> {
///     match text.parse::<u32>()? {
///         0 => Err(Error::new("NothingToPay", "the amount is zero").not_retriable()),
///         amount => Ok(amount),
///     }
/// }
/// assert_eq!(parse("many").unwrap_err().failure().error_type, "ParseIntError");
/// ```
pub struct Error(Box<Failure>);

impl Error {
    /// An error of a named kind. Trying again may help, unless [`not_retriable`](Self::not_retriable) says otherwise.
    #[must_use]
    pub fn new(error_type: impl Into<String>, message: impl Into<String>) -> Self {
        Self::from_failure(Failure {
            error_type: error_type.into(),
            message: message.into(),
            details: None,
            causes: Vec::new(),
            retriable: true,
        })
    }

    /// A failure as it is, for example one that came from elsewhere.
    #[must_use]
    pub fn from_failure(failure: Failure) -> Self {
        Self(Box::new(failure))
    }

    /// Says that trying again cannot help: every retry policy stops here.
    #[must_use]
    pub fn not_retriable(mut self) -> Self {
        self.0.retriable = false;
        self
    }

    /// Adds further text for people: a response body, a backtrace.
    #[must_use]
    pub fn details(mut self, details: impl Into<String>) -> Self {
        self.0.details = Some(details.into());
        self
    }

    /// The facts.
    #[must_use]
    pub fn failure(&self) -> &Failure {
        &self.0
    }

    /// The facts, to keep.
    #[must_use]
    pub fn into_failure(self) -> Failure {
        *self.0
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.0.error_type, self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// Every error of the standard kind converts; so [`Error`] itself cannot be one.
impl<E: StdError> From<E> for Error {
    fn from(error: E) -> Self {
        let mut causes = Vec::new();
        let mut source = error.source();
        while let Some(cause) = source.filter(|_| causes.len() < CAUSES_MAX) {
            causes.push(Cause { error_type: "Error".to_owned(), message: cause.to_string(), details: None });
            source = cause.source();
        }
        let mut converted = Self::new(kind(std::any::type_name::<E>()), error.to_string());
        converted.0.causes = causes;
        converted
    }
}

/// `ParseIntError` for `core::num::error::ParseIntError`, `io::Error` for `std::io::error::Error`: a bare `Error` would
/// not say whose it is.
fn kind(path: &str) -> String {
    let path = path.split('<').next().unwrap_or(path);
    let mut segments = path.rsplit("::").filter(|segment| *segment != "error");
    match (segments.next(), segments.next()) {
        (Some("Error"), Some(owner)) => format!("{owner}::Error"),
        (Some(name), _) => name.to_owned(),
        (None, _) => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Outer(fmt::Error);

    impl fmt::Display for Outer {
        fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("outer")
        }
    }

    impl StdError for Outer {
        fn source(&self) -> Option<&(dyn StdError + 'static)> {
            Some(&self.0)
        }
    }

    #[test]
    fn any_error_becomes_a_failure_with_its_causes() {
        let failure = Error::from(Outer(fmt::Error)).into_failure();
        assert_eq!((failure.error_type.as_str(), failure.message.as_str()), ("Outer", "outer"));
        assert_eq!(failure.causes.len(), 1);
        assert_eq!(failure.causes[0].message, fmt::Error.to_string());
        assert!(failure.retriable);
    }

    #[test]
    fn kinds_are_short_and_tell_whose_they_are() {
        assert_eq!(kind("core::num::error::ParseIntError"), "ParseIntError");
        assert_eq!(kind("std::io::error::Error"), "io::Error");
        assert_eq!(kind("shop::Declined<alloc::string::String>"), "Declined");
    }
}

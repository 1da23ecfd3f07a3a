//! Why something failed, as plain data that crosses between workflows, activities and hosts.
//! Not the type that `?` works with: that is [`Error`](crate::Error), which carries one of these.

use std::error::Error as StdError;
use std::fmt;

use crate::bindings::everturn::workflow::types;

/// A chain of causes is cut here, as the host would cut it.
pub const MAX_CAUSES: usize = 32;

/// Why a workflow, an activity or a child failed.
///
/// ```
/// use everturn_sdk::Error;
///
/// let error = Error::new("CardDeclined", "the bank said no").details("code 51");
/// let failure = error.failure();
/// assert_eq!(failure.error_type, "CardDeclined");
/// assert_eq!(failure.details.as_deref(), Some("code 51"));
/// assert_eq!(failure.to_string(), "CardDeclined: the bank said no");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The kind of error: a stable name that code may compare.
    pub error_type: String,
    /// The error in words, for people. Never compare it.
    pub message: String,
    /// Further text for people: a stack trace, a response body.
    pub details: Option<String>,
    /// What led to it, the nearest cause first; at most [`MAX_CAUSES`].
    pub causes: Vec<Cause>,
    /// Whether trying again could help. A retry policy stops at a failure that says no.
    pub retriable: bool,
}

/// One link in a failure's chain of causes.
///
/// ```
/// use everturn_sdk::Error;
///
/// let error = Error::new("OrderFailed", "order 7 failed").caused_by(Error::new("CardDeclined", "no"));
/// assert_eq!(error.failure().causes[0].error_type, "CardDeclined");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The kind of error; `Error` where only its message is known.
    pub error_type: String,
    /// The error in words, for people.
    pub message: String,
    /// Further text for people.
    pub details: Option<String>,
}

impl Failure {
    /// Whether this is the kind of error with that name.
    ///
    /// ```
    /// use everturn_sdk::Error;
    ///
    /// assert!(Error::new("CardDeclined", "the bank said no").failure().is("CardDeclined"));
    /// ```
    #[must_use]
    pub fn is(&self, error_type: &str) -> bool {
        self.error_type == error_type
    }

    pub(crate) fn from_std(error: &(dyn StdError + 'static), error_type: String) -> Self {
        let mut failure =
            Self { error_type, message: error.to_string(), details: None, causes: Vec::new(), retriable: true };
        let mut source = error.source();
        while let Some(error) = source {
            if let Some(cause) = error.downcast_ref::<Self>() {
                failure.add_cause(cause.clone());
            } else {
                failure.push(Cause { error_type: "Error".to_owned(), message: error.to_string(), details: None });
            }
            if failure.causes.len() == MAX_CAUSES {
                break;
            }
            source = error.source();
        }
        failure
    }

    pub(crate) fn add_cause(&mut self, cause: Self) {
        self.push(Cause { error_type: cause.error_type, message: cause.message, details: cause.details });
        for cause in cause.causes {
            self.push(cause);
        }
    }

    fn push(&mut self, cause: Cause) {
        if self.causes.len() < MAX_CAUSES {
            self.causes.push(cause);
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.error_type, self.message)
    }
}

impl StdError for Failure {}

impl From<types::Failure> for Failure {
    fn from(failure: types::Failure) -> Self {
        let cause = |cause: types::Cause| Cause {
            error_type: cause.error_type,
            message: cause.message,
            details: cause.details,
        };
        Self {
            error_type: failure.error_type,
            message: failure.message,
            details: failure.details,
            causes: failure.causes.into_iter().map(cause).collect(),
            retriable: failure.retriable,
        }
    }
}

impl From<Failure> for types::Failure {
    fn from(failure: Failure) -> Self {
        let cause = |cause: Cause| types::Cause {
            error_type: cause.error_type,
            message: cause.message,
            details: cause.details,
        };
        Self {
            error_type: failure.error_type,
            message: failure.message,
            details: failure.details,
            causes: failure.causes.into_iter().map(cause).collect(),
            retriable: failure.retriable,
        }
    }
}

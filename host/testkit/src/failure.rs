//! Why something failed, as tests write and read it.

use std::error::Error;
use std::fmt;

use everturn_activity::Error as ActivityError;
use everturn_replay::{Cause, Failure as ReplayFailure};

/// Why an activity, a child, an update or the workflow itself failed.
///
/// Mocks return it, and results are compared with it:
///
/// ```
/// use everturn_test::Failure;
///
/// let declined = Failure::new("CardDeclined", "no money left").not_retriable();
/// assert_eq!(declined.to_string(), "CardDeclined: no money left");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failure {
    /// The kind of error, as the workflow compares it.
    pub error_type: String,
    /// The error in words.
    pub message: String,
    /// Further text for people.
    pub details: Option<String>,
    /// What led to it, the nearest cause first: kind and words of each.
    pub causes: Vec<(String, String)>,
    /// Whether trying again could help. A retry policy stops at a failure that says no.
    pub retriable: bool,
}

impl Failure {
    /// A failure of a named kind. Trying again may help, unless [`not_retriable`](Self::not_retriable) says otherwise.
    #[must_use]
    pub fn new(error_type: impl Into<String>, message: impl Into<String>) -> Self {
        let (error_type, message) = (error_type.into(), message.into());
        Self { error_type, message, details: None, causes: Vec::new(), retriable: true }
    }

    /// Says that trying again cannot help: every retry policy stops here.
    #[must_use]
    pub fn not_retriable(mut self) -> Self {
        self.retriable = false;
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.error_type, self.message)?;
        self.causes.iter().try_for_each(|(kind, words)| write!(formatter, "; caused by {kind}: {words}"))
    }
}

impl Error for Failure {}

impl From<ReplayFailure> for Failure {
    fn from(failure: ReplayFailure) -> Self {
        Self {
            error_type: failure.error_type,
            message: failure.message,
            details: failure.details,
            causes: failure.causes.into_iter().map(|cause| (cause.error_type, cause.message)).collect(),
            retriable: failure.retriable,
        }
    }
}

impl From<Failure> for ReplayFailure {
    fn from(failure: Failure) -> Self {
        let cause = |(error_type, message)| Cause { error_type, message, details: None };
        Self {
            error_type: failure.error_type,
            message: failure.message,
            details: failure.details,
            causes: failure.causes.into_iter().map(cause).collect(),
            retriable: failure.retriable,
        }
    }
}

/// So that a mock can share code with a native activity.
impl From<ActivityError> for Failure {
    fn from(error: ActivityError) -> Self {
        error.into_failure().into()
    }
}

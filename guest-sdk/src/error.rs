//! What a workflow returns when it does not return a result, and what `?` works with.
//! The facts of a failure are in [`Failure`]; this adds conversion, building, and the way out of a generation.

use std::error::Error as StdError;
use std::fmt;
use std::ops::Deref;

use crate::failure::Failure;
use crate::restart::Restart;
use crate::timer::MoveRefused;
use crate::type_names;

/// What workflows and durable calls return.
///
/// ```
/// use everturn_sdk::{Error, Result};
///
/// fn check(amount: u32) -> Result<u32> {
///     match amount {
///         0 => Err(Error::new("NothingToPay", "the amount is zero")),
///         amount => Ok(amount),
///     }
/// }
/// assert!(check(0).is_err());
/// ```
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure on its way up, or the request to continue as new.
///
/// `?` turns any [`std::error::Error`] into one: its type's name becomes the error type, its sources the causes.
/// That is good for reports. To let callers compare the kind of an error, name it yourself with [`Error::new`]: the
/// name of a Rust type changes when somebody renames the type.
///
/// It gives access to the fields of its [`Failure`].
///
/// ```
/// use everturn_sdk::{Error, Result};
///
/// fn parse(text: &str) -> Result<u32> {
///     Ok(text.parse::<u32>()?)
/// }
///
/// let error = parse("many").unwrap_err();
/// assert_eq!(error.error_type, "ParseIntError");
/// assert_eq!(error.message, "invalid digit found in string");
/// ```
pub struct Error {
    failure: Box<Failure>,
    restart: Option<Box<Restart>>,
}

impl Error {
    /// An error of a named kind. Trying again may help, unless [`not_retriable`](Self::not_retriable) says otherwise.
    ///
    /// ```
    /// # use everturn_sdk::Error;
    /// let error = Error::new("CardDeclined", format!("the bank declined card {}", 1234));
    /// assert!(error.retriable);
    /// ```
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

    /// Says that trying again cannot help: every retry policy stops here.
    ///
    /// ```
    /// # use everturn_sdk::Error;
    /// assert!(!Error::new("CardDeclined", "stolen").not_retriable().retriable);
    /// ```
    #[must_use]
    pub fn not_retriable(mut self) -> Self {
        self.failure.retriable = false;
        self
    }

    /// Adds further text for people: a stack trace, a response body.
    ///
    /// ```
    /// # use everturn_sdk::Error;
    /// let error = Error::new("CardDeclined", "the bank said no").details("code 51");
    /// assert_eq!(error.details.as_deref(), Some("code 51"));
    /// ```
    #[must_use]
    pub fn details(mut self, details: impl Into<String>) -> Self {
        self.failure.details = Some(details.into());
        self
    }

    /// Adds what led to it, with everything that led to that.
    ///
    /// ```
    /// # use everturn_sdk::Error;
    /// let error = Error::new("OrderFailed", "order 7 failed").caused_by(std::fmt::Error);
    /// assert_eq!(error.causes[0].error_type, "fmt::Error");
    /// ```
    #[must_use]
    pub fn caused_by(mut self, cause: impl Into<Self>) -> Self {
        self.failure.add_cause(*cause.into().failure);
        self
    }

    /// Whether this is the kind of error with that name.
    ///
    /// ```
    /// # use everturn_sdk::Error;
    /// assert!(Error::new("CardDeclined", "the bank said no").is("CardDeclined"));
    /// ```
    #[must_use]
    pub fn is(&self, error_type: &str) -> bool {
        self.failure.is(error_type)
    }

    /// The facts.
    ///
    /// ```
    /// # use everturn_sdk::Error;
    /// let failure = Error::new("CardDeclined", "the bank said no").failure().clone();
    /// assert_eq!(failure.message, "the bank said no");
    /// ```
    #[must_use]
    pub fn failure(&self) -> &Failure {
        &self.failure
    }

    /// Whether this is no failure but the way out of the workflow that [`continue_as_new`](crate::Ctx::continue_as_new)
    /// gave. Code that handles errors should let it pass.
    ///
    /// ```
    /// # use everturn_sdk::Error;
    /// assert!(!Error::new("CardDeclined", "the bank said no").is_continue_as_new());
    /// ```
    #[must_use]
    pub fn is_continue_as_new(&self) -> bool {
        self.restart.is_some()
    }

    pub(crate) fn from_failure(failure: Failure) -> Self {
        Self { failure: Box::new(failure), restart: None }
    }

    pub(crate) fn from_restart(restart: Restart) -> Self {
        let mut error = Self::new(
            "ContinueAsNew",
            "the workflow asked to continue as new; this must reach the end of the workflow as its error",
        );
        error.restart = Some(Box::new(restart));
        error
    }

    pub(crate) fn into_parts(self) -> (Failure, Option<Restart>) {
        (*self.failure, self.restart.map(|restart| *restart))
    }
}

impl Deref for Error {
    type Target = Failure;

    fn deref(&self) -> &Failure {
        &self.failure
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.failure.fmt(formatter)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.restart {
            Some(restart) => restart.fmt(formatter),
            None => self.failure.fmt(formatter),
        }
    }
}

/// Every error of the standard kind converts; so [`Error`] itself cannot be one (use its [`Failure`] for that).
impl<E: StdError + 'static> From<E> for Error {
    fn from(error: E) -> Self {
        let boxed: Box<dyn StdError> = Box::new(error);
        let boxed = match boxed.downcast::<Failure>() {
            Ok(failure) => return Self::from_failure(*failure),
            Err(other) => other,
        };
        // An error of ours whose kinds have names of their own, for callers who are elsewhere.
        if let Some(refused) = boxed.downcast_ref::<MoveRefused>() {
            return Self::new(refused.error_type(), refused.to_string()).not_retriable();
        }
        Self::from_failure(Failure::from_std(boxed.as_ref(), type_names::kind_of_error::<E>()))
    }
}

#[cfg(test)]
mod tests;

//! Why something failed, as guests see it, and its form in history.

use everturn_history::{TaskFailureDetails, text};
use serde::Serialize;

/// Why a workflow, an activity or a child failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// The kind of error, as a stable name that code may compare.
    pub error_type: String,
    /// The error in words.
    pub message: String,
    /// Further text for people.
    pub details: Option<String>,
    /// What led to it, the nearest cause first.
    pub causes: Vec<Cause>,
    /// Whether trying again could help.
    pub retriable: bool,
}

/// One link in a failure's chain of causes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Cause {
    /// The kind of error.
    pub error_type: String,
    /// The error in words.
    pub message: String,
    /// Further text for people.
    pub details: Option<String>,
}

/// How many causes of a failure are kept. History nests them, and readers have limits on nesting.
const CAUSES_MAX: usize = 32;

impl From<Failure> for TaskFailureDetails {
    fn from(failure: Failure) -> Self {
        let mut inner = None;
        for cause in failure.causes.into_iter().take(CAUSES_MAX).rev() {
            inner = Some(Box::new(Self {
                error_type: cause.error_type,
                error_message: cause.message,
                stack_trace: cause.details.map(text),
                inner_failure: inner,
                ..Self::default()
            }));
        }
        Self {
            error_type: failure.error_type,
            error_message: failure.message,
            stack_trace: failure.details.map(text),
            inner_failure: inner,
            is_non_retriable: !failure.retriable,
            ..Self::default()
        }
    }
}

impl From<TaskFailureDetails> for Failure {
    fn from(details: TaskFailureDetails) -> Self {
        let mut causes = Vec::new();
        let mut inner = details.inner_failure;
        while let Some(cause) = inner.take().filter(|_| causes.len() < CAUSES_MAX) {
            causes.push(Cause {
                error_type: cause.error_type,
                message: cause.error_message,
                details: cause.stack_trace.map(|trace| trace.value),
            });
            inner = cause.inner_failure;
        }
        Self {
            error_type: details.error_type,
            message: details.error_message,
            details: details.stack_trace.map(|trace| trace.value),
            causes,
            retriable: !details.is_non_retriable,
        }
    }
}

//! From errors to answers: the status, a code for programs, and a message for people.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use everturn_runtime::{ComponentError, RequestError};
use everturn_store::StoreError;

use crate::model::{Problem, ProblemBody};

/// Seconds after which a client may ask again, when the host could not do what it was asked for.
const RETRY_AFTER: HeaderValue = HeaderValue::from_static("2");

/// Why a request gets no other answer.
#[derive(Debug)]
pub(crate) struct Refusal {
    status: StatusCode,
    code: &'static str,
    message: String,
    help: Option<&'static str>,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), help: None }
    }

    pub(crate) fn bad_request(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, message)
    }

    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message).help("the log of the host says more")
    }

    pub(crate) fn overloaded(what: &str, limit: usize) -> Self {
        let message = format!("the limit of {limit} {what} is reached; ask again in a moment");
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "overloaded", message)
    }

    pub(crate) fn stopping() -> Self {
        RequestError::Stopping.into()
    }

    pub(crate) fn help(mut self, help: &'static str) -> Self {
        self.help = Some(help);
        self
    }

    /// As clients see it.
    pub(crate) fn into_body(self) -> (StatusCode, ProblemBody) {
        let Self { status, code, message, help } = self;
        if status.is_server_error() {
            tracing::warn!(%status, code, message, "a request failed");
        }
        let error = Problem { code: code.to_owned(), message, help: help.map(str::to_owned) };
        (status, ProblemBody { error })
    }
}

impl From<RequestError> for Refusal {
    fn from(error: RequestError) -> Self {
        let (status, code) = match &error {
            RequestError::Store(error) => of_store(error),
            RequestError::UnknownWorkflow { .. } => (StatusCode::NOT_FOUND, "unknown_workflow"),
            RequestError::UnknownVersion { .. } => (StatusCode::NOT_FOUND, "unknown_version"),
            RequestError::PayloadTooLarge { .. } => (StatusCode::PAYLOAD_TOO_LARGE, "payload_too_large"),
            RequestError::InvalidPayload { .. } => (StatusCode::BAD_REQUEST, "invalid_payload"),
            RequestError::InvalidName { .. } => (StatusCode::BAD_REQUEST, "invalid_name"),
            RequestError::CannotRerun { .. } => (StatusCode::CONFLICT, "cannot_rerun"),
            RequestError::CannotReset { .. } => (StatusCode::CONFLICT, "cannot_reset"),
            RequestError::UnknownHandler { .. } => (StatusCode::NOT_FOUND, "unknown_handler"),
            RequestError::NoAnswer { .. } => (StatusCode::UNPROCESSABLE_ENTITY, "no_answer"),
            RequestError::NotTaken { .. } => (StatusCode::CONFLICT, "update_not_taken"),
            RequestError::Unanswered { .. } => (StatusCode::CONFLICT, "update_unanswered"),
            RequestError::UnknownDeployment { .. } => (StatusCode::NOT_FOUND, "unknown_version"),
            RequestError::NothingToUndo => (StatusCode::CONFLICT, "nothing_to_undo"),
            RequestError::InvalidShare { .. } => (StatusCode::BAD_REQUEST, "invalid_parameter"),
            RequestError::DoesNotFit { .. } => (StatusCode::CONFLICT, "does_not_fit"),
            RequestError::TooManyUpdates { .. } => (StatusCode::SERVICE_UNAVAILABLE, "overloaded"),
            RequestError::CannotRewind { .. } => (StatusCode::CONFLICT, "cannot_rewind"),
            RequestError::Component(ComponentError::CompilerNotStarted { .. }) => {
                (StatusCode::SERVICE_UNAVAILABLE, "compiler_unavailable")
            }
            RequestError::Component(_) | RequestError::Activities(_) => {
                (StatusCode::UNPROCESSABLE_ENTITY, "component_unusable")
            }
            RequestError::Stopping => (StatusCode::SERVICE_UNAVAILABLE, "stopping"),
        };
        Self::new(status, code, error.to_string())
    }
}

fn of_store(error: &StoreError) -> (StatusCode, &'static str) {
    match error {
        StoreError::NotFound { .. } => (StatusCode::NOT_FOUND, "not_found"),
        StoreError::AlreadyExists { .. } => (StatusCode::CONFLICT, "already_exists"),
        StoreError::Ended { .. } => (StatusCode::CONFLICT, "ended"),
        StoreError::Open { .. } => (StatusCode::CONFLICT, "open"),
        StoreError::LabelInUse { .. } => (StatusCode::CONFLICT, "label_in_use"),
        StoreError::InstancesLeft { .. } | StoreError::Active { .. } | StoreError::Retired { .. } => {
            (StatusCode::CONFLICT, "version_needed")
        }
        StoreError::Conflict => (StatusCode::CONFLICT, "conflict"),
        StoreError::StaleToken { .. } => (StatusCode::CONFLICT, "stale_token"),
        StoreError::Full => (StatusCode::SERVICE_UNAVAILABLE, "storage_full"),
        StoreError::Busy | StoreError::InUse { .. } | StoreError::Io { .. } => {
            (StatusCode::SERVICE_UNAVAILABLE, "storage_failing")
        }
        StoreError::Closed => (StatusCode::SERVICE_UNAVAILABLE, "stopping"),
        StoreError::NoComponent { .. } | StoreError::TooNew { .. } => (StatusCode::INTERNAL_SERVER_ERROR, "internal"),
        StoreError::Corrupt { .. } => (StatusCode::INTERNAL_SERVER_ERROR, "storage_damaged"),
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, body) = self.into_body();
        let mut response = (status, Json(body)).into_response();
        if status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(header::RETRY_AFTER, RETRY_AFTER);
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_component_that_cannot_be_used_is_not_a_host_that_cannot_compile() {
        let (program, detail) = ("everturn".to_owned(), "no processes left".to_owned());
        let table = [
            (ComponentError::CompilerNotStarted { program, detail }, StatusCode::SERVICE_UNAVAILABLE),
            (ComponentError::CompileMemory { limit: 1 }, StatusCode::UNPROCESSABLE_ENTITY),
            (ComponentError::NotWebAssembly, StatusCode::UNPROCESSABLE_ENTITY),
        ];
        for (error, status) in table {
            assert_eq!(Refusal::from(RequestError::from(error)).status, status);
        }
    }
}

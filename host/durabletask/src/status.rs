//! From errors to what gRPC calls a status: a code for programs, and a message for people.

use everturn_runtime::{ComponentError, RequestError};
use everturn_store::StoreError;
use tonic::{Code, Status};

use crate::wire::{MalformedToken, NoMoment, RefusedAnswer};

/// Why a request was refused, for who asked.
pub(crate) fn refusal(error: &RequestError) -> Status {
    let code = match error {
        RequestError::Store(error) => of_store(error),
        RequestError::UnknownWorkflow { .. } | RequestError::UnknownVersion { .. } => Code::NotFound,
        // Dapr's workers know that it is useless to send the same again, and fail what they were doing.
        RequestError::PayloadTooLarge { .. } => Code::ResourceExhausted,
        RequestError::InvalidPayload { .. } | RequestError::InvalidName { .. } => Code::InvalidArgument,
        RequestError::CannotRerun { .. } | RequestError::CannotRewind { .. } | RequestError::CannotReset { .. } => {
            Code::FailedPrecondition
        }
        RequestError::UnknownHandler { .. } => Code::NotFound,
        RequestError::NoAnswer { .. } | RequestError::NotTaken { .. } | RequestError::Unanswered { .. } => {
            Code::FailedPrecondition
        }
        RequestError::TooManyUpdates { .. } => Code::ResourceExhausted,
        RequestError::UnknownDeployment { .. } => Code::NotFound,
        RequestError::InvalidShare { .. } => Code::InvalidArgument,
        RequestError::NothingToUndo | RequestError::DoesNotFit { .. } => Code::FailedPrecondition,
        RequestError::Component(ComponentError::CompilerNotStarted { .. }) => Code::Unavailable,
        RequestError::Component(_) | RequestError::Activities(_) => Code::Internal,
        RequestError::Stopping => Code::Unavailable,
    };
    if matches!(code, Code::Internal | Code::Unavailable) {
        tracing::warn!(%error, ?code, "a call failed");
    }
    Status::new(code, error.to_string())
}

fn of_store(error: &StoreError) -> Code {
    match error {
        StoreError::NotFound { .. } => Code::NotFound,
        StoreError::AlreadyExists { .. } | StoreError::LabelInUse { .. } => Code::AlreadyExists,
        StoreError::InstancesLeft { .. } | StoreError::Active { .. } | StoreError::Retired { .. } => {
            Code::FailedPrecondition
        }
        StoreError::Ended { .. } | StoreError::Open { .. } | StoreError::StaleToken { .. } => Code::FailedPrecondition,
        StoreError::Conflict => Code::Aborted,
        StoreError::Full | StoreError::Busy | StoreError::InUse { .. } | StoreError::Io { .. } | StoreError::Closed => {
            Code::Unavailable
        }
        StoreError::NoComponent { .. } | StoreError::TooNew { .. } | StoreError::Corrupt { .. } => Code::Internal,
    }
}

/// Why the answer of a worker was refused.
pub(crate) fn refused_answer(refused: &RefusedAnswer) -> Status {
    let code = match refused {
        RefusedAnswer::TooManyActions { .. } | RefusedAnswer::TooManyBytes { .. } => Code::ResourceExhausted,
        _ => Code::InvalidArgument,
    };
    Status::new(code, refused.to_string())
}

/// Text that should be a token.
pub(crate) fn malformed_token(error: MalformedToken) -> Status {
    Status::invalid_argument(error.to_string())
}

/// A time that is none.
pub(crate) fn no_moment(error: NoMoment) -> Status {
    Status::invalid_argument(error.to_string())
}

/// Too many ask for the same kind of thing.
pub(crate) fn overloaded(what: &str, limit: usize) -> Status {
    Status::resource_exhausted(format!("the limit of {limit} {what} is reached; ask again in a moment"))
}

/// The host stops.
pub(crate) fn stopping() -> Status {
    Status::unavailable(RequestError::Stopping.to_string())
}

#[cfg(test)]
mod tests {
    use everturn_store::Status as Stands;

    use super::*;

    #[test]
    fn each_kind_of_error_has_its_code() {
        let id = || "i".into();
        let status = Stands::Running;
        let table: [(RequestError, Code); 9] = [
            (StoreError::NotFound { id: id() }.into(), Code::NotFound),
            (StoreError::AlreadyExists { id: id(), status }.into(), Code::AlreadyExists),
            (StoreError::Ended { id: id(), status }.into(), Code::FailedPrecondition),
            (StoreError::Open { id: id(), status }.into(), Code::FailedPrecondition),
            (StoreError::Full.into(), Code::Unavailable),
            (StoreError::Closed.into(), Code::Unavailable),
            (RequestError::PayloadTooLarge { what: "input", size: 2, limit: 1 }, Code::ResourceExhausted),
            (RequestError::InvalidName { what: "id", problem: "is empty".to_owned() }, Code::InvalidArgument),
            (RequestError::Stopping, Code::Unavailable),
        ];
        for (error, code) in table {
            let status = refusal(&error);
            assert_eq!((status.code(), status.message()), (code, error.to_string().as_str()));
        }
    }
}

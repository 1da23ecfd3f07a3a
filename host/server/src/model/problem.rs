//! Errors as clients see them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Why a request was refused: the body of every answer that is an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProblemBody {
    /// The error.
    pub error: Problem,
}

/// Why a request was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// The kind of error, as a stable name that code may compare.
    pub code: String,
    /// What happened and why.
    pub message: String,
    /// What to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

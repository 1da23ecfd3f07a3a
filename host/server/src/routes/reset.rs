//! Takes an open instance back in its history.

use axum::Json;
use axum::extract::State;
use everturn_runtime::{ResetInstance, ResetRequest};

use crate::app::App;
use crate::body::JsonBody;
use crate::model::{ProblemBody, Reset, WasReset};
use crate::path::{Id, InPath};
use crate::refusal::Refusal;

/// Take an open instance back in its history, under its id, and let it go on from there. One that is held goes on.
///
/// What others sent to it since comes again; what it asked for since is given up.
#[utoipa::path(
    post,
    path = "/v1/workflows/{id}/reset",
    operation_id = "resetWorkflow",
    tag = "workflows",
    params(("id" = String, Path, description = "The id of the instance")),
    request_body = Reset,
    responses(
        (status = 200, body = WasReset, description = "It goes on from there"),
        (status = 400, body = ProblemBody, description = "The request cannot be read"),
        (status = 404, body = ProblemBody, description = "There is no such instance or version"),
        (status = 409, body = ProblemBody, description = "It has ended, has no such event, or what is kept does not fit"),
        (status = 503, body = ProblemBody, description = "It could not be written, or the host is stopping"),
    )
)]
pub(crate) async fn reset(
    State(app): State<App>,
    InPath(id): Id,
    JsonBody(reset): JsonBody<Reset>,
) -> Result<Json<WasReset>, Refusal> {
    let Reset { to, version, reason } = reset;
    let ResetInstance { taken_back, kept, version, warnings } =
        app.runtime.reset(&id, ResetRequest { to, version, reason }).await?;
    Ok(Json(WasReset { taken_back, kept, version, warnings }))
}

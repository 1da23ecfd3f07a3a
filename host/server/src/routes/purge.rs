//! Deletes instances.

use axum::Json;
use axum::extract::State;

use crate::app::App;
use crate::body::JsonBody;
use crate::model::{ProblemBody, Purge, Purged};
use crate::path::{Id, InPath};
use crate::query::Query;
use crate::refusal::Refusal;

/// Delete an instance that has ended, with its history.
#[utoipa::path(
    delete,
    path = "/v1/workflows/{id}",
    operation_id = "purgeWorkflow",
    tag = "workflows",
    params(
        ("id" = String, Path, description = "The id of the instance"),
        ("recursive" = Option<bool>, Query, description = "Its children too, their children and so on"),
        ("force" = Option<bool>, Query, description = "Also if it has not ended: nobody is told then"),
    ),
    responses(
        (status = 200, body = Purged, description = "How many were deleted"),
        (status = 400, body = ProblemBody, description = "A parameter cannot be read"),
        (status = 404, body = ProblemBody, description = "There is no such instance"),
        (status = 409, body = ProblemBody, description = "It has not ended"),
        (status = 503, body = ProblemBody, description = "It could not be written, or the host is stopping"),
    )
)]
pub(crate) async fn purge_one(State(app): State<App>, InPath(id): Id, query: Query) -> Result<Json<Purged>, Refusal> {
    let query = query.only(&["recursive", "force"])?;
    let purged = app.runtime.purge(&id, query.flag("recursive")?, query.flag("force")?).await?;
    Ok(Json(Purged { purged }))
}

/// Delete instances that have ended, by filter.
#[utoipa::path(
    post,
    path = "/v1/purge",
    operation_id = "purgeWorkflows",
    tag = "workflows",
    request_body = Purge,
    responses(
        (status = 200, body = Purged, description = "How many were deleted"),
        (status = 400, body = ProblemBody, description = "The request cannot be read, or has no condition"),
        (status = 503, body = ProblemBody, description = "It could not be written, or the host is stopping"),
    )
)]
pub(crate) async fn purge_matching(
    State(app): State<App>,
    JsonBody(purge): JsonBody<Purge>,
) -> Result<Json<Purged>, Refusal> {
    let filter = purge.to_filter().ok_or_else(|| {
        Refusal::bad_request("invalid_request", "a purge without a condition would delete all that has ended")
            .help("give at least one condition, such as \"status\": [\"completed\", \"failed\", \"terminated\"]")
    })?;
    Ok(Json(Purged { purged: app.runtime.purge_matching(filter).await? }))
}

//! The history of an instance, as `everturn replay` reads it.

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;

use crate::app::App;
use crate::model::ProblemBody;
use crate::path::{Id, InPath};
use crate::query::Query;
use crate::refusal::Refusal;

/// The history of an instance: an array of events in the proto3 JSON form.
///
/// It is that of the current generation.
#[utoipa::path(
    get,
    path = "/v1/workflows/{id}/history",
    operation_id = "getWorkflowHistory",
    tag = "workflows",
    params(
        ("id" = String, Path, description = "The id of the instance"),
        ("from" = Option<usize>, Query, description = "How many events to leave out at the beginning"),
    ),
    responses(
        (status = 200, body = Vec<Object>, description = "The events"),
        (status = 400, body = ProblemBody, description = "A parameter cannot be read"),
        (status = 404, body = ProblemBody, description = "There is no such instance"),
    )
)]
pub(crate) async fn history(
    State(app): State<App>,
    InPath(id): Id,
    query: Query,
) -> Result<impl IntoResponse, Refusal> {
    let from = query.only(&["from"])?.read::<usize>("from")?.unwrap_or(0);
    let events = app.runtime.history(&id).await?;
    // A long history takes a while to write, and others wait for this thread.
    let written =
        tokio::task::spawn_blocking(move || everturn_history::json::to_string(events.get(from..).unwrap_or_default()));
    let json = written.await.map_err(|error| Refusal::internal(error.to_string()))?;
    let json = json.map_err(|error| Refusal::internal(error.to_string()))?;
    Ok(([(header::CONTENT_TYPE, "application/json")], json))
}

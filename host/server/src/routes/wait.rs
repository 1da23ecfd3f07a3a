//! Waits for the end of an instance.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use everturn_history::InstanceId;

use crate::app::App;
use crate::model::{Instance, ProblemBody};
use crate::path::{Id, InPath};
use crate::query::Query;
use crate::refusal::Refusal;

/// Wait until an instance has ended.
///
/// Without a time limit it waits as long as the client does, or until the host stops.
#[utoipa::path(
    get,
    path = "/v1/workflows/{id}/wait",
    operation_id = "waitForWorkflow",
    tag = "workflows",
    params(
        ("id" = String, Path, description = "The id of the instance"),
        ("timeout" = Option<String>, Query, description = "How long to wait: `500ms`, `30s`, `5m`, `1h 30m`, `7d`"),
    ),
    responses(
        (status = 200, body = Instance, description = "It has ended"),
        (status = 204, description = "It has not ended in that time"),
        (status = 400, body = ProblemBody, description = "A parameter cannot be read"),
        (status = 404, body = ProblemBody, description = "There is no such instance, or it was deleted meanwhile"),
        (status = 503, body = ProblemBody, description = "Too many wait, or the host is stopping"),
    )
)]
pub(crate) async fn wait(State(app): State<App>, InPath(id): Id, query: Query) -> Result<Response, Refusal> {
    let timeout = query.only(&["timeout"])?.duration("timeout")?;
    let _room = app.waiting()?;
    // One that has ended is given whatever the time limit is.
    let now = app.runtime.instance(&id).await?;
    if now.instance.status.is_ended() {
        return Ok(Json(Instance::from(now)).into_response());
    }
    tokio::select! {
        ended = ended(&app, &id) => Ok(Json(ended?).into_response()),
        () = app.stopping() => Err(Refusal::stopping()),
        () = passed(timeout) => Ok(StatusCode::NO_CONTENT.into_response()),
    }
}

async fn ended(app: &App, id: &InstanceId) -> Result<Instance, Refusal> {
    let ended = app.runtime.wait(id).await?;
    // The rest of it; another instance may have taken its place since.
    match app.runtime.instance(id).await {
        Ok(view) if view.instance.key == ended.key => Ok(view.into()),
        _ => Ok(ended.into()),
    }
}

/// Resolves after so long. Without a limit it never does.
pub(super) async fn passed(timeout: Option<Duration>) {
    match timeout {
        Some(timeout) => tokio::time::sleep(timeout).await,
        None => std::future::pending().await,
    }
}

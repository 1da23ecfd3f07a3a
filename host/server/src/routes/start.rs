//! Starts a workflow.

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use everturn_history::InstanceId;
use everturn_runtime::{ExistingInstance, StartRequest, StartedInstance};
use everturn_store::Time;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::app::App;
use crate::body::JsonBody;
use crate::model::{IfExists, ProblemBody, Start, Started};
use crate::refusal::Refusal;

/// Start a workflow.
///
/// The answer comes when the start is on disk: from then on it is not lost.
#[utoipa::path(
    post,
    path = "/v1/workflows",
    operation_id = "startWorkflow",
    tag = "workflows",
    request_body = Start,
    responses(
        (status = 201, body = Started, description = "It was started", headers(("location", description = "The instance"))),
        (status = 200, body = Started, description = "It was there before, and `ifExists` is `use`"),
        (status = 400, body = ProblemBody, description = "The request cannot be read, or an id or name cannot be used"),
        (status = 404, body = ProblemBody, description = "No deployment has the workflow, or not in this version"),
        (status = 409, body = ProblemBody, description = "The id is in use"),
        (status = 413, body = ProblemBody, description = "The input exceeds the limit"),
        (status = 503, body = ProblemBody, description = "The start could not be written, or the host is stopping"),
    )
)]
pub(crate) async fn start(
    State(app): State<App>,
    JsonBody(start): JsonBody<Start>,
) -> Result<impl IntoResponse, Refusal> {
    let request = StartRequest {
        workflow: start.workflow,
        id: start.id.map(InstanceId::from),
        input: start.input.map(|input| input.get().to_owned()),
        version: start.version,
        starts_at: start.starts_at.map(Time::at_or_after),
        tags: start.tags,
        if_exists: match start.if_exists {
            IfExists::Fail => ExistingInstance::Fail,
            IfExists::Use => ExistingInstance::Use,
            IfExists::ReplaceEnded => ExistingInstance::ReplaceEnded,
            IfExists::Replace => ExistingInstance::Replace,
        },
        ..StartRequest::default()
    };
    Ok(started(app.runtime.start(request).await?))
}

/// The answer to whatever made an instance.
pub(super) fn started(started: StartedInstance) -> impl IntoResponse {
    let location = format!("/v1/workflows/{}", utf8_percent_encode(started.id.as_str(), NON_ALPHANUMERIC));
    let status = if started.is_new { StatusCode::CREATED } else { StatusCode::OK };
    let body = Started { id: started.id.into_string(), is_new: started.is_new, warnings: started.warnings };
    (status, [(header::LOCATION, location)], Json(body))
}

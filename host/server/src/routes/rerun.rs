//! Runs an instance again from some point of its history.

use axum::extract::State;
use axum::response::IntoResponse;
use everturn_history::{InstanceId, SequenceId};
use everturn_runtime::RerunRequest;

use super::start::started;
use crate::app::App;
use crate::body::JsonBody;
use crate::model::{ProblemBody, Rerun, Started};
use crate::path::{Id, InPath};
use crate::refusal::Refusal;

/// Run an instance again from some point of its history, as a new one.
#[utoipa::path(
    post,
    path = "/v1/workflows/{id}/rerun",
    operation_id = "rerunWorkflow",
    tag = "workflows",
    params(("id" = String, Path, description = "The id of the instance")),
    request_body = Rerun,
    responses(
        (status = 201, body = Started, description = "It was started", headers(("location", description = "The instance"))),
        (status = 400, body = ProblemBody, description = "The request cannot be read"),
        (status = 404, body = ProblemBody, description = "There is no such instance"),
        (status = 409, body = ProblemBody, description = "It cannot be run again from there, or the new id is in use"),
        (status = 413, body = ProblemBody, description = "The input exceeds the limit"),
        (status = 503, body = ProblemBody, description = "It could not be written, or the host is stopping"),
    )
)]
pub(crate) async fn rerun(
    State(app): State<App>,
    InPath(id): Id,
    JsonBody(rerun): JsonBody<Rerun>,
) -> Result<impl IntoResponse, Refusal> {
    let request = RerunRequest {
        from: SequenceId::new(rerun.from),
        new_id: rerun.new_id.map(InstanceId::from),
        input: rerun.input.map(|input| input.get().to_owned()),
        ..RerunRequest::default()
    };
    Ok(started(app.runtime.rerun(&id, request).await?))
}

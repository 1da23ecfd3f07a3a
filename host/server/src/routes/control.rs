//! What one tells an instance: events, and to end, pause or go on.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use everturn_history::InstanceId;

use crate::app::App;
use crate::body::OptionalBody;
use crate::model::{Accepted, ProblemBody, RaiseEvent, Reason, Terminate};
use crate::path::{Id, InPath};
use crate::refusal::Refusal;

type Answer = Result<(StatusCode, Json<Accepted>), Refusal>;

fn accepted(warnings: Vec<String>) -> (StatusCode, Json<Accepted>) {
    (StatusCode::ACCEPTED, Json(Accepted { warnings }))
}

/// Raise an event to an instance.
///
/// An event that nobody waits for is kept until somebody does.
#[utoipa::path(
    post,
    path = "/v1/workflows/{id}/events/{name}",
    operation_id = "raiseEvent",
    tag = "workflows",
    params(
        ("id" = String, Path, description = "The id of the instance"),
        ("name" = String, Path, description = "The name of the event; upper and lower case are the same"),
    ),
    request_body = RaiseEvent,
    responses(
        (status = 202, body = Accepted, description = "It is on disk"),
        (status = 400, body = ProblemBody, description = "The request cannot be read"),
        (status = 404, body = ProblemBody, description = "There is no such instance"),
        (status = 409, body = ProblemBody, description = "The instance has ended"),
        (status = 413, body = ProblemBody, description = "The data exceeds the limit"),
        (status = 503, body = ProblemBody, description = "It could not be written, or the host is stopping"),
    )
)]
pub(crate) async fn raise_event(
    State(app): State<App>,
    InPath((id, name)): InPath<(InstanceId, String)>,
    OptionalBody(event): OptionalBody<RaiseEvent>,
) -> Answer {
    let data = event.data.map(|data| data.get().to_owned());
    Ok(accepted(app.runtime.raise_event(&id, &name, data).await?))
}

/// Terminate an instance.
#[utoipa::path(
    post,
    path = "/v1/workflows/{id}/terminate",
    operation_id = "terminateWorkflow",
    tag = "workflows",
    params(("id" = String, Path, description = "The id of the instance")),
    request_body = Terminate,
    responses(
        (status = 202, body = Accepted, description = "It is on disk"),
        (status = 400, body = ProblemBody, description = "The request cannot be read"),
        (status = 404, body = ProblemBody, description = "There is no such instance"),
        (status = 409, body = ProblemBody, description = "The instance has ended"),
        (status = 413, body = ProblemBody, description = "The output exceeds the limit"),
        (status = 503, body = ProblemBody, description = "It could not be written, or the host is stopping"),
    )
)]
pub(crate) async fn terminate(
    State(app): State<App>,
    InPath(id): Id,
    OptionalBody(terminate): OptionalBody<Terminate>,
) -> Answer {
    let output = terminate.output.map(|output| output.get().to_owned());
    app.runtime.terminate(&id, output, terminate.recursive).await?;
    Ok(accepted(Vec::new()))
}

/// Suspend an instance: it has no turn until it is resumed. What arrives meanwhile is kept.
#[utoipa::path(
    post,
    path = "/v1/workflows/{id}/suspend",
    operation_id = "suspendWorkflow",
    tag = "workflows",
    params(("id" = String, Path, description = "The id of the instance")),
    request_body = Reason,
    responses(
        (status = 202, body = Accepted, description = "It is on disk"),
        (status = 400, body = ProblemBody, description = "The request cannot be read"),
        (status = 404, body = ProblemBody, description = "There is no such instance"),
        (status = 409, body = ProblemBody, description = "The instance has ended"),
        (status = 503, body = ProblemBody, description = "It could not be written, or the host is stopping"),
    )
)]
pub(crate) async fn suspend(
    State(app): State<App>,
    InPath(id): Id,
    OptionalBody(reason): OptionalBody<Reason>,
) -> Answer {
    app.runtime.suspend(&id, reason.reason).await?;
    Ok(accepted(Vec::new()))
}

/// Resume an instance that is suspended.
#[utoipa::path(
    post,
    path = "/v1/workflows/{id}/resume",
    operation_id = "resumeWorkflow",
    tag = "workflows",
    params(("id" = String, Path, description = "The id of the instance")),
    request_body = Reason,
    responses(
        (status = 202, body = Accepted, description = "It is on disk"),
        (status = 400, body = ProblemBody, description = "The request cannot be read"),
        (status = 404, body = ProblemBody, description = "There is no such instance"),
        (status = 409, body = ProblemBody, description = "The instance has ended"),
        (status = 503, body = ProblemBody, description = "It could not be written, or the host is stopping"),
    )
)]
pub(crate) async fn resume(
    State(app): State<App>,
    InPath(id): Id,
    OptionalBody(reason): OptionalBody<Reason>,
) -> Answer {
    app.runtime.resume(&id, reason.reason).await?;
    Ok(accepted(Vec::new()))
}

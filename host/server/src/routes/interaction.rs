//! What a workflow handles while it goes on: signals, queries and updates.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use everturn_history::InstanceId;
use everturn_runtime::UpdateOutcome;

use crate::app::App;
use crate::body::OptionalBody;
use crate::model::{Accepted, Answer, Ask, ProblemBody, RaiseEvent, Update, Updated, payload};
use crate::path::InPath;
use crate::query::Query;
use crate::refusal::Refusal;
use crate::routes::wait::passed;

/// Send a signal to an instance.
///
/// It is an event that the workflow says it handles; any other name is refused.
#[utoipa::path(
    post,
    path = "/v1/workflows/{id}/signals/{name}",
    operation_id = "signalWorkflow",
    tag = "workflows",
    params(
        ("id" = String, Path, description = "The id of the instance"),
        ("name" = String, Path, description = "The name of the signal; upper and lower case are the same"),
    ),
    request_body = RaiseEvent,
    responses(
        (status = 202, body = Accepted, description = "It is on disk"),
        (status = 400, body = ProblemBody, description = "The request cannot be read"),
        (status = 404, body = ProblemBody, description = "There is no such instance, or its workflow has no such signal"),
        (status = 409, body = ProblemBody, description = "The instance has ended"),
        (status = 413, body = ProblemBody, description = "The data exceeds the limit"),
        (status = 503, body = ProblemBody, description = "It could not be written, or the host is stopping"),
    )
)]
pub(crate) async fn signal(
    State(app): State<App>,
    InPath((id, name)): InPath<(InstanceId, String)>,
    OptionalBody(signal): OptionalBody<RaiseEvent>,
) -> Result<(StatusCode, Json<Accepted>), Refusal> {
    let data = signal.data.map(|data| data.get().to_owned());
    let warnings = app.runtime.signal(&id, &name, data).await?;
    Ok((StatusCode::ACCEPTED, Json(Accepted { warnings })))
}

/// Ask an instance, which may have ended.
///
/// The answer tells its state as of its last turn. Nothing is recorded.
#[utoipa::path(
    post,
    path = "/v1/workflows/{id}/queries/{name}",
    operation_id = "queryWorkflow",
    tag = "workflows",
    params(
        ("id" = String, Path, description = "The id of the instance"),
        ("name" = String, Path, description = "The name of the query"),
    ),
    request_body = Ask,
    responses(
        (status = 200, body = Answer, description = "The answer"),
        (status = 400, body = ProblemBody, description = "The request cannot be read"),
        (status = 404, body = ProblemBody, description = "There is no such instance, or its workflow has no such query"),
        (status = 422, body = ProblemBody, description = "The workflow gave no answer"),
        (status = 413, body = ProblemBody, description = "The input exceeds the limit"),
        (status = 503, body = ProblemBody, description = "It could not be read, or the host is stopping"),
    )
)]
pub(crate) async fn query(
    State(app): State<App>,
    InPath((id, name)): InPath<(InstanceId, String)>,
    OptionalBody(ask): OptionalBody<Ask>,
) -> Result<Json<Answer>, Refusal> {
    let input = ask.input.map(|input| input.get().to_owned());
    let answer = app.runtime.query(&id, &name, input).await?;
    Ok(Json(Answer { result: payload(&answer) }))
}

/// Ask an instance to change, and wait for its answer.
///
/// The workflow may refuse it; then nothing has happened. What it accepted goes on, whether somebody waits or not.
#[utoipa::path(
    post,
    path = "/v1/workflows/{id}/updates/{name}",
    operation_id = "updateWorkflow",
    tag = "workflows",
    params(
        ("id" = String, Path, description = "The id of the instance"),
        ("name" = String, Path, description = "The name of the update"),
        ("timeout" = Option<String>, Query, description = "How long to wait: `500ms`, `30s`, `5m`, `1h 30m`, `7d`. Absent: as long as the client does"),
    ),
    request_body = Update,
    responses(
        (status = 200, body = Updated, description = "It was accepted and answered, or refused"),
        (status = 204, description = "There was no answer in that time; the same with the same `id` asks for it again"),
        (status = 400, body = ProblemBody, description = "The request cannot be read"),
        (status = 404, body = ProblemBody, description = "There is no such instance, or its workflow has no such update"),
        (status = 409, body = ProblemBody, description = "The instance has ended, or takes no update at the moment"),
        (status = 413, body = ProblemBody, description = "The input exceeds the limit"),
        (status = 503, body = ProblemBody, description = "Too many wait, or the host is stopping"),
    )
)]
pub(crate) async fn update(
    State(app): State<App>,
    InPath((id, name)): InPath<(InstanceId, String)>,
    query: Query,
    OptionalBody(update): OptionalBody<Update>,
) -> Result<Response, Refusal> {
    let timeout = query.only(&["timeout"])?.duration("timeout")?;
    let _room = app.waiting()?;
    let input = update.input.map(|input| input.get().to_owned());
    let outcome = tokio::select! {
        outcome = app.runtime.update(&id, &name, input, update.id) => outcome?,
        () = app.stopping() => return Err(Refusal::stopping()),
        () = passed(timeout) => return Ok(StatusCode::NO_CONTENT.into_response()),
    };
    let updated = match outcome {
        UpdateOutcome::Completed(Ok(result)) => {
            Updated { accepted: true, result: Some(payload(&result)), failure: None }
        }
        UpdateOutcome::Completed(Err(failure)) => {
            Updated { accepted: true, result: None, failure: Some(failure.into()) }
        }
        UpdateOutcome::Rejected(failure) => Updated { accepted: false, result: None, failure: Some(failure.into()) },
    };
    Ok(Json(updated).into_response())
}

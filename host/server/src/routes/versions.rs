//! Which version new starts go to, and which one an instance runs on.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use everturn_runtime::{ActivateRequest, Gate, Rollout, Strategy};
use everturn_store::GATE_REPORTS;

use crate::app::App;
use crate::body::OptionalBody;
use crate::model::{Accepted, DeployProgress, Deployed, KeptReport, KeptReports, MoveTo, ProblemBody, RolledBack};
use crate::path::{Id, InPath};
use crate::query::{Query, invalid};
use crate::refusal::Refusal;
use crate::routes::progress::Wanted;

/// How a version takes over, as parameters.
pub(super) const ROLLOUT: [&str; 4] = ["strategy", "gate", "ramp", "dryRun"];

pub(super) fn rollout(query: &Query) -> Result<Rollout, Refusal> {
    let strategy = match query.one("strategy")? {
        None | Some("upgrade") => Strategy::Upgrade,
        Some("pin") => Strategy::Pin,
        Some(other) => return Err(invalid(format!("`strategy` is upgrade or pin, not `{other}`"))),
    };
    let gate = match query.one("gate")? {
        None | Some("all") => Gate::All,
        Some("off") => Gate::Off,
        Some(other) => match other.strip_prefix("sample=").map(str::parse) {
            Some(Ok(count)) => Gate::Sample(count),
            _ => return Err(invalid(format!("`gate` is all, sample=NUMBER or off, not `{other}`"))),
        },
    };
    Ok(Rollout { strategy, gate, share: query.read("ramp")? })
}

/// Make a version that is deployed the active one: the gate first, then new starts go to it.
///
/// With `Accept: text/event-stream` the answer is a stream of server-sent events: `progress`, any number of times, and then
/// one `done` or `problem`, as for a deploy.
#[utoipa::path(
    post,
    path = "/v1/deployments/{version}/activate",
    operation_id = "activate",
    tag = "deployments",
    params(
        ("version" = String, Path, description = "The version label"),
        ("strategy" = Option<String>, Query, description = "What open instances do: `upgrade` (those that fit move at their next turn) or `pin` (all stay)"),
        ("gate" = Option<String>, Query, description = "Which open instances are checked: `all`, `sample=NUMBER` or `off`"),
        ("ramp" = Option<u8>, Query, description = "Only this share of new starts, in percent"),
        ("dryRun" = Option<bool>, Query, description = "Only say what would happen"),
    ),
    responses(
        (status = 200, content((Deployed = "application/json"), (DeployProgress = "text/event-stream")),
            description = "What the gate found, and whether it is active; or events, if they were asked for"),
        (status = 400, body = ProblemBody, description = "A parameter cannot be read"),
        (status = 404, body = ProblemBody, description = "There is no such version"),
        (status = 409, body = ProblemBody, description = "It is retired"),
        (status = 503, body = ProblemBody, description = "It could not be written, or the host is stopping"),
    )
)]
pub(crate) async fn activate(
    State(app): State<App>,
    InPath(label): InPath<String>,
    wanted: Wanted,
    query: Query,
) -> Result<Response, Refusal> {
    let query = query.only(&ROLLOUT)?;
    let request = ActivateRequest { label, rollout: rollout(&query)?, dry_run: query.flag("dryRun")? };
    let (room, runtime) = (app.deployment()?, app.runtime.clone());
    wanted.answer(&app, room, StatusCode::OK, async move |told| runtime.activate(request, told).await).await
}

/// Undo the last activation: new starts go where they went before, and instances that moved move back.
#[utoipa::path(
    post,
    path = "/v1/rollback",
    operation_id = "rollBack",
    tag = "deployments",
    responses(
        (status = 200, body = RolledBack, description = "What was undone, and where new starts go now"),
        (status = 409, body = ProblemBody, description = "There is nothing to undo"),
        (status = 503, body = ProblemBody, description = "It could not be written, or the host is stopping"),
    )
)]
pub(crate) async fn roll_back(State(app): State<App>, query: Query) -> Result<Json<RolledBack>, Refusal> {
    query.only(&[])?;
    Ok(Json(app.runtime.roll_back().await?.into()))
}

/// Give up a version that no new start goes to and no open instance needs. Its component is not kept.
#[utoipa::path(
    post,
    path = "/v1/deployments/{version}/retire",
    operation_id = "retire",
    tag = "deployments",
    params(
        ("version" = String, Path, description = "The version label"),
        ("dropNames" = Option<bool>, Query, description = "Also if names lead to it that no other version has: they lead nowhere then"),
    ),
    responses(
        (status = 200, body = Accepted, description = "It is retired"),
        (status = 400, body = ProblemBody, description = "A parameter cannot be read"),
        (status = 404, body = ProblemBody, description = "There is no such version"),
        (status = 409, body = ProblemBody, description = "It is needed"),
        (status = 503, body = ProblemBody, description = "It could not be written, or the host is stopping"),
    )
)]
pub(crate) async fn retire(
    State(app): State<App>,
    InPath(label): InPath<String>,
    query: Query,
) -> Result<Json<Accepted>, Refusal> {
    let drop_names = query.only(&["dropNames"])?.flag("dropNames")?;
    let dropped = app.runtime.retire(&label, drop_names).await?;
    let lost = |name: String| format!("new starts or calls of `{name}` lead nowhere now: no version has it");
    Ok(Json(Accepted { warnings: dropped.into_iter().map(lost).collect() }))
}

/// What gates found, newest first.
#[utoipa::path(
    get,
    path = "/v1/gate-reports",
    operation_id = "listGateReports",
    tag = "deployments",
    params(
        ("version" = Option<String>, Query, description = "Only those of this version"),
        ("limit" = Option<usize>, Query, description = "At most so many. Absent: all that are kept, which are 200 at most"),
    ),
    responses(
        (status = 200, body = KeptReports),
        (status = 400, body = ProblemBody, description = "A parameter cannot be read"),
    )
)]
pub(crate) async fn reports(State(app): State<App>, query: Query) -> Result<Json<KeptReports>, Refusal> {
    let query = query.only(&["version", "limit"])?;
    let limit = query.read("limit")?.unwrap_or(GATE_REPORTS);
    let kept = app.runtime.gate_reports(query.one("version")?, limit).await?.into_iter();
    Ok(Json(KeptReports { reports: kept.map(|(label, at, report)| KeptReport::new(label, at, report)).collect() }))
}

/// Move an open instance to a version, now. One that is held goes on.
#[utoipa::path(
    post,
    path = "/v1/workflows/{id}/move",
    operation_id = "moveWorkflow",
    tag = "workflows",
    params(("id" = String, Path, description = "The id of the instance")),
    request_body = MoveTo,
    responses(
        (status = 200, body = Accepted, description = "Its next turn, which is due now, is on that version"),
        (status = 400, body = ProblemBody, description = "The request cannot be read"),
        (status = 404, body = ProblemBody, description = "There is no such instance or version"),
        (status = 409, body = ProblemBody, description = "It has ended, or does not fit that version"),
        (status = 503, body = ProblemBody, description = "It could not be written, or the host is stopping"),
    )
)]
pub(crate) async fn move_to(
    State(app): State<App>,
    InPath(id): Id,
    OptionalBody(to): OptionalBody<MoveTo>,
) -> Result<Json<Accepted>, Refusal> {
    app.runtime.move_to(&id, &to.version).await?;
    Ok(Json(Accepted { warnings: Vec::new() }))
}

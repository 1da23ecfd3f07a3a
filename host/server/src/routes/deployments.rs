//! Components: made available, and looked at.

use axum::Json;
use axum::extract::{FromRequest, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use everturn_runtime::{DeployRequest, Permissions};
use everturn_store::Successors;

use crate::app::App;
use crate::body::ComponentBody;
use crate::model::{
    DeployProgress, Deployed, Deployment, DeploymentDetails, DeploymentList, ProblemBody, WorkflowDescription,
};
use crate::path::InPath;
use crate::query::{Query, invalid};
use crate::refusal::Refusal;
use crate::routes::progress::Wanted;
use crate::routes::versions::{ROLLOUT, rollout};

const PARAMETERS: [&str; 5] = ["version", "allowHttp", "env", "secret", "successors"];

/// Make a component available.
///
/// The gate replays the history of every open instance of the workflows inside on it. Then new starts go to it, and open
/// instances move or stay. One that cannot run what is open is stored and does not become active, unless all that is open
/// stays where it is.
///
/// With `Accept: text/event-stream` the answer is a stream of server-sent events: `progress` says how far it is, any number
/// of times, and then comes one `done` with the body that the answer would have had, or one `problem` with the error. A
/// client that leaves does not stop a deploy.
#[utoipa::path(
    post,
    path = "/v1/deployments",
    operation_id = "deploy",
    tag = "deployments",
    params(
        ("version" = Option<String>, Query, description = "The version label. Absent: the beginning of the digest"),
        ("allowHttp" = Option<Vec<String>>, Query, description = "A host that its activities may send HTTP requests to; repeated"),
        ("env" = Option<Vec<String>>, Query, description = "`NAME=VALUE` in the environment of its activities; repeated"),
        ("secret" = Option<Vec<String>>, Query, description = "The name of a secret that its activities may read; repeated"),
        ("successors" = Option<String>, Query, description = "Where children and next generations of its instances go: `newest` (the active version) or `same`"),
        ("strategy" = Option<String>, Query, description = "What open instances do: `upgrade` (those that fit move at their next turn) or `pin` (all stay)"),
        ("gate" = Option<String>, Query, description = "Which open instances are checked: `all`, `sample=NUMBER` or `off`"),
        ("ramp" = Option<u8>, Query, description = "Only this share of new starts, in percent"),
        ("dryRun" = Option<bool>, Query, description = "Only say what would happen: nothing is stored"),
    ),
    request_body(content = Vec<u8>, content_type = "application/wasm", description = "The component"),
    responses(
        (status = 200, content((Deployed = "application/json"), (DeployProgress = "text/event-stream")),
            description = "What would happen: it was a dry run; or events, if they were asked for"),
        (status = 201, body = Deployed, description = "It is available; `active` says whether new starts go to it"),
        (status = 400, body = ProblemBody, description = "A parameter cannot be read"),
        (status = 409, body = ProblemBody, description = "The version label stands for another component"),
        (status = 413, body = ProblemBody, description = "The component exceeds the limit"),
        (status = 415, body = ProblemBody, description = "The body is not application/wasm"),
        (status = 422, body = ProblemBody, description = "The component cannot be used"),
        (status = 503, body = ProblemBody, description = "It could not be written, or the host is stopping"),
    )
)]
pub(crate) async fn deploy(
    State(app): State<App>,
    wanted: Wanted,
    query: Query,
    request: Request,
) -> Result<Response, Refusal> {
    let query = query.only(&[&PARAMETERS[..], &ROLLOUT].concat())?;
    let label = query.one("version")?.map(str::to_owned);
    let permissions = permissions(&query)?;
    let successors = match query.one("successors")? {
        None | Some("newest") => Successors::Newest,
        Some("same") => Successors::Same,
        Some(other) => return Err(invalid(format!("`successors` is newest or same, not `{other}`"))),
    };
    let (rollout, dry_run) = (rollout(&query)?, query.flag("dryRun")?);
    // Components are large: room is taken before one is read.
    let room = app.deployment()?;
    let ComponentBody(wasm) = ComponentBody::from_request(request, &app).await?;
    let request = DeployRequest { wasm: wasm.into(), label, permissions, successors, rollout, dry_run };
    let status = if dry_run { StatusCode::OK } else { StatusCode::CREATED };
    let runtime = app.runtime.clone();
    wanted.answer(&app, room, status, async move |told| runtime.deploy_watched(request, told).await).await
}

fn permissions(query: &Query) -> Result<Permissions, Refusal> {
    let variable = |given: &str| {
        let (name, value) = given.split_once('=').unwrap_or_default();
        if name.is_empty() {
            return Err(invalid(format!("`env` is `{given}`, and must be NAME=VALUE")));
        }
        Ok((name.to_owned(), value.to_owned()))
    };
    Ok(Permissions {
        http: query.read_all("allowHttp")?,
        environment: query.all("env").map(variable).collect::<Result<_, _>>()?,
        secrets: query.all("secret").map(str::to_owned).collect(),
    })
}

/// List all deployments, newest first.
#[utoipa::path(
    get,
    path = "/v1/deployments",
    operation_id = "listDeployments",
    tag = "deployments",
    responses((status = 200, body = DeploymentList))
)]
pub(crate) async fn list(State(app): State<App>, query: Query) -> Result<Json<DeploymentList>, Refusal> {
    query.only(&[])?;
    let deployments = app.runtime.deployments().await?;
    Ok(Json(DeploymentList { deployments: deployments.into_iter().map(Deployment::from).collect() }))
}

/// Look at a version.
#[utoipa::path(
    get,
    path = "/v1/deployments/{version}",
    operation_id = "getDeployment",
    tag = "deployments",
    params(("version" = String, Path, description = "The version label")),
    responses(
        (status = 200, body = DeploymentDetails),
        (status = 404, body = ProblemBody, description = "There is no such version"),
    )
)]
pub(crate) async fn show(
    State(app): State<App>,
    InPath(label): InPath<String>,
    query: Query,
) -> Result<Json<DeploymentDetails>, Refusal> {
    query.only(&[])?;
    let (deployment, described) = app.runtime.describe(&label).await?;
    let descriptions = described.map(|described| described.into_iter().map(WorkflowDescription::from).collect());
    Ok(Json(DeploymentDetails { deployment: deployment.into(), descriptions }))
}

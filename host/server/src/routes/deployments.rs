//! Components: made available, and listed.

use axum::Json;
use axum::extract::{FromRequest, Request, State};
use axum::http::StatusCode;
use everturn_runtime::{DeployRequest, Permissions};

use crate::app::App;
use crate::body::ComponentBody;
use crate::model::{Deployed, Deployment, DeploymentList, ProblemBody};
use crate::query::{Query, invalid};
use crate::refusal::Refusal;

const PARAMETERS: [&str; 4] = ["version", "allowHttp", "env", "secret"];

/// Make a component available. New starts of the workflows inside go to it from then on.
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
    ),
    request_body(content = Vec<u8>, content_type = "application/wasm", description = "The component"),
    responses(
        (status = 201, body = Deployed, description = "It is available"),
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
    query: Query,
    request: Request,
) -> Result<(StatusCode, Json<Deployed>), Refusal> {
    let query = query.only(&PARAMETERS)?;
    let label = query.one("version")?.map(str::to_owned);
    let permissions = permissions(&query)?;
    // Components are large: room is taken before one is read.
    let _room = app.deployment()?;
    let ComponentBody(wasm) = ComponentBody::from_request(request, &app).await?;
    let deployed = app.runtime.deploy(DeployRequest { wasm: wasm.into(), label, permissions }).await?;
    Ok((StatusCode::CREATED, Json(deployed.into())))
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

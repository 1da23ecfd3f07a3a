//! How the host does, for people.

use axum::Json;
use axum::extract::State;

use crate::app::App;
use crate::model::{HostStatus, ProblemBody};
use crate::query::Query;
use crate::refusal::Refusal;

/// How the host does.
#[utoipa::path(
    get,
    path = "/v1/status",
    operation_id = "getStatus",
    tag = "host",
    responses(
        (status = 200, body = HostStatus),
        (status = 503, body = ProblemBody, description = "The data cannot be read"),
    )
)]
pub(crate) async fn status(State(app): State<App>, query: Query) -> Result<Json<HostStatus>, Refusal> {
    query.only(&[])?;
    let counts = app.runtime.count().await?;
    let statistics = serde_json::to_value(app.runtime.statistics()).and_then(serde_json::from_value);
    Ok(Json(HostStatus {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        health: app.runtime.health().into(),
        instances: counts.into_iter().map(|(status, count)| (status.into(), count)).collect(),
        statistics: statistics.map_err(|error| Refusal::internal(error.to_string()))?,
    }))
}

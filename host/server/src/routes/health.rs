//! Whether the host can do its work, for programs that watch it.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use crate::app::App;
use crate::model::{Health, HealthState};

/// Whether the host can do its work. This asks nobody and takes no time.
#[utoipa::path(
    get,
    path = "/healthz",
    operation_id = "getHealth",
    tag = "host",
    responses(
        (status = 200, body = Health, description = "It can"),
        (status = 503, body = Health, description = "It cannot, and says why"),
    )
)]
pub(crate) async fn health(State(app): State<App>) -> (StatusCode, Json<Health>) {
    let health = Health::from(app.runtime.health());
    let status = match health.state {
        HealthState::Ready => StatusCode::OK,
        HealthState::StorageFailing | HealthState::Stopping => StatusCode::SERVICE_UNAVAILABLE,
    };
    (status, Json(health))
}

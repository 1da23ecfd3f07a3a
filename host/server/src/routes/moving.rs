//! Waits until open instances have moved to a version.

use std::time::Instant;

use axum::Json;
use axum::extract::State;
use tokio::sync::broadcast::error::RecvError;

use crate::app::App;
use crate::model::{Moving, ProblemBody};
use crate::path::InPath;
use crate::query::Query;
use crate::refusal::Refusal;
use crate::routes::wait::passed;

/// Counting takes at most one part in so many of the time: there may be many open instances.
const COUNTING_SHARE: u32 = 10;

/// How many open instances are to move to a version and have not.
///
/// An instance moves at its next turn, if its history fits; that may be months away. Those that are known not to fit and those
/// that stay on the version that they were started with are not among them. With `below` the answer comes when there are
/// fewer than that, or when the time is over; after a rollback nobody is to move, and there are fewer, too.
#[utoipa::path(
    get,
    path = "/v1/deployments/{version}/moving",
    operation_id = "countMoving",
    tag = "deployments",
    params(
        ("version" = String, Path, description = "The version label"),
        ("below" = Option<u64>, Query, description = "Wait until there are fewer"),
        ("timeout" = Option<String>, Query, description = "How long to wait: `500ms`, `30s`, `5m`, `1h 30m`, `7d`"),
    ),
    responses(
        (status = 200, body = Moving, description = "How many there are"),
        (status = 400, body = ProblemBody, description = "A parameter cannot be read"),
        (status = 404, body = ProblemBody, description = "There is no such version"),
        (status = 503, body = ProblemBody, description = "Too many wait, or the host is stopping"),
    )
)]
pub(crate) async fn moving(
    State(app): State<App>,
    InPath(label): InPath<String>,
    query: Query,
) -> Result<Json<Moving>, Refusal> {
    let query = query.only(&["below", "timeout"])?;
    let (below, timeout) = (query.read("below")?, query.duration("timeout")?);
    let _room = app.waiting()?;
    let counted = tokio::select! {
        counted = fewer(&app, &label, below) => counted?,
        () = app.stopping() => return Err(Refusal::stopping()),
        () = passed(timeout) => app.runtime.moving(&label).await?,
    };
    Ok(Json(Moving { version: label, left: counted.left, active: counted.is_active }))
}

/// Counts now, and again whenever something has changed, until there are fewer.
async fn fewer(app: &App, label: &str, below: Option<u64>) -> Result<everturn_runtime::Moving, Refusal> {
    let mut changes = app.runtime.changes();
    loop {
        let began = Instant::now();
        let counted = app.runtime.moving(label).await?;
        if below.is_none_or(|below| counted.left < below) {
            return Ok(counted);
        }
        let pause = app.limits.recount_pause.max(began.elapsed() * COUNTING_SHARE);
        if let Err(RecvError::Closed) = changes.recv().await {
            return Err(Refusal::stopping());
        }
        // What happens meanwhile is in the next count.
        tokio::time::sleep(pause).await;
        changes = changes.resubscribe();
    }
}

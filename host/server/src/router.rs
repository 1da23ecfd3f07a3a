//! Which path leads where, and the OpenAPI document that says so: both are made of the same list.

use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::Response;
use axum::{Json, Router, middleware};
use utoipa::OpenApi as _;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::guard;
use crate::model::ProblemBody;
use crate::refusal::Refusal;
use crate::routes::{
    changes, control, deployments, health, history, instances, interaction, moving, purge, rerun, reset, start, status,
    versions, wait,
};

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Everturn",
        description = "The API of an Everturn host: durable workflows as WebAssembly components.\n\n\
            Payloads (`input`, `output`, `data`) are JSON values and are kept to the letter. Ids and names in paths are \
            percent-encoded. Every answer that is an error has a body like `{\"error\": {\"code\", \"message\", \"help\"}}`; codes \
            are stable. The API listens on loopback addresses only and refuses requests of web pages.",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
    ),
    components(schemas(ProblemBody)),
    tags(
        (name = "workflows", description = "Instances of workflows"),
        (name = "deployments", description = "Components and their versions"),
        (name = "host", description = "The host itself"),
    ),
)]
struct Document;

/// All that can be asked for.
fn described(app: &App) -> (Router<App>, OpenApi) {
    let counted = parts().route_layer(middleware::from_fn_with_state(app.clone(), guard::count));
    counted.merge(waiting_parts()).split_for_parts()
}

fn parts() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(Document::openapi())
        .routes(routes!(start::start, instances::list))
        .routes(routes!(instances::show, purge::purge_one))
        .routes(routes!(history::history))
        .routes(routes!(control::raise_event))
        .routes(routes!(control::terminate))
        .routes(routes!(interaction::signal))
        .routes(routes!(interaction::query))
        .routes(routes!(control::suspend))
        .routes(routes!(control::resume))
        .routes(routes!(rerun::rerun))
        .routes(routes!(reset::reset))
        .routes(routes!(purge::purge_matching))
        .routes(routes!(deployments::deploy, deployments::list))
        .routes(routes!(deployments::show))
        .routes(routes!(versions::activate))
        .routes(routes!(versions::retire))
        .routes(routes!(versions::roll_back))
        .routes(routes!(versions::reports))
        .routes(routes!(versions::move_to))
        .routes(routes!(status::status))
}

/// Those that are asked for while everything else is busy, and those that wait on purpose.
fn waiting_parts() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(wait::wait))
        .routes(routes!(moving::moving))
        .routes(routes!(interaction::update))
        .routes(routes!(changes::changes))
        .routes(routes!(health::health))
}

/// The OpenAPI document.
pub fn openapi() -> OpenApi {
    parts().merge(waiting_parts()).into_openapi()
}

pub(crate) fn router(app: App) -> Router {
    let (router, document) = described(&app);
    router
        .route("/openapi.json", axum::routing::get(|| std::future::ready(Json(document))))
        .fallback(no_route)
        .method_not_allowed_fallback(no_method)
        .layer(middleware::from_fn(guard::guard))
        .with_state(app)
}

async fn no_route(request: Request) -> Refusal {
    let message = format!("there is no {}", request.uri().path());
    Refusal::new(StatusCode::NOT_FOUND, "no_such_route", message).help("/openapi.json lists what there is")
}

async fn no_method(request: Request) -> Response {
    use axum::response::IntoResponse;

    let message = format!("{} takes no {}", request.uri().path(), request.method());
    let refusal = Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", message);
    refusal.help("/openapi.json lists what there is").into_response()
}

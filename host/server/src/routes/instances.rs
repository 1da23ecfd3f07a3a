//! Looks at instances: one, or a page of them.

use axum::Json;
use axum::extract::State;
use everturn_history::InstanceId;
use everturn_store::{Filter, Status};

use crate::app::App;
use crate::model::{Instance, InstanceStatus, Page, ProblemBody, page_token, read_page_token};
use crate::path::{Id, InPath};
use crate::query::{Query, invalid};
use crate::refusal::Refusal;

/// Instances on a page, if the client does not say.
const PAGE_DEFAULT: usize = 100;
/// Instances on a page at most.
const PAGE_MAX: usize = 1_000;

const PARAMETERS: [&str; 9] =
    ["status", "workflow", "idPrefix", "createdFrom", "createdBefore", "endedBefore", "parent", "limit", "page"];

/// Look at an instance.
#[utoipa::path(
    get,
    path = "/v1/workflows/{id}",
    operation_id = "getWorkflow",
    tag = "workflows",
    params(("id" = String, Path, description = "The id of the instance")),
    responses(
        (status = 200, body = Instance),
        (status = 404, body = ProblemBody, description = "There is no such instance"),
    )
)]
pub(crate) async fn show(State(app): State<App>, InPath(id): Id, query: Query) -> Result<Json<Instance>, Refusal> {
    query.only(&[])?;
    Ok(Json(app.runtime.instance(&id).await?.into()))
}

/// List instances, newest first. All filters that are given must hold.
#[utoipa::path(
    get,
    path = "/v1/workflows",
    operation_id = "listWorkflows",
    tag = "workflows",
    params(
        ("status" = Option<Vec<InstanceStatus>>, Query, description = "One of these; repeated, or with commas"),
        ("workflow" = Option<String>, Query, description = "The name of the workflow"),
        ("idPrefix" = Option<String>, Query, description = "How the id begins"),
        ("createdFrom" = Option<String>, Query, description = "Made at this time (RFC 3339) or later"),
        ("createdBefore" = Option<String>, Query, description = "Made before this time (RFC 3339)"),
        ("endedBefore" = Option<String>, Query, description = "Ended before this time (RFC 3339)"),
        ("parent" = Option<String>, Query, description = "The id of the instance that called them"),
        ("limit" = Option<usize>, Query, description = "How many at most: 1 to 1000, 100 if absent", minimum = 1, maximum = 1000),
        ("page" = Option<String>, Query, description = "The `next` of the page before"),
    ),
    responses(
        (status = 200, body = Page),
        (status = 400, body = ProblemBody, description = "A parameter cannot be read"),
    )
)]
pub(crate) async fn list(State(app): State<App>, query: Query) -> Result<Json<Page>, Refusal> {
    let query = query.only(&PARAMETERS)?;
    let limit = query.read("limit")?.unwrap_or(PAGE_DEFAULT);
    if limit == 0 || limit > PAGE_MAX {
        return Err(invalid(format!("`limit` is {limit}, and must be from 1 to {PAGE_MAX}")));
    }
    let from = query.one("page")?.map(read_page_token).transpose().map_err(|error| invalid(error.to_string()))?;
    let page = app.runtime.list(filter(&query)?, from, limit).await?;
    Ok(Json(Page {
        instances: page.instances.into_iter().map(Instance::from).collect(),
        next: page.next.map(page_token),
    }))
}

fn filter(query: &Query) -> Result<Filter, Refusal> {
    Ok(Filter {
        statuses: statuses(query)?,
        workflow: query.one("workflow")?.map(str::to_owned),
        id_prefix: query.one("idPrefix")?.map(str::to_owned),
        created_from: query.time("createdFrom")?,
        created_before: query.time("createdBefore")?,
        ended_before: query.time("endedBefore")?,
        parent: query.one("parent")?.map(InstanceId::from),
        ..Filter::default()
    })
}

fn statuses(query: &Query) -> Result<Vec<Status>, Refusal> {
    let given = query.all("status").flat_map(|values| values.split(','));
    given
        .map(|status| status.parse::<InstanceStatus>().map(Status::from).map_err(|error| invalid(error.to_string())))
        .collect()
}

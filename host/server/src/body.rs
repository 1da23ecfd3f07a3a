//! From the bytes of a body to a request. What is too long is refused by its announced length, before it is read.

use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, StatusCode, header};
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use crate::Limits;
use crate::app::App;
use crate::refusal::Refusal;

/// The type of a JSON body.
const JSON: &str = "application/json";
/// The type of a component.
const WASM: &str = "application/wasm";

/// A JSON body.
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<App> for JsonBody<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, app: &App) -> Result<Self, Refusal> {
        require_type(request.headers(), JSON)?;
        let bytes = read(request.into_body(), app.limits.json_body, "body of a request", &app.limits).await?;
        parse(&bytes).map(Self)
    }
}

/// A JSON body that may be left out: then it is as if it said nothing.
pub(crate) struct OptionalBody<T>(pub(crate) T);

impl<T: DeserializeOwned + Default> FromRequest<App> for OptionalBody<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, app: &App) -> Result<Self, Refusal> {
        // Without a body there is nothing that a type could be said of.
        if !request.headers().contains_key(header::CONTENT_TYPE) && request.body().is_end_stream() {
            return Ok(Self(T::default()));
        }
        require_type(request.headers(), JSON)?;
        let bytes = read(request.into_body(), app.limits.json_body, "body of a request", &app.limits).await?;
        if bytes.is_empty() { Ok(Self(T::default())) } else { parse(&bytes).map(Self) }
    }
}

/// The bytes of a component.
pub(crate) struct ComponentBody(pub(crate) Bytes);

impl FromRequest<App> for ComponentBody {
    type Rejection = Refusal;

    async fn from_request(request: Request, app: &App) -> Result<Self, Refusal> {
        require_type(request.headers(), WASM)?;
        read(request.into_body(), app.limits.component, "component", &app.limits).await.map(Self)
    }
}

/// Browsers send other types without asking first, these they do not.
fn require_type(headers: &HeaderMap, wanted: &'static str) -> Result<(), Refusal> {
    let given = headers.get(header::CONTENT_TYPE).map(|value| value.to_str().unwrap_or_default());
    let essence = given.and_then(|given| given.split(';').next()).map_or("", str::trim);
    if essence.eq_ignore_ascii_case(wanted) {
        return Ok(());
    }
    let message = match given {
        Some(given) => format!("the body is {given}, and must be {wanted}; say so with `Content-Type: {wanted}`"),
        None => format!("the body has no type, and must be {wanted}; say so with `Content-Type: {wanted}`"),
    };
    Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", message))
}

async fn read(body: Body, limit: usize, what: &str, limits: &Limits) -> Result<Bytes, Refusal> {
    if body.size_hint().lower() > limit as u64 {
        return Err(too_large(what, limit));
    }
    match timeout(limits.body_time, to_bytes(body, limit)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(error)) => Err(unreadable(error, what, limit)),
        Err(_) => {
            let message = format!("the {what} did not arrive within {} s", limits.body_time.as_secs());
            Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, "too_slow", message))
        }
    }
}

fn unreadable(error: axum::Error, what: &str, limit: usize) -> Refusal {
    let cause = error.into_inner();
    if cause.is::<http_body_util::LengthLimitError>() {
        too_large(what, limit)
    } else {
        Refusal::bad_request("unreadable_body", format!("the {what} cannot be read: {cause}"))
    }
}

fn too_large(what: &str, limit: usize) -> Refusal {
    let message = format!("the {what} has more than {limit} bytes, which is the limit");
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", message)
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refusal> {
    serde_json::from_slice(bytes).map_err(|error| {
        if error.is_data() {
            Refusal::bad_request("invalid_request", format!("the body is not what this request takes: {error}"))
                .help("/openapi.json says what each request takes")
        } else {
            Refusal::bad_request("invalid_json", format!("the body is not JSON: {error}"))
        }
    })
}

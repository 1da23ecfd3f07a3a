//! From the path to ids and names: percent-decoded.

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use everturn_history::InstanceId;
use serde::de::DeserializeOwned;

use crate::app::App;
use crate::refusal::Refusal;

/// What the path names.
pub(crate) struct InPath<T>(pub(crate) T);

impl<T: DeserializeOwned + Send> FromRequestParts<App> for InPath<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Refusal> {
        let read = Path::<T>::from_request_parts(parts, app).await;
        read.map(|Path(read)| Self(read)).map_err(|error| Refusal::bad_request("invalid_path", error.body_text()))
    }
}

/// The instance that the path names.
pub(crate) type Id = InPath<InstanceId>;

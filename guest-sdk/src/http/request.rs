//! A request before it is sent.

use std::future::IntoFuture;
use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use serde::Serialize;

use super::response::Response;
use super::send;
use crate::error::{Error, Result};
use crate::{error_types, payload};

/// The most bytes of an answer's body, unless [`Request::limit_body`] says otherwise: 16 MiB.
pub const DEFAULT_BODY_LIMIT: usize = 16 * 1024 * 1024;

/// A request: await it for the answer. Made by [`http::get`](super::get) and its like.
///
/// ```no_run
/// use std::time::Duration;
/// use everturn_sdk::{Result, http};
///
/// async fn order(id: u64) -> Result<http::Response> {
///     http::post("https://shop.example.com/orders")
///         .header("x-request-id", id.to_string())
///         .json(&id)?
///         .timeout(Duration::from_secs(10))
///         .await
/// }
/// ```
#[must_use = "a request is not sent before it is awaited"]
#[derive(Clone)]
pub struct Request {
    pub(super) method: String,
    pub(super) url: String,
    pub(super) headers: Vec<(String, Vec<u8>)>,
    pub(super) body: Vec<u8>,
    pub(super) timeout: Option<Duration>,
    pub(super) body_limit: usize,
}

impl Request {
    pub(super) fn new(method: String, url: String) -> Self {
        Self { method, url, headers: Vec::new(), body: Vec::new(), timeout: None, body_limit: DEFAULT_BODY_LIMIT }
    }

    /// Adds a header. One that is there already stays: some may be given several times.
    ///
    /// ```no_run
    /// # use everturn_sdk::{Result, http};
    /// # async fn example() -> Result<http::Response> {
    /// http::get("https://example.com/").header("accept", "text/plain").await
    /// # }
    /// ```
    pub fn header(mut self, name: impl Into<String>, value: impl Into<Vec<u8>>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets what is handed over, as bytes or text.
    ///
    /// ```no_run
    /// # use everturn_sdk::{Result, http};
    /// # async fn example() -> Result<http::Response> {
    /// http::put("https://example.com/note").header("content-type", "text/plain").body("fragile").await
    /// # }
    /// ```
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// Sets what is handed over, as JSON, and says so in the header `content-type`.
    ///
    /// # Errors
    /// When the value cannot be written as JSON.
    ///
    /// ```no_run
    /// # use everturn_sdk::{Result, http};
    /// # async fn example() -> Result<http::Response> {
    /// http::post("https://example.com/orders").json(&[7, 8])?.await
    /// # }
    /// ```
    pub fn json(self, body: &(impl Serialize + ?Sized)) -> Result<Self> {
        let body = payload::encode(body, error_types::HTTP_INVALID_REQUEST, "the body of a request")?;
        Ok(self.header("content-type", "application/json").body(body))
    }

    /// Limits how long each step may take: to connect, to the first byte of the answer, and between two parts of it.
    /// Without it: 10 minutes each. What an activity may take as a whole is for its caller to say.
    ///
    /// ```no_run
    /// # use {everturn_sdk::{Result, http}, std::time::Duration};
    /// # async fn example() -> Result<http::Response> {
    /// http::get("https://example.com/").timeout(Duration::from_secs(10)).await
    /// # }
    /// ```
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// Limits the bytes of the answer's body; an answer with more fails with
    /// [`HTTP_TOO_LARGE`](error_types::HTTP_TOO_LARGE). Without it: [`DEFAULT_BODY_LIMIT`].
    ///
    /// ```no_run
    /// # use everturn_sdk::{Result, http};
    /// # async fn example() -> Result<http::Response> {
    /// http::get("https://example.com/").limit_body(64 * 1024).await
    /// # }
    /// ```
    pub fn limit_body(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
        self
    }

    /// An error of this request. Headers and body stay out of it: they may hold secrets.
    pub(super) fn error(&self, error_type: &str, why: impl std::fmt::Display) -> Error {
        // A query may hold secrets too.
        let url = self.url.split(['?', '#']).next().unwrap_or_default();
        Error::new(error_type, format!("{} {url}: {why}", self.method))
    }
}

impl IntoFuture for Request {
    type Output = Result<Response>;
    type IntoFuture = LocalBoxFuture<'static, Result<Response>>;

    fn into_future(self) -> Self::IntoFuture {
        send::send(self).boxed_local()
    }
}

impl std::fmt::Debug for Request {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let url = self.url.split(['?', '#']).next().unwrap_or_default();
        formatter.debug_struct("Request").field("method", &self.method).field("url", &url).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_says_that_it_is_json() {
        let request = super::super::post("https://example.com/").json(&[1, 2]).unwrap();
        assert_eq!(request.body, b"[1,2]");
        assert_eq!(request.headers, [("content-type".to_owned(), b"application/json".to_vec())]);
    }

    #[test]
    fn what_may_be_secret_is_not_shown() {
        let request = super::super::get("https://example.com/a?token=sesame").header("authorization", "sesame");
        let error = request.error(error_types::HTTP_FAILED, "no");
        assert_eq!(error.to_string(), "HttpFailed: GET https://example.com/a: no");
        assert!(!format!("{request:?}").contains("sesame"));
    }
}

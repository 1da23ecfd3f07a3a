//! An answer, read to its end.

use serde::de::DeserializeOwned;

use crate::error::{Error, Result};
use crate::{error_types, payload};

/// How much of an answer's body is shown in an error.
const SHOWN_BYTES: usize = 4 * 1024;

/// Statuses below 500 after which trying again may help: timeout, too early, too many requests.
const PASSING: [u16; 3] = [408, 425, 429];

/// An answer, read to its end.
///
/// ```no_run
/// # use everturn_sdk::{Result, http};
/// # async fn example() -> Result<()> {
/// let response = http::get("https://example.com/").await?;
/// println!("{} {:?}", response.status(), response.header("content-type"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    pub(super) request: String,
    pub(super) status: u16,
    pub(super) headers: Vec<(String, Vec<u8>)>,
    pub(super) body: Vec<u8>,
}

impl Response {
    /// The status, such as 200.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Whether the status is 200 to 299.
    #[must_use]
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The first header of that name that is text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(header, _)| header.eq_ignore_ascii_case(name));
        found.find_map(|(_, value)| str::from_utf8(value).ok())
    }

    /// All headers, in the order in which they came.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.headers.iter().map(|(name, value)| (name.as_str(), value.as_slice()))
    }

    /// The body.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.body
    }

    /// The body, to keep.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.body
    }

    /// The body as text.
    ///
    /// # Errors
    /// When it is not UTF-8.
    pub fn text(self) -> Result<String> {
        String::from_utf8(self.body).map_err(|error| {
            let message = format!("{}: the body of the answer is no text: {error}", self.request);
            Error::new(error_types::INVALID_OUTPUT, message).not_retriable()
        })
    }

    /// The body, read as JSON.
    ///
    /// # Errors
    /// When it cannot be read as a `T`.
    pub fn json<T: DeserializeOwned + 'static>(self) -> Result<T> {
        let request = self.request.clone();
        let text = self.text()?;
        payload::decode(&text, error_types::INVALID_OUTPUT, format_args!("{request}: the body of the answer"))
    }

    /// The answer itself when its status is below 400; otherwise an error with the status, and the body as its details.
    /// A policy that retries does so after 408, 425, 429 and from 500 on, where trying again may help.
    ///
    /// # Errors
    /// When the status says no.
    pub fn error_for_status(self) -> Result<Self> {
        if self.status < 400 {
            return Ok(self);
        }
        let shown = &self.body[..self.body.len().min(SHOWN_BYTES)];
        let error = Error::new(error_types::HTTP_STATUS, format!("{}: status {}", self.request, self.status))
            .details(String::from_utf8_lossy(shown));
        let passing = self.status >= 500 || PASSING.contains(&self.status);
        Err(if passing { error } else { error.not_retriable() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(status: u16, body: &[u8]) -> Response {
        let headers = vec![("Content-Type".to_owned(), b"text/plain".to_vec()), ("x".to_owned(), vec![0xff])];
        Response { request: "GET https://example.com/".to_owned(), status, headers, body: body.to_vec() }
    }

    #[test]
    fn headers_are_found_whatever_their_case() {
        assert_eq!(response(200, b"").header("content-type"), Some("text/plain"));
        assert_eq!(response(200, b"").header("x"), None);
    }

    #[test]
    fn a_status_that_says_no_is_an_error_and_may_pass() {
        for status in [200, 204, 302] {
            assert!(response(status, b"").error_for_status().is_ok(), "{status}");
        }
        for (status, retriable) in [(400, false), (404, false), (408, true), (429, true), (500, true), (503, true)] {
            let error = response(status, b"why").error_for_status().unwrap_err();
            assert!(error.is(error_types::HTTP_STATUS));
            assert_eq!(error.retriable, retriable, "{status}");
            assert_eq!(error.details.as_deref(), Some("why"));
        }
    }

    #[test]
    fn a_body_is_bytes_text_or_json() {
        assert_eq!(response(200, b"[1]").json::<Vec<u8>>().unwrap(), [1]);
        assert_eq!(response(200, b"a").text().unwrap(), "a");
        assert_eq!(response(200, &[0xff]).into_bytes(), [0xff]);
        assert!(response(200, &[0xff]).text().is_err());
        let error = response(200, b"a").json::<u8>().unwrap_err();
        assert!(error.message.starts_with("GET https://example.com/: the body of the answer"), "{error}");
    }
}

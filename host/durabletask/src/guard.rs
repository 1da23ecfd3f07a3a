//! What stands in front of every call: the token, and the codes that callers expect.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use sha2::{Digest, Sha256};
use tonic::{Code, Status};

/// Where Dapr's SDKs put the token.
const TOKEN_HEADER: &str = "dapr-api-token";
/// Whoever starts hosts asks for their health before it has any token.
const HEALTH_PREFIX: &str = "/grpc.health.v1.Health/";

/// The token that callers have to show, as its digest: how long a comparison takes says nothing about the token.
#[derive(Clone)]
pub(crate) struct RequiredToken(Option<[u8; 32]>);

impl RequiredToken {
    pub(crate) fn new(token: Option<&str>) -> Self {
        Self(token.map(|token| Sha256::digest(token).into()))
    }

    fn is_shown(&self, headers: &HeaderMap) -> bool {
        let Some(required) = self.0 else { return true };
        let shown = headers.get(TOKEN_HEADER).map(|shown| <[u8; 32]>::from(Sha256::digest(shown.as_bytes())));
        shown == Some(required)
    }
}

/// Refuses who does not show the token.
pub(crate) async fn require_token(State(token): State<RequiredToken>, request: Request, next: Next) -> Response {
    let is_health = request.uri().path().starts_with(HEALTH_PREFIX);
    if is_health || token.is_shown(request.headers()) {
        return next.run(request).await;
    }
    let help =
        format!("this host wants a token; send it as metadata `{TOKEN_HEADER}`, which is what DAPR_API_TOKEN does");
    Status::unauthenticated(help).into_http()
}

/// A message that is too large is out of range for the library, and a matter of resources for everybody else: Dapr's
/// workers fail what they were doing on that code, instead of trying again without end. Nothing else here is out of
/// range.
pub(crate) async fn correct_code(request: Request, next: Next) -> Response {
    const CODE_HEADER: &str = "grpc-status";
    let path = request.uri().path().to_owned();
    let mut response = next.run(request).await;
    let out_of_range = HeaderValue::from(Code::OutOfRange as i32);
    if response.headers().get(CODE_HEADER) == Some(&out_of_range) {
        response.headers_mut().insert(CODE_HEADER, HeaderValue::from(Code::ResourceExhausted as i32));
    }
    tracing::trace!(path, code = ?response.headers().get(CODE_HEADER), "call");
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_token_itself_opens() {
        let headers = |token: Option<&str>| {
            let mut headers = HeaderMap::new();
            token.into_iter().for_each(|token| drop(headers.insert(TOKEN_HEADER, token.parse().unwrap())));
            headers
        };
        let required = RequiredToken::new(Some("secret"));
        assert!(required.is_shown(&headers(Some("secret"))));
        for wrong in [None, Some(""), Some("Secret"), Some("secret ")] {
            assert!(!required.is_shown(&headers(wrong)), "{wrong:?}");
        }
        assert!(RequiredToken::new(None).is_shown(&headers(None)));
    }
}

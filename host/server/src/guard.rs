//! Who may ask: programs on this machine. A web page in a browser on this machine may not, whatever name it came by.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures::FutureExt;

use crate::app::App;
use crate::refusal::Refusal;

/// Refuses what a web page may have sent, and answers when a handler panics.
pub(crate) async fn guard(request: Request, next: Next) -> Response {
    if let Err(refusal) = require_local(request.headers()) {
        return refusal.into_response();
    }
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    match AssertUnwindSafe(next.run(request)).catch_unwind().await {
        Ok(response) => {
            tracing::debug!(%method, path, status = response.status().as_u16(), "request");
            response
        }
        Err(_) => Refusal::internal(format!("the host failed to answer {method} {path}")).into_response(),
    }
}

/// Refuses a request when there are too many.
pub(crate) async fn count(State(app): State<App>, request: Request, next: Next) -> Response {
    match app.request() {
        Ok(_room) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    }
}

/// A page that had its name resolve to this machine shows that name as host; one that asks across origins shows its own.
fn require_local(headers: &HeaderMap) -> Result<(), Refusal> {
    let forbidden = |code, message| Err(Refusal::new(StatusCode::FORBIDDEN, code, message));
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    if !text(header::HOST).is_some_and(is_local_authority) || headers.get_all(header::HOST).iter().count() > 1 {
        return forbidden("foreign_host", "the Host header must name this machine: localhost or a loopback address");
    }
    let is_local = |origin: &str| {
        origin.split_once("://").is_some_and(|(scheme, rest)| scheme.starts_with("http") && is_local_authority(rest))
    };
    if !text(header::ORIGIN).is_none_or(is_local) {
        return forbidden("foreign_origin", "web pages of other hosts may not use this API");
    }
    Ok(())
}

/// Whether `localhost:4000` and the like lead to this machine whoever resolves it.
fn is_local_authority(authority: &str) -> bool {
    let Ok(uri) = format!("http://{authority}/").parse::<Uri>() else { return false };
    if uri.authority().is_none_or(|parsed| parsed.as_str() != authority) || authority.contains('@') {
        return false;
    }
    let host = uri.host().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    address.map_or_else(|_| is_local_name(host), |address| address.is_loopback())
}

fn is_local_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_is_local() {
        let local =
            ["localhost", "LOCALHOST:4000", "a.localhost:1", "127.0.0.1", "127.9.9.9:80", "[::1]:4000", "[::1]"];
        for authority in local {
            assert!(is_local_authority(authority), "{authority}");
        }
        let foreign = [
            "",
            "example.com",
            "localhost.example.com",
            "notlocalhost",
            "10.0.0.1:4000",
            "0.0.0.0",
            "[::]:4000",
            "localhost@example.com",
            "example.com@localhost",
            "localhost/..",
            "127.0.0.1.example.com",
        ];
        for authority in foreign {
            assert!(!is_local_authority(authority), "{authority}");
        }
    }
}

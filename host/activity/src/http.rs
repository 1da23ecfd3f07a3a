//! The network of an activity: HTTP requests to the hosts that were granted, one by one. Nothing follows redirects, so
//! each request that a guest makes because of one is looked at like any other.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use http::uri::Scheme;
use http::{Request, Response, Uri};
use http_body_util::BodyExt;
use wasmtime_wasi_http::p2::bindings::http::types::ErrorCode as P2Error;
use wasmtime_wasi_http::p3::bindings::http::types::ErrorCode as P3Error;
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody, WasiHttpHooks, default_send_request};

use crate::host_pattern::HostPattern;
use crate::output::Output;

const HTTP_PORT: u16 = 80;
const HTTPS_PORT: u16 = 443;

/// What tells that a request's connection is done, well or not.
type Done = Box<dyn Future<Output = Result<(), Error>> + Send>;
type Answer = Box<dyn Future<Output = Result<(Response<WasiBody>, Done), Error>> + Send>;

/// The hosts that one run may talk to.
pub(crate) struct Network {
    granted: Vec<HostPattern>,
    output: Arc<Output>,
    open: Arc<AtomicUsize>,
    limit: usize,
}

impl Network {
    pub(crate) fn new(granted: Vec<HostPattern>, output: Arc<Output>, limit: usize) -> Self {
        Self { granted, output, open: Arc::default(), limit }
    }

    /// Refuses what was not granted, and says what to do about it.
    fn check(&self, uri: &Uri) -> Result<(), Error> {
        let host = match destination(uri) {
            Some((host, port, default_port)) => {
                if self.granted.iter().any(|pattern| pattern.matches(host, port, default_port)) {
                    return Ok(());
                }
                if port == default_port { host.to_owned() } else { format!("{host}:{port}") }
            }
            None => uri.authority().map(ToString::to_string).unwrap_or_default(),
        };
        let advice = match host.parse::<HostPattern>() {
            Ok(_) => format!("grant it with `everturn deploy --allow-http {host}`"),
            Err(_) => "that is no name, and only names can be granted".to_owned(),
        };
        self.output.remark(&format!("an HTTP request to `{host}` was refused: it was not granted; {advice}"));
        Err(Error::HttpRequestDenied)
    }

    fn begin(&self) -> Result<Open, Error> {
        let open = Open(Arc::clone(&self.open));
        if open.0.fetch_add(1, Relaxed) < self.limit { Ok(open) } else { Err(Error::ConnectionLimitReached) }
    }
}

/// Host, port, and the port that the scheme means; None where a host is not all there is.
fn destination(uri: &Uri) -> Option<(&str, u16, u16)> {
    let authority = uri.authority()?;
    // What is before an `@` is for a server to look at, and easily taken for the host.
    if authority.as_str().contains('@') {
        return None;
    }
    let default_port = if uri.scheme() == Some(&Scheme::HTTPS) { HTTPS_PORT } else { HTTP_PORT };
    let port = match authority.as_str().strip_prefix(authority.host())? {
        "" => default_port,
        _ => authority.port_u16()?,
    };
    Some((authority.host(), port, default_port))
}

/// A request under way.
struct Open(Arc<AtomicUsize>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

impl WasiHttpHooks for Network {
    fn send_request(
        &mut self,
        request: Request<WasiBody>,
        options: Option<RequestOptions>,
        _processed: Box<dyn Future<Output = Result<(), Error>> + Send>,
    ) -> Answer {
        let open = self.check(request.uri()).and_then(|()| self.begin());
        Box::new(async move {
            let open = open?;
            let (response, done) = default_send_request(request, options).await?;
            let done: Done = Box::new(async move {
                let _open = open;
                done.await
            });
            Ok((response.map(BodyExt::boxed_unsync), done))
        })
    }

    fn p2_error_from_connect(&mut self, error: &io::Error) -> P2Error {
        match error.kind() {
            io::ErrorKind::ConnectionRefused => P2Error::ConnectionRefused,
            io::ErrorKind::TimedOut => P2Error::ConnectionTimeout,
            _ => P2Error::InternalError(Some(no_connection(error))),
        }
    }

    fn p3_error_from_connect(&mut self, error: &io::Error) -> P3Error {
        match error.kind() {
            io::ErrorKind::ConnectionRefused => P3Error::ConnectionRefused,
            io::ErrorKind::TimedOut => P3Error::ConnectionTimeout,
            _ => P3Error::InternalError(Some(no_connection(error))),
        }
    }
}

/// Most often a name that does not resolve, which the system tells in words only.
fn no_connection(error: &io::Error) -> String {
    format!("cannot connect: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(uri: &'static str) -> Option<(String, u16)> {
        destination(&Uri::from_static(uri)).map(|(host, port, _)| (host.to_owned(), port))
    }

    #[test]
    fn the_destination_is_where_the_connection_goes() {
        let table = [
            ("https://api.example.com/a?b", Some(("api.example.com", 443))),
            ("http://api.example.com/", Some(("api.example.com", 80))),
            ("http://api.example.com:8080/", Some(("api.example.com", 8080))),
            ("http://[::1]:8080/", Some(("[::1]", 8080))),
            ("http://api.example.com@evil.org/", None),
            ("http://api.example.com:80@evil.org/", None),
            ("/path", None),
        ];
        for (uri, expected) in table {
            assert_eq!(parts(uri), expected.map(|(host, port)| (host.to_owned(), port)), "{uri}");
        }
    }
}

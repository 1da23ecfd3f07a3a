//! A request on its way, in the terms of `wasi:http`.

use std::pin::pin;
use std::time::Duration;

use futures::future::{Either, select};

use super::bindings::wasi::http::client;
use super::bindings::wasi::http::types::{self, ErrorCode, Fields, HeaderError, Method, RequestOptions, Scheme};
use super::bindings::{wit_future, wit_stream};
use super::request::Request;
use super::response::Response;
use super::url::Url;
use crate::error::{Error, Result};
use crate::error_types::{HTTP_FAILED, HTTP_INVALID_REQUEST, HTTP_NOT_GRANTED, HTTP_TOO_LARGE};
use crate::time::nanoseconds;

/// How much of a body is read at once.
const CHUNK: usize = 64 * 1024;

pub(super) async fn send(mut request: Request) -> Result<Response> {
    let body = std::mem::take(&mut request.body);
    let (mut body_writer, body_reader) = wit_stream::new();
    let (outgoing, authority) = outgoing(&mut request, body.len(), body_reader)?;
    let answer = pin!(receive(&request, &authority, outgoing));
    let writing = pin!(async move {
        body_writer.write_all(body).await;
    });
    match select(answer, writing).await {
        // An answer may come before the whole request was read; the rest is of no interest then.
        Either::Left((answer, _)) => answer,
        Either::Right(((), answer)) => answer.await,
    }
}

/// The request as the host takes it, and the host that it goes to.
fn outgoing(
    request: &mut Request,
    length: usize,
    body: wit_bindgen::StreamReader<u8>,
) -> Result<(types::Request, String)> {
    let invalid = |request: &Request, why: &str| request.error(HTTP_INVALID_REQUEST, why).not_retriable();
    let url = request.url.clone();
    let Some(url) = Url::parse(&url) else {
        return Err(invalid(request, "the URL does not begin with http:// or https:// and a host"));
    };
    let mut headers = std::mem::take(&mut request.headers);
    // Without it the body, also an empty one, would come in pieces of unknown number, which some servers do not take.
    let says_length = length > 0 || expects_body(&request.method);
    if says_length && !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-length")) {
        headers.push(("content-length".to_owned(), length.to_string().into_bytes()));
    }
    let headers = Fields::from_list(&headers).map_err(|error| invalid(request, header_words(&error)))?;
    let (_, trailers) = wit_future::new(|| Ok(None));
    let body = (length > 0).then_some(body);
    let (outgoing, _) = types::Request::new(headers, body, trailers, options(request.timeout));
    let scheme = if url.secure { Scheme::Https } else { Scheme::Http };
    let set = [
        (outgoing.set_method(&method(&request.method)), "the method is not valid"),
        (outgoing.set_scheme(Some(&scheme)), "the scheme is not valid"),
        (outgoing.set_authority(Some(url.authority)), "the host in the URL is not valid"),
        (outgoing.set_path_with_query(Some(&url.path_with_query)), "the path or query in the URL is not valid"),
    ];
    match set.into_iter().find(|(result, _)| result.is_err()) {
        Some((_, why)) => Err(invalid(request, why)),
        None => Ok((outgoing, url.authority.to_owned())),
    }
}

fn options(timeout: Option<Duration>) -> Option<RequestOptions> {
    let limit = Some(nanoseconds(timeout?));
    let options = RequestOptions::new();
    // A host that knows no such limit has one of its own.
    let _ = options.set_connect_timeout(limit);
    let _ = options.set_first_byte_timeout(limit);
    let _ = options.set_between_bytes_timeout(limit);
    Some(options)
}

async fn receive(request: &Request, authority: &str, outgoing: types::Request) -> Result<Response> {
    let failed = |code: ErrorCode| error(request, authority, &code);
    let incoming = client::send(outgoing).await.map_err(failed)?;
    let status = incoming.get_status_code();
    let headers = incoming.get_headers().copy_all();
    let (_, consumed) = wit_future::new(|| Ok(()));
    let (mut stream, end) = types::Response::consume_body(incoming, consumed);
    let mut body = Vec::new();
    loop {
        let (result, part) = stream.read(Vec::with_capacity(CHUNK)).await;
        body.extend(part);
        if body.len() > request.body_limit {
            let why =
                format!("the answer has more than {} bytes; set another limit with `limit_body`", request.body_limit);
            return Err(request.error(HTTP_TOO_LARGE, why).not_retriable());
        }
        if !matches!(result, wit_bindgen::StreamResult::Complete(_)) {
            break;
        }
    }
    // Says whether that was all of it.
    end.await.map_err(failed)?;
    let url = request.url.split(['?', '#']).next().unwrap_or_default();
    Ok(Response { request: format!("{} {url}", request.method), status, headers, body })
}

/// Whether a request of this method usually hands something over: then a server wants to know that there is nothing.
fn expects_body(method: &str) -> bool {
    matches!(method, "POST" | "PUT" | "PATCH")
}

fn method(name: &str) -> Method {
    match name {
        "GET" => Method::Get,
        "HEAD" => Method::Head,
        "POST" => Method::Post,
        "PUT" => Method::Put,
        "DELETE" => Method::Delete,
        "OPTIONS" => Method::Options,
        "PATCH" => Method::Patch,
        other => Method::Other(other.to_owned()),
    }
}

fn header_words(error: &HeaderError) -> &'static str {
    match error {
        HeaderError::InvalidSyntax => "a header is not valid",
        HeaderError::Forbidden => "a header is one that only the host may set, such as `host` or `connection`",
        HeaderError::SizeExceeded => "the headers are too large",
        HeaderError::Immutable | HeaderError::Other(_) => "the host does not take the headers",
    }
}

fn error(request: &Request, authority: &str, code: &ErrorCode) -> Error {
    match code {
        ErrorCode::HttpRequestDenied => {
            let why = format!(
                "this component was not granted to talk to `{authority}`; grant it with \
                 `everturn deploy --allow-http {authority}`"
            );
            request.error(HTTP_NOT_GRANTED, why).not_retriable()
        }
        ErrorCode::HttpRequestMethodInvalid
        | ErrorCode::HttpRequestUriInvalid
        | ErrorCode::HttpRequestUriTooLong
        | ErrorCode::HttpRequestHeaderSectionSize(_)
        | ErrorCode::HttpRequestHeaderSize(_) => {
            request.error(HTTP_INVALID_REQUEST, format!("the host does not send it ({code:?})")).not_retriable()
        }
        ErrorCode::InternalError(Some(words)) => request.error(HTTP_FAILED, words),
        other => request.error(HTTP_FAILED, format!("there is no answer ({other:?})")),
    }
}

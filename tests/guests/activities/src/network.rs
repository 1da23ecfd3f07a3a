//! HTTP requests.

use std::time::Duration;

use everturn_sdk::http::{self, Response};
use everturn_sdk::prelude::*;
use serde::{Deserialize, Serialize};

/// What came back.
#[derive(Serialize)]
struct Answer {
    status: u16,
    kind: Option<String>,
    location: Option<String>,
    body: String,
}

impl Answer {
    fn of(response: Response) -> Result<Self> {
        Ok(Self {
            status: response.status(),
            kind: response.header("Content-Type").map(str::to_owned),
            location: response.header("location").map(str::to_owned),
            body: response.text()?,
        })
    }
}

/// Asks for a page.
#[activity]
async fn fetch(_ctx: ActivityCtx, url: String) -> Result<Answer> {
    Answer::of(http::get(url).timeout(Duration::from_secs(60)).await?)
}

#[derive(Deserialize)]
struct Sent {
    method: String,
    url: String,
    headers: Vec<(String, String)>,
    body: String,
}

/// Sends all that a request may have.
#[activity]
async fn send(_ctx: ActivityCtx, sent: Sent) -> Result<Answer> {
    let mut request = http::request(sent.method, sent.url).body(sent.body);
    for (name, value) in sent.headers {
        request = request.header(name, value);
    }
    Answer::of(request.await?)
}

/// Sends so many bytes and tells how many came back.
#[activity]
async fn sends_a_lot(_ctx: ActivityCtx, (url, bytes): (String, usize)) -> Result<usize> {
    Ok(http::post(url).body("x".repeat(bytes)).await?.bytes().len())
}

/// Asks for pages that are only given when all of them are asked for.
#[activity]
async fn fetch_both(_ctx: ActivityCtx, (left, right): (String, String)) -> Result<(u16, u16)> {
    let (left, right) = join!(http::get(left).into_future(), http::get(right).into_future());
    Ok((left?.status(), right?.status()))
}

/// Goes where a redirect leads to.
#[activity]
async fn follow(_ctx: ActivityCtx, url: String) -> Result<Answer> {
    let first = http::get(url).await?;
    let location = first.header("location").unwrap_or_default().to_owned();
    Answer::of(http::get(location).await?)
}

#[activity]
async fn fetch_at_most(_ctx: ActivityCtx, (url, bytes): (String, usize)) -> Result<usize> {
    Ok(http::get(url).limit_body(bytes).await?.bytes().len())
}

#[activity]
async fn fetch_or_fail(_ctx: ActivityCtx, url: String) -> Result<String> {
    http::get(url).await?.error_for_status()?.text()
}

/// A workflow that does what only an activity may.
#[workflow]
async fn sends_a_request(_ctx: Ctx, url: String) -> Result<String> {
    http::get(url).await?.text()
}

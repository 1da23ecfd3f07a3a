//! HTTP requests, for activities. A workflow that sends one is stopped: the answer would differ on a replay.
//!
//! The component must be granted each host it talks to (`everturn deploy --allow-http api.example.com`); a request to
//! another fails with [`HTTP_NOT_GRANTED`](crate::error_types::HTTP_NOT_GRANTED). Redirects are not followed: they are
//! answers as any other, and the host they lead to may not be granted.
//!
//! ```
//! use everturn_sdk::prelude::*;
//! use everturn_sdk::http;
//! use serde::Deserialize;
//!
//! #[derive(Deserialize)]
//! struct Rate {
//!     value: f64,
//! }
//!
//! #[activity]
//! async fn exchange_rate(ctx: ActivityCtx, currency: String) -> Result<f64> {
//!     let token = ctx.secret("RATES_TOKEN").unwrap_or_default();
//!     let rate: Rate = http::get(format!("https://rates.example.com/{currency}"))
//!         .header("authorization", format!("Bearer {token}"))
//!         .await?
//!         .error_for_status()?
//!         .json()?;
//!     Ok(rate.value)
//! }
//! ```
//!
//! Requests are futures: with [`join!`](crate::join) several are under way at the same time, and dropping one ends it.

mod bindings;
mod request;
mod response;
mod send;
mod url;

pub use request::{DEFAULT_BODY_LIMIT, Request};
pub use response::Response;

/// Asks for what is there.
///
/// ```no_run
/// # use everturn_sdk::{Result, http};
/// # async fn example() -> Result<String> {
/// http::get("https://example.com/").await?.text()
/// # }
/// ```
pub fn get(url: impl Into<String>) -> Request {
    request("GET", url)
}

/// Hands something over; add it with [`Request::json`] or [`Request::body`].
///
/// ```no_run
/// # use everturn_sdk::{Result, http};
/// # async fn example(order: u64) -> Result<u16> {
/// Ok(http::post("https://example.com/orders").json(&order)?.await?.status())
/// # }
/// ```
pub fn post(url: impl Into<String>) -> Request {
    request("POST", url)
}

/// Puts something in a place; add it with [`Request::json`] or [`Request::body`].
///
/// ```no_run
/// # use everturn_sdk::{Result, http};
/// # async fn example() -> Result<u16> {
/// Ok(http::put("https://example.com/orders/7/note").body("fragile").await?.status())
/// # }
/// ```
pub fn put(url: impl Into<String>) -> Request {
    request("PUT", url)
}

/// Removes what is there.
///
/// ```no_run
/// # use everturn_sdk::{Result, http};
/// # async fn example() -> Result<u16> {
/// Ok(http::delete("https://example.com/orders/7").await?.status())
/// # }
/// ```
pub fn delete(url: impl Into<String>) -> Request {
    request("DELETE", url)
}

/// A request with any method.
///
/// ```no_run
/// # use everturn_sdk::{Result, http};
/// # async fn example() -> Result<u16> {
/// Ok(http::request("PATCH", "https://example.com/orders/7").json("fragile")?.await?.status())
/// # }
/// ```
pub fn request(method: impl Into<String>, url: impl Into<String>) -> Request {
    Request::new(method.into(), url.into())
}

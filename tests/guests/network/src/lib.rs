//! A workflow that sends an HTTP request. It is a component of its own because of what it imports: there is no activity
//! inside that could need it, so a host must refuse to load it.

use everturn_sdk::prelude::*;

/// Asks for a page.
#[workflow]
async fn sends_a_request(_ctx: Ctx, url: String) -> Result<String> {
    everturn_sdk::http::get(url).await?.text()
}

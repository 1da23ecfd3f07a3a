//! An HTTP request as libraries make it that know WASI 0.2 only.

use everturn_sdk::prelude::*;
use wasip2::http::outgoing_handler;
use wasip2::http::types::{Fields, OutgoingRequest, Scheme};

/// Asks for a page, on an authority and a path; tells its status.
#[activity]
async fn fetch_in_the_older_way(_ctx: ActivityCtx, (authority, path): (String, String)) -> Result<u16> {
    let failed = |what: &str| Error::new("Older", what);
    let request = OutgoingRequest::new(Fields::new());
    request.set_scheme(Some(&Scheme::Http)).map_err(|()| failed("scheme"))?;
    request.set_authority(Some(&authority)).map_err(|()| failed("authority"))?;
    request.set_path_with_query(Some(&path)).map_err(|()| failed("path"))?;
    let answer = outgoing_handler::handle(request, None).map_err(|error| failed(&format!("{error:?}")))?;
    answer.subscribe().block();
    let answer = answer.get().ok_or_else(|| failed("not ready"))?.map_err(|()| failed("taken"))?;
    Ok(answer.map_err(|error| failed(&format!("{error:?}")))?.status())
}

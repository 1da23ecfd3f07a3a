//! Tells those who look on what changes, as it happens: server-sent events.

use std::convert::Infallible;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use everturn_history::InstanceId;
use futures::stream::{self, Stream};
use futures::{FutureExt, StreamExt};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::app::App;
use crate::model::{Change, ProblemBody};
use crate::query::Query;
use crate::refusal::Refusal;

/// Watch all changes, as server-sent events.
///
/// Each event `change` says that an instance has changed. An event `missed` with a number says that this client was too
/// slow and so many changes were left out: look again at what matters. An event `end` is the last: the host is stopping.
#[utoipa::path(
    get,
    path = "/v1/events",
    operation_id = "watchChanges",
    tag = "workflows",
    params(("id" = Option<String>, Query, description = "Only changes of the instance with this id")),
    responses(
        (status = 200, body = Change, content_type = "text/event-stream", description = "Changes, one event each"),
        (status = 400, body = ProblemBody, description = "A parameter cannot be read"),
        (status = 503, body = ProblemBody, description = "Too many look on"),
    )
)]
pub(crate) async fn changes(
    State(app): State<App>,
    query: Query,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Refusal> {
    let id = query.only(&["id"])?.one("id")?.map(InstanceId::from);
    let room = app.waiting()?;
    let changes = seen(app.runtime.changes(), id).take_until(app.stopping());
    let end = app.stopping().map(|()| Event::default().event(Change::END).data("the host is stopping"));
    let events = changes.chain(stream::once(end)).map(move |event| {
        // Until the client is gone.
        let _ = &room;
        Ok(event)
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(app.limits.sign_of_life)))
}

/// The changes that one wants to see. Ends with the runtime.
fn seen(changes: Receiver<everturn_runtime::Change>, id: Option<InstanceId>) -> impl Stream<Item = Event> {
    stream::unfold((changes, id), async |(mut changes, id)| {
        loop {
            match changes.recv().await {
                Ok(change) if id.as_ref().is_none_or(|id| *id == change.id) => {
                    return Some((event_of(change), (changes, id)));
                }
                Ok(_) => {}
                Err(RecvError::Lagged(missed)) => {
                    return Some((Event::default().event(Change::MISSED).data(missed.to_string()), (changes, id)));
                }
                Err(RecvError::Closed) => return None,
            }
        }
    })
}

fn event_of(change: everturn_runtime::Change) -> Event {
    let event = Event::default().event(Change::EVENT);
    // Text and numbers have a JSON form, so this is never the other one.
    event.json_data(Change::from(change)).unwrap_or_else(|_| Event::default().event(Change::MISSED).data("1"))
}

//! How a deploy is answered: when it is over, or, for those who want to look on, by server-sent events until then.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use everturn_runtime::{OnProgress, RequestError};
use futures::stream::{self, Stream};
use futures::{FutureExt, StreamExt};
use serde::Serialize;
use tokio::sync::{OwnedSemaphorePermit, watch};

use crate::app::App;
use crate::model::{DeployProgress, Deployed};
use crate::refusal::Refusal;

/// The type of a stream of events.
const EVENTS: &str = "text/event-stream";

/// What a client that deploys wants to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// One answer.
    Answer,
    /// Events until it is over.
    Events,
}

impl FromRequestParts<App> for Wanted {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _app: &App) -> Result<Self, Infallible> {
        Ok(Self::of(&parts.headers))
    }
}

impl Wanted {
    fn of(headers: &HeaderMap) -> Self {
        let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let mut essences = accepted.flat_map(|value| value.split(',')).filter_map(|kind| kind.split(';').next());
        if essences.any(|kind| kind.trim().eq_ignore_ascii_case(EVENTS)) { Self::Events } else { Self::Answer }
    }

    /// Deploys to the end, whether the client stays or not. The room is taken as long.
    pub(super) async fn answer<F>(
        self,
        app: &App,
        room: OwnedSemaphorePermit,
        status: StatusCode,
        deploy: impl FnOnce(Option<OnProgress>) -> F,
    ) -> Result<Response, Refusal>
    where
        F: Future<Output = Result<everturn_runtime::Deployed, RequestError>> + Send + 'static,
    {
        let (told, progress) = watch::channel(DeployProgress::Compiling);
        let on_progress =
            (self == Self::Events).then(|| -> OnProgress { Arc::new(move |now| tell(&told, now.into())) });
        let deploying = deploy(on_progress);
        let deploying = tokio::spawn(async move {
            let _room = room;
            deploying.await
        });
        let over = deploying.map(|ended| match ended {
            Ok(Ok(deployed)) => Ok(Deployed::from(deployed)),
            Ok(Err(error)) => Err(error.into()),
            Err(_) => Err(Refusal::internal("the host failed to deploy")),
        });
        match self {
            Self::Answer => Ok((status, Json(over.await?)).into_response()),
            Self::Events => {
                let events =
                    until_over(over, progress, app.limits.progress_pause).map(|word| Ok::<_, Infallible>(word.into()));
                Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(app.limits.sign_of_life)).into_response())
            }
        }
    }
}

/// Several workers of a gate tell; who is late does not turn the clock back.
fn tell(told: &watch::Sender<DeployProgress>, now: DeployProgress) {
    let checked = |progress: DeployProgress| match progress {
        DeployProgress::Compiling => None,
        DeployProgress::Replaying { checked, .. } => Some(checked),
    };
    told.send_if_modified(|known| {
        let is_news = checked(now) > checked(*known);
        if is_news {
            *known = now;
        }
        is_news
    });
}

/// What somebody who looks on is told.
enum Word {
    Progress(DeployProgress),
    Over(Result<Deployed, Refusal>),
}

/// Where it begins, however far it is by now; then how far it is, with a pause before each word and only what is newest after
/// it; at last, once, how it ended.
fn until_over(
    over: impl Future<Output = Result<Deployed, Refusal>> + Unpin,
    progress: watch::Receiver<DeployProgress>,
    pause: Duration,
) -> impl Stream<Item = Word> {
    let beginning = stream::iter([Word::Progress(DeployProgress::Compiling)]);
    beginning.chain(stream::unfold(Some((over, progress)), move |left| async move {
        let (mut over, mut progress) = left?;
        tokio::select! {
            biased;
            ended = &mut over => Some((Word::Over(ended), None)),
            now = next(&mut progress, pause) => Some((Word::Progress(now), Some((over, progress)))),
        }
    }))
}

async fn next(progress: &mut watch::Receiver<DeployProgress>, pause: Duration) -> DeployProgress {
    tokio::time::sleep(pause).await;
    if progress.changed().await.is_err() {
        // Nobody tells any more: all that is left is the end.
        std::future::pending::<()>().await;
    }
    *progress.borrow_and_update()
}

impl From<Word> for Event {
    fn from(word: Word) -> Self {
        match word {
            Word::Progress(now) => event(DeployProgress::EVENT, &now),
            Word::Over(Ok(deployed)) => event(DeployProgress::DONE, &deployed),
            Word::Over(Err(refusal)) => event(DeployProgress::PROBLEM, &refusal.into_body().1),
        }
    }
}

fn event(name: &str, data: &impl Serialize) -> Event {
    // Text, numbers and lists have a JSON form, so this is never the other one.
    Event::default().event(name).json_data(data).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use tokio::sync::oneshot;

    use super::*;

    fn at(checked: u64) -> DeployProgress {
        DeployProgress::Replaying { checked, total: 3 }
    }

    async fn progress(words: &mut (impl Stream<Item = Word> + Unpin)) -> DeployProgress {
        match words.next().await {
            Some(Word::Progress(now)) => now,
            Some(Word::Over(_)) => panic!("it is over"),
            None => panic!("there is nothing more"),
        }
    }

    #[tokio::test]
    async fn who_looks_on_sees_the_newest_and_at_last_the_end_once() {
        let (end, over) = oneshot::channel::<()>();
        let (told, progress_of) = watch::channel(DeployProgress::Compiling);
        let over = over.map(|_| Err(Refusal::stopping()));
        let mut words = Box::pin(until_over(over, progress_of, Duration::ZERO));
        tell(&told, at(0));
        assert_eq!(progress(&mut words).await, DeployProgress::Compiling, "even if that was over at once");
        for checked in [1, 3, 2] {
            tell(&told, at(checked));
        }
        assert_eq!(progress(&mut words).await, at(3), "neither what came before nor what came late");
        drop(told);
        end.send(()).unwrap();
        assert!(matches!(words.next().await, Some(Word::Over(Err(_)))));
        assert!(words.next().await.is_none());
    }

    #[test]
    fn events_are_for_those_who_ask_for_them() {
        let wanted = |accept: &'static str| {
            Wanted::of(&HeaderMap::from_iter([(header::ACCEPT, HeaderValue::from_static(accept))]))
        };
        for accept in ["text/event-stream", "application/json, Text/Event-Stream;q=0.9"] {
            assert_eq!(wanted(accept), Wanted::Events, "{accept}");
        }
        for accept in ["*/*", "application/json", "text/*", ""] {
            assert_eq!(wanted(accept), Wanted::Answer, "{accept}");
        }
        assert_eq!(Wanted::of(&HeaderMap::new()), Wanted::Answer);
    }
}

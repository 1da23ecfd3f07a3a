//! Queries: what a workflow tells of its state. Nothing is recorded.

use std::sync::Arc;
use std::time::Duration;

use everturn_guest::{Component, LiveGuest, QueryError, RunError};
use everturn_history::{HistoryEvent, InstanceId};
use everturn_replay::Source;
use everturn_store::{Instance, StoreError};
use tokio::time::Instant;

use super::Handler;
use super::asked::State;
use crate::persist::{read, to_the_end};
use crate::requests::Form;
use crate::{RequestError, Runtime};

/// How long a question waits for the turns of the instance with what was sent to it before.
const CATCH_UP: Duration = Duration::from_secs(2);

/// What became of a question.
type Asked = Result<(Result<String, QueryError>, LiveGuest), RunError>;

impl Runtime {
    /// Asks an instance, which may have ended. The answer is JSON text. It tells its state as of its last turn, which has
    /// seen what was sent to the instance before, unless that turn takes long.
    pub async fn query(&self, id: &InstanceId, name: &str, input: Option<String>) -> Result<String, RequestError> {
        let input = input.unwrap_or_else(|| "null".to_owned());
        self.check_payload("query's input", &input, Form::Json)?;
        let (instance, _) = self.find_handling(id, Handler::Query, name).await?;
        let patience = Instant::now() + CATCH_UP;
        loop {
            let _ = tokio::time::timeout_at(patience, self.begun(&instance)).await;
            // Before anything is read: histories are large. It is never closed.
            let place = Arc::clone(&self.host.questions).acquire_owned().await;
            // To its end, also if nobody waits for the answer any more: what runs keeps its place until then.
            let (runtime, id, asked, input) = (self.clone(), id.clone(), name.to_owned(), input.clone());
            let answer = to_the_end(async move {
                let _place = place;
                runtime.ask(&id, asked, input).await
            });
            match answer.await? {
                Some(answer) => return Ok(answer),
                // It began anew once more.
                None if Instant::now() < patience && self.host.mailroom.is_busy(instance.key) => {}
                None => {
                    let problem = "the workflow has not begun".to_owned();
                    return Err(RequestError::NoAnswer { id: instance.id, query: name.to_owned(), problem });
                }
            }
        }
    }

    /// Resolves when an instance has had its turns with what was sent to it, and has a history to be asked about.
    async fn begun(&self, instance: &Instance) {
        loop {
            self.host.mailroom.caught_up(instance.key).await;
            // None right after it began anew, and before its first turn. A start for later, or one that is held, has no
            // driver, and nothing to wait for.
            let is_empty = self.host.store.opening(instance.key).await.is_ok_and(|opening| opening.is_empty());
            if !is_empty || !self.host.mailroom.is_busy(instance.key) {
                return;
            }
        }
    }

    /// The answer. None: there is nothing to ask about yet.
    async fn ask(&self, id: &InstanceId, name: String, input: String) -> Result<Option<String>, RequestError> {
        let failed = |problem: String| RequestError::NoAnswer { id: id.clone(), query: name.clone(), problem };
        let (instance, component) = self.find_handling(id, Handler::Query, &name).await?;
        let Some((state, guest, history)) = self.asked_guest(&instance, &component).await? else { return Ok(None) };
        let asked = name.clone();
        let asking = tokio::task::spawn_blocking(move || ask(guest, history, asked, input));
        match asking.await.map_err(|error| failed(error.to_string()))? {
            Ok((answer, guest)) => {
                self.host.asked.put(state, guest);
                answer.map(Some).map_err(|error| failed(error.to_string()))
            }
            Err(error) => Err(failed(error.to_string())),
        }
    }

    /// A guest to ask, and the history that it has not seen yet. None: there is no history.
    async fn asked_guest(
        &self,
        instance: &Instance,
        component: &Component,
    ) -> Result<Option<(State, LiveGuest, Vec<HistoryEvent>)>, RequestError> {
        let state = State { instance: instance.key, turns: instance.turns };
        if let Some(guest) = self.host.asked.take(state) {
            return Ok(Some((state, guest, Vec::new())));
        }
        let loaded = read(&self.host, || self.host.store.load(instance.key)).await?;
        let loaded = loaded.ok_or_else(|| StoreError::NotFound { id: instance.id.clone() })?;
        if loaded.history.is_empty() {
            return Ok(None);
        }
        let state = State { turns: loaded.instance.turns, ..state };
        // It may have moved in this very moment.
        let guest = match loaded.instance.deployment {
            Some(deployment) if loaded.instance.deployment != instance.deployment => {
                LiveGuest::to_be_asked(&self.host.deployments.component(&self.host, deployment).await?)
            }
            _ => LiveGuest::to_be_asked(component),
        };
        Ok(Some((state, guest, loaded.history)))
    }
}

fn ask(mut guest: LiveGuest, history: Vec<HistoryEvent>, name: String, input: String) -> Asked {
    for event in history {
        guest.push(event, Source::History);
    }
    guest.run()?;
    let answer = guest.query(name, input)?;
    Ok((answer, guest))
}

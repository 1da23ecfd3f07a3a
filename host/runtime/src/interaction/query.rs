//! Queries: what a workflow tells of its state. Nothing is recorded.

use everturn_guest::{Component, LiveGuest, QueryError, RunError};
use everturn_history::{HistoryEvent, InstanceId};
use everturn_replay::Source;
use everturn_store::{Instance, StoreError};

use super::Handler;
use super::asked::State;
use crate::persist::read;
use crate::requests::Form;
use crate::{RequestError, Runtime};

/// What became of a question.
type Asked = Result<(Result<String, QueryError>, LiveGuest), RunError>;

impl Runtime {
    /// Asks an instance, which may have ended. The answer is JSON text, and tells its state as of its last turn.
    pub async fn query(&self, id: &InstanceId, name: &str, input: Option<String>) -> Result<String, RequestError> {
        let input = input.unwrap_or_else(|| "null".to_owned());
        self.check_payload("query's input", &input, Form::Json)?;
        let (instance, component) = self.find_handling(id, Handler::Query, name).await?;
        let failed = |problem: String| RequestError::NoAnswer { id: id.clone(), query: name.to_owned(), problem };
        let (state, guest, history) = self.asked_guest(&instance, &component).await?;
        let (name, asked) = (name.to_owned(), input);
        let permit = self.host.turns.acquire().await;
        let asking = tokio::task::spawn_blocking(move || ask(guest, history, name, asked));
        let answered = asking.await.map_err(|error| failed(error.to_string()));
        drop(permit);
        match answered? {
            Ok((answer, guest)) => {
                self.host.asked.put(state, guest);
                answer.map_err(|error| failed(error.to_string()))
            }
            Err(error) => Err(failed(error.to_string())),
        }
    }

    /// A guest to ask, and the history that it has not seen yet.
    async fn asked_guest(
        &self,
        instance: &Instance,
        component: &Component,
    ) -> Result<(State, LiveGuest, Vec<HistoryEvent>), RequestError> {
        let state = State { instance: instance.key, turns: instance.turns };
        if let Some(guest) = self.host.asked.take(state) {
            return Ok((state, guest, Vec::new()));
        }
        let loaded = read(&self.host, || self.host.store.load(instance.key)).await?;
        let loaded = loaded.ok_or_else(|| StoreError::NotFound { id: instance.id.clone() })?;
        let state = State { turns: loaded.instance.turns, ..state };
        Ok((state, LiveGuest::to_be_asked(component), loaded.history))
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

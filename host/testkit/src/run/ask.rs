//! Queries and updates: what a run answers.

use everturn_guest::{GuestFault, QueryError, RunError};
use everturn_history::history_event::EventType;
use everturn_history::{UpdateAcceptedEvent, text};
use everturn_replay::UpdateVerdict;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Run;
use super::talk::is_among;
use crate::Status;
use crate::complaint::Complaint;
use crate::complaint::or_fail;
use crate::failure::Failure;
use crate::payload;

/// Why an update did not give what was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UpdateError {
    /// The workflow refused it, and nothing is left of it.
    #[error("the update was rejected: {0}")]
    Rejected(Failure),
    /// The workflow took it, and it failed.
    #[error("the update failed: {0}")]
    Failed(Failure),
    /// The workflow takes no update of that name at the moment, or none at all: it is suspended, or over.
    #[error("nobody takes the update: the workflow is {0}")]
    NotTaken(Status),
    /// The workflow took it, and ended or began anew before it had an answer. Let it wait for its handlers first
    /// (`ctx.wait_for_handlers`).
    #[error("the workflow took the update, and ended or began anew before it answered: it is {0}")]
    Unanswered(Status),
}

impl UpdateError {
    /// Why it was rejected, or failed.
    #[must_use]
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Rejected(failure) | Self::Failed(failure) => Some(failure),
            Self::NotTaken(_) | Self::Unanswered(_) => None,
        }
    }
}

impl Run {
    /// Asks the workflow, which may have ended. It answers from the state in which it is at rest.
    ///
    /// # Panics
    /// When there is no query of that name, when it fails, or tries to do more than look; when its answer cannot be read as a
    /// `T`. For queries that fail on purpose there is [`try_query`](Self::try_query).
    #[track_caller]
    pub fn query<T: DeserializeOwned>(&mut self, name: &str, input: &(impl Serialize + ?Sized)) -> T {
        let answer = self.ask(name, input).and_then(|answer| match answer {
            Ok(answer) => Ok(answer),
            Err(failure) => Err(self.no_answer(name, &format!("it failed: {failure}"))),
        });
        or_fail(answer)
    }

    /// As [`query`](Self::query), and gives the failure of one that fails.
    ///
    /// # Errors
    /// What the query itself returned as error.
    ///
    /// # Panics
    /// For all else that goes wrong.
    #[track_caller]
    pub fn try_query<T: DeserializeOwned>(
        &mut self,
        name: &str,
        input: &(impl Serialize + ?Sized),
    ) -> Result<T, Failure> {
        or_fail(self.ask(name, input))
    }

    fn ask<T: DeserializeOwned>(
        &mut self,
        name: &str,
        input: &(impl Serialize + ?Sized),
    ) -> Result<Result<T, Failure>, Complaint> {
        let input = payload::write(&format!("the input of query `{name}`"), input)?;
        let workflow = self.settled()?.workflow.clone();
        let answer = self.instance()?.query(&self.world.settings.component, name, input)?;
        match answer {
            Ok(answer) => payload::read(&format!("the answer of query `{name}`"), &answer).map(Ok),
            Err(QueryError::Failed(failure)) => Ok(Err(failure.into())),
            Err(QueryError::Unknown { name, known }) => {
                Err(Complaint::UnknownHandler { what: "query", name, workflow, known, hint: "" })
            }
            Err(QueryError::Other(words)) => Err(self.no_answer(name, &words)),
            Err(error @ QueryError::TooLarge { .. }) => Err(self.no_answer(name, &error.to_string())),
        }
    }

    fn no_answer(&self, name: &str, problem: &str) -> Complaint {
        let workflow = self.instance().map(|instance| instance.workflow.clone()).unwrap_or_default();
        Complaint::NoAnswer { name: name.to_owned(), workflow, problem: problem.to_owned() }
    }

    /// Asks the workflow to change, and gives its answer. A handler that waits lets time pass until it has one.
    ///
    /// # Errors
    /// When the workflow rejects the update, when the update fails, and when nobody takes it or answers it.
    ///
    /// # Panics
    /// When the workflow handles updates, and none of that name; when the answer never comes, or cannot be read as a `T`.
    #[track_caller]
    pub fn update<T: DeserializeOwned>(
        &mut self,
        name: &str,
        input: &(impl Serialize + ?Sized),
    ) -> Result<T, UpdateError> {
        or_fail(self.try_update(name, input))
    }

    fn try_update<T: DeserializeOwned>(
        &mut self,
        name: &str,
        input: &(impl Serialize + ?Sized),
    ) -> Result<Result<T, UpdateError>, Complaint> {
        let id = match self.hand_over(name, input)? {
            Ok(id) => id,
            Err(error) => return Ok(Err(error)),
        };
        let what = format!("the answer to update `{name}`");
        self.pass_until_there(&what, |run| Ok(run.world.updates.contains_key(&id)))?;
        Ok(match self.world.updates.get(&id) {
            Some(Some(Ok(answer))) => Ok(payload::read(&what, answer)?),
            Some(Some(Err(failure))) => Err(UpdateError::Failed(failure.clone())),
            Some(None) | None => Err(UpdateError::Unanswered(self.instance()?.status)),
        })
    }

    /// An update has a turn of its own. One that is not accepted was never there, and neither was its guest.
    fn hand_over(
        &mut self,
        name: &str,
        input: &(impl Serialize + ?Sized),
    ) -> Result<Result<String, UpdateError>, Complaint> {
        let input = payload::write(&format!("the input of update `{name}`"), input)?;
        let instance = self.settled()?;
        let (workflow, status) = (instance.workflow.clone(), instance.status);
        let described = self.world.settings.component.workflow(&workflow);
        let known = described.map_or(&[][..], |workflow| &workflow.updates);
        if !known.is_empty() && !is_among(known, name) {
            let (name, known) = (name.to_owned(), known.to_vec());
            return Err(Complaint::UnknownHandler { what: "update", name, workflow, known, hint: "" });
        }
        if status.is_ended() {
            return Ok(Err(UpdateError::NotTaken(status)));
        }
        self.updates += 1;
        let id = format!("update-{}", self.updates);
        let accepted = UpdateAcceptedEvent { id: id.clone(), name: name.to_owned(), input: Some(text(input)) };
        let messages = vec![self.world.event(EventType::UpdateAccepted(accepted))];
        let Some(instance) = self.world.instances.get_mut(&self.id) else {
            return Ok(Err(UpdateError::NotTaken(status)));
        };
        let turn = match instance.play(&self.world.settings.component, &messages, self.world.now) {
            Ok(turn) => turn,
            // What an update does to a guest is the update's matter: nothing of it is kept.
            Err(Complaint::Stopped { source: RunError::Guest(fault), .. }) if fault.is_deterministic() => {
                return Ok(Err(UpdateError::Rejected(stopped_over_it(&fault))));
            }
            Err(other) => return Err(other),
        };
        match &turn.update {
            Some(UpdateVerdict::Accepted) => {
                self.world.commit(&self.id.clone(), messages, &turn)?;
                Ok(Ok(id))
            }
            Some(UpdateVerdict::Rejected(failure)) => {
                let failure = failure.clone().into();
                instance.forget_guest();
                Ok(Err(UpdateError::Rejected(failure)))
            }
            Some(UpdateVerdict::Unread) | None => {
                instance.forget_guest();
                Ok(Err(UpdateError::NotTaken(status)))
            }
        }
    }
}

/// What an update that made its guest stop is rejected with: as a host would say it.
fn stopped_over_it(fault: &GuestFault) -> Failure {
    let words = format!("the workflow stopped over the update, which has no effect: {fault}");
    Failure::new("UpdateStoppedWorkflow", words).not_retriable()
}

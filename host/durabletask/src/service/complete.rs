//! What a worker answers: to turns and to activities, or that it gives them back.
//!
//! A late answer is normal: the work was given to another meanwhile, or nobody waits for it. It is dropped without a
//! word to the worker. Only who shows something that it cannot have is told so.

use everturn_history::{InstanceId, SequenceId};
use everturn_runtime::RequestError;
use everturn_store::{StoreError, Token};
use tonic::{Request, Status};

use super::Hub;
use super::hub::peer;
use super::measure::Measure;
use crate::protocol::{ActivityResponse, CompleteTaskResponse, WorkflowResponse};
use crate::registry::{Sent, Stranger, Subject};
use crate::status;
use crate::wire::{Progress, RefusedAnswer, read_answer, read_token, tells};

impl Hub {
    /// Takes the answer to a turn, or a piece of it. It is on disk when the worker hears of it.
    pub(super) async fn complete_turn(
        &self,
        request: Request<WorkflowResponse>,
    ) -> Result<CompleteTaskResponse, Status> {
        let subject = Subject { instance: InstanceId::from(request.get_ref().instance_id.as_str()), task: None };
        let Some(sent) = self.sent(&request, &request.get_ref().completion_token, &subject).await? else {
            return Ok(CompleteTaskResponse {});
        };
        let response = request.into_inner();
        if response.requires_history {
            // It counted on a past that it does not have: with the next dispatch it gets all of it.
            self.give_back_turn(sent.token);
            return Ok(CompleteTaskResponse {});
        }
        let progress = self.registry.collect(sent.token, response, &self.limits);
        let response = match progress.map_err(|refused| status::refused_answer(&refused))? {
            Progress::More => return Ok(CompleteTaskResponse {}),
            Progress::Whole(response) => *response,
        };
        let dialect = tells(&response).map_or_else(|| sent.dialect.get(), |told| sent.dialect.learn(told));
        let answer = read_answer(dialect, response, self.limits.actions).map_err(|refused| {
            if let RefusedAnswer::Entity { .. } = refused {
                // The same code would ask for the same again and again: people have to hear of it.
                self.runtime.hold_turn(sent.token, None, refused.to_string());
                self.registry.remove(sent.token);
            }
            status::refused_answer(&refused)
        })?;
        self.measure().check(&answer).map_err(|error| status::refusal(&error))?;
        self.taken(sent.token, &subject, self.runtime.complete_turn(sent.token, answer).await)
    }

    /// Takes the answer to an activity.
    pub(super) async fn complete_activity(
        &self,
        request: Request<ActivityResponse>,
    ) -> Result<CompleteTaskResponse, Status> {
        let response = request.get_ref();
        let task = Some(SequenceId::new(response.task_id));
        let subject = Subject { instance: InstanceId::from(response.instance_id.as_str()), task };
        let Some(sent) = self.sent(&request, &response.completion_token, &subject).await? else {
            return Ok(CompleteTaskResponse {});
        };
        let response = request.into_inner();
        let answer = match response.failure_details {
            Some(failure) => Err(failure),
            None => Ok(response.result.map(|result| result.value)),
        };
        self.taken(sent.token, &subject, self.runtime.complete_task(sent.token, answer).await)
    }

    /// Takes a turn back.
    pub(super) fn abandon_turn(&self, token: &str) -> Result<(), Status> {
        let token = read_token(token).map_err(status::malformed_token)?;
        if self.registry.has(token, true) {
            self.give_back_turn(token);
        }
        Ok(())
    }

    /// Takes an activity back.
    pub(super) fn abandon_activity(&self, token: &str) -> Result<(), Status> {
        let token = read_token(token).map_err(status::malformed_token)?;
        if self.registry.has(token, false) {
            self.runtime.abandon_activity(token);
            self.registry.remove(token);
        }
        Ok(())
    }

    fn give_back_turn(&self, token: Token) {
        self.runtime.abandon_turn(token);
        self.registry.remove(token);
    }

    /// What the worker answers. None: it is late, and the answer is dropped.
    async fn sent<T>(&self, request: &Request<T>, token: &str, subject: &Subject) -> Result<Option<Sent>, Status> {
        let peer = peer(request)?;
        // Old workers of JavaScript have no token to show.
        let token = if token.is_empty() { None } else { Some(read_token(token).map_err(status::malformed_token)?) };
        let instance = &subject.instance;
        match self.registry.find(token, peer, subject) {
            Ok(sent) => Ok(Some(sent)),
            Err(Stranger::Late) => {
                tracing::debug!(%peer, %instance, "a late answer is dropped");
                Ok(None)
            }
            Err(Stranger::Foreign) => Err(Status::invalid_argument(format!(
                "the completion token belongs to other work than that of instance `{instance}` which is answered; \
                 send back the one that came with it"
            ))),
            Err(Stranger::NotThere) => Err(self.stranger(instance).await?),
        }
    }

    async fn stranger(&self, instance: &InstanceId) -> Result<Status, Status> {
        let found = self.runtime.find_instance(instance).await.map_err(|error| status::refusal(&error))?;
        if found.is_none() {
            let error = RequestError::from(StoreError::NotFound { id: instance.clone() });
            return Ok(status::refusal(&error));
        }
        Ok(Status::permission_denied(format!(
            "no such work of instance `{instance}` was sent over this connection, or it was answered already; \
             an answer without a completion token has to come over the connection that brought the work"
        )))
    }

    /// What became of an answer.
    fn taken(
        &self,
        token: Token,
        subject: &Subject,
        taken: Result<(), RequestError>,
    ) -> Result<CompleteTaskResponse, Status> {
        // Whatever it was, the runtime waits for no other answer with this token.
        self.registry.remove(token);
        match taken {
            Ok(()) => Ok(CompleteTaskResponse {}),
            Err(RequestError::Store(error @ (StoreError::StaleToken { .. } | StoreError::Conflict))) => {
                tracing::debug!(instance = %subject.instance, %error, "a late answer is dropped");
                Ok(CompleteTaskResponse {})
            }
            Err(error) => Err(status::refusal(&error)),
        }
    }

    fn measure(&self) -> Measure {
        let limits = &self.runtime.options().limits;
        Measure { payload: limits.payload_size, name: limits.name_length }
    }
}

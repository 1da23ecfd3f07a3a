//! Updates: a workflow is asked to change, may refuse, and answers. What it accepts is in history; what it refuses was never
//! there.

use std::sync::Arc;

use everturn_history::history_event::EventType;
use everturn_history::{HistoryEvent, InstanceId, UpdateAcceptedEvent, event, text};
use everturn_replay::Failure;
use everturn_store::{Instance, InstanceKey, Status, StoreError};

use super::{Handler, UpdateReply};
use crate::instance::mailroom::{Delivery, Source};
use crate::requests::Form;
use crate::{RequestError, Runtime, identity, instance};

/// What became of an update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UpdateOutcome {
    /// It was accepted, and answered: JSON text, or why it failed. This is on disk.
    Completed(Result<String, Failure>),
    /// The workflow refused it. Nothing is left of it.
    Rejected(Failure),
}

impl Runtime {
    /// Asks an instance to change, and waits for its answer. Give up by dropping: what was accepted goes on.
    ///
    /// With an id, the same may be asked again without being done again: who lost the answer gets it. That holds as long as
    /// the instance does not continue as new.
    pub async fn update(
        &self,
        id: &InstanceId,
        name: &str,
        input: Option<String>,
        update_id: Option<String>,
    ) -> Result<UpdateOutcome, RequestError> {
        let input = input.unwrap_or_else(|| "null".to_owned());
        self.check_payload("update's input", &input, Form::Json)?;
        let (instance, _) = self.find_handling(id, Handler::Update, name).await?;
        // Only an id that somebody chose can be in history already.
        let may_be_known = update_id.is_some();
        let update = match update_id {
            Some(update) => {
                self.check_name("update's id", &update)?;
                update
            }
            None => identity::task_execution_id(),
        };
        let waiting = Waiting { runtime: self, instance: instance.key, update: &update };
        let replied = self.host.updates.wait(instance.key, &update);
        // Looked at only now: who waits is told when the instance ends.
        let status = self.find(id).await?.status;
        if status.is_ended() || matches!(status, Status::Suspended | Status::Stalled) {
            let known = if may_be_known { progress(&self.history(id).await?, &update) } else { Progress::Unknown };
            match known {
                Progress::Completed(outcome) => return Ok(UpdateOutcome::Completed(outcome)),
                Progress::Accepted if status.is_ended() => {
                    return Err(RequestError::Unanswered { id: id.clone(), update: update.clone() });
                }
                Progress::Accepted => {}
                Progress::Unknown if status.is_ended() => {
                    return Err(StoreError::Ended { id: id.clone(), status }.into());
                }
                Progress::Unknown => return Err(RequestError::NotTaken { id: id.clone(), status }),
            }
        } else {
            self.hand_over(&instance, &update, name, input)?;
        }
        let reply = tokio::select! {
            reply = replied => reply.ok(),
            () = self.host.stopping.begun() => return Err(RequestError::Stopping),
        };
        drop(waiting);
        match reply {
            Some(UpdateReply::Completed(outcome)) => Ok(UpdateOutcome::Completed(outcome)),
            Some(UpdateReply::Rejected(failure)) => Ok(UpdateOutcome::Rejected(failure)),
            Some(UpdateReply::NotTaken) => {
                Err(RequestError::NotTaken { id: id.clone(), status: self.find(id).await?.status })
            }
            Some(UpdateReply::Unanswered) => Err(RequestError::Unanswered { id: id.clone(), update: update.clone() }),
            Some(UpdateReply::Over) | None => {
                let status = self.find(id).await?.status;
                Err(StoreError::Ended { id: id.clone(), status }.into())
            }
        }
    }

    fn hand_over(&self, instance: &Instance, update: &str, name: &str, input: String) -> Result<(), RequestError> {
        let accepted = UpdateAcceptedEvent { id: update.to_owned(), name: name.to_owned(), input: Some(text(input)) };
        let event = event::event(self.host.clock.now().to_timestamp(), EventType::UpdateAccepted(accepted));
        let delivery = Delivery { event, source: Source::Update { id: update.to_owned() } };
        let full = |_| RequestError::TooManyUpdates { id: instance.id.clone() };
        if self.host.mailroom.update(instance.key, delivery).map_err(full)? {
            instance::start(&Arc::clone(&self.host), instance.key);
        }
        Ok(())
    }
}

/// Somebody who waits for the answer to an update. Dropped, nobody does.
struct Waiting<'a> {
    runtime: &'a Runtime,
    instance: InstanceKey,
    update: &'a str,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.runtime.host.updates.forget(self.instance, self.update);
    }
}

/// How far an update is, as history has it.
enum Progress {
    Unknown,
    Accepted,
    Completed(Result<String, Failure>),
}

fn progress(history: &[HistoryEvent], update: &str) -> Progress {
    let mut progress = Progress::Unknown;
    for event in history {
        match &event.event_type {
            Some(EventType::UpdateAccepted(accepted)) if accepted.id == update => progress = Progress::Accepted,
            Some(EventType::UpdateCompleted(completed)) if completed.id == update => {
                let result = completed.result.clone().map_or_else(|| "null".to_owned(), |result| result.value);
                let outcome = completed.failure_details.clone().map_or(Ok(result), |failure| Err(failure.into()));
                return Progress::Completed(outcome);
            }
            _ => {}
        }
    }
    progress
}

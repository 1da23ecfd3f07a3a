//! Takes an open instance back in its own history, under its own id, and lets it go on from there.
//!
//! What it had done to the world stays done. What it had asked for in the part that is taken back is given up: activities are
//! stale, timers are gone, and children hear what they would hear of an end. What came from outside comes again, in its order:
//! events, suspends and resumes, and the answers to what was asked for before. An update does not: it was answered, or is told
//! now that it will not be.

use std::sync::Arc;

use everturn_guest::{Digest, Misfit, RunError, Standing};
use everturn_history::history_event::EventType;
use everturn_history::{
    ExecutionTerminatedEvent, HistoryEvent, InstanceId, SequenceId, WorkflowResetEvent, event, text,
};
use everturn_replay::ReplayError;
use everturn_store::{Awaited, Deployment, Instance, Loaded, NewTask, ParentLink, Reset, Status, StoreError, Time};

use super::cut::Cut;
use super::{timer_again, unanswered};
use crate::interaction::UpdateReply;
use crate::persist::to_the_end;
use crate::requests::{ResetInstance, ResetRequest};
use crate::watch::Change;
use crate::{RequestError, Runtime, identity, instance};

/// How often it is tried when turns come in between.
const TRIES: usize = 10;

/// What an instance goes on with.
struct Ground {
    deployment: Arc<Deployment>,
    /// Somebody chose it.
    by_hand: bool,
    /// How its code stands at the end of what is kept.
    standing: Standing,
}

impl Runtime {
    /// Takes an open instance back in its history, to before the turn that has this event, and lets it go on from there. It
    /// stays as it is if what is kept fits no version that it may go on with; then nothing has happened.
    pub async fn reset(&self, id: &InstanceId, request: ResetRequest) -> Result<ResetInstance, RequestError> {
        self.require_open()?;
        let (runtime, found) = (self.clone(), self.find(id).await?);
        to_the_end(async move {
            for _ in 0..TRIES {
                match runtime.reset_once(&found, &request).await {
                    // A turn was written meanwhile: the event is still the same one.
                    Err(RequestError::Store(StoreError::Conflict)) => {}
                    done => return done,
                }
            }
            Err(StoreError::Conflict.into())
        })
        .await
    }

    async fn reset_once(&self, found: &Instance, request: &ResetRequest) -> Result<ResetInstance, RequestError> {
        let refuse = |problem: String| RequestError::CannotReset { id: found.id.clone(), to: request.to, problem };
        let loaded = self.host.store.load(found.key).await?;
        let Loaded { instance, history } = loaded.ok_or_else(|| StoreError::NotFound { id: found.id.clone() })?;
        if instance.status.is_ended() {
            let how =
                format!("it has ended ({}); `everturn workflow rerun` runs it again, as a new one", instance.status);
            return Err(refuse(how));
        }
        if instance.deployment.is_none() {
            return Err(refuse(
                "remote workers run it, and what is kept cannot be held against their code; terminate it and rerun it"
                    .to_owned(),
            ));
        }
        if instance.execution_id != found.execution_id {
            // It began anew, and the number was meant for another history.
            return Err(StoreError::Conflict.into());
        }
        let count = history.len();
        let cut = Cut::before(history, request.to).ok_or_else(|| {
            refuse(match count {
                0 => "it has had no turn yet".to_owned(),
                count => format!("its history has events 1 to {count}"),
            })
        })?;
        let ground = self.ground(&instance, &cut, request).await?;
        let awaited = self.awaited_again(&instance, &cut, &ground.standing).await?;
        let step = self.step(&instance, &cut, &ground, awaited, request);
        self.carry_out(instance, cut, &ground.deployment.label, step, request).await
    }

    /// Finds a version that what is kept fits.
    async fn ground(&self, instance: &Instance, cut: &Cut, request: &ResetRequest) -> Result<Ground, RequestError> {
        let deployments = &self.host.deployments;
        let mut candidates = Vec::new();
        if let Some(label) = &request.version {
            let chosen = deployments.labelled(label)?;
            if chosen.retired_at.is_some() {
                return Err(StoreError::Retired { label: label.clone() }.into());
            }
            candidates.push((chosen, true));
        } else {
            let by_hand = instance.assigned.is_some();
            let wanted = deployments.wanted(instance).and_then(|id| deployments.get(id));
            candidates.extend(wanted.map(|wanted| (wanted, by_hand)));
            let own = instance.deployment.and_then(|id| deployments.get(id));
            candidates.extend(own.map(|own| (own, false)));
        }
        let mut problem = "its version is not deployed any more".to_owned();
        for (deployment, by_hand) in candidates {
            if !deployment.workflows.contains(&instance.workflow) {
                problem = format!("version `{}` has no workflow `{}`", deployment.label, instance.workflow);
                continue;
            }
            match self.standing(deployment.id, cut.kept.clone()).await? {
                Ok(standing) => return Ok(Ground { deployment, by_hand, standing }),
                Err(misfit) => problem = does_not_fit(&deployment.label, &cut.kept, &misfit),
            }
        }
        Err(RequestError::CannotReset { id: instance.id.clone(), to: request.to, problem })
    }

    /// What its code waits for at the end of what is kept, and how each is begun again if it was given up since.
    async fn awaited_again(
        &self,
        instance: &Instance,
        cut: &Cut,
        standing: &Standing,
    ) -> Result<Vec<Awaited>, RequestError> {
        let now = self.host.clock.now();
        let comes = |id: &SequenceId| cut.again.iter().any(|(_, answers)| *answers == Some(*id));
        let open = unanswered(&cut.kept).into_iter().filter(|id| standing.awaited.contains(id) && !comes(id));
        let mut awaited = Vec::new();
        for id in open {
            let asked = cut.kept.iter().find(|event| event.event_id == id.get());
            awaited.extend(match asked.and_then(|event| event.event_type.as_ref()) {
                Some(EventType::TaskScheduled(task)) => Some(Awaited {
                    number: id,
                    message: instance::time_limit(id, task, now),
                    task: Some(NewTask { task: id, scheduled: (**task).clone(), at: now, lease: None }),
                }),
                // At its time, or at once if that has come.
                Some(EventType::TimerCreated(timer)) => timer_again(id, timer, now, now).map(|message| Awaited {
                    number: id,
                    task: None,
                    message: Some(message),
                }),
                Some(EventType::ChildWorkflowInstanceCreated(child)) => {
                    self.answer_of_child(instance, id, &child.instance_id.as_str().into(), now).await?
                }
                _ => None,
            });
        }
        Ok(awaited)
    }

    /// The answer of a child that has ended, or is gone. None: it goes on, and will answer.
    async fn answer_of_child(
        &self,
        parent: &Instance,
        id: SequenceId,
        child: &InstanceId,
        now: Time,
    ) -> Result<Option<Awaited>, RequestError> {
        let found = self.host.store.find(child).await?;
        let is_its = |link: &ParentLink| link.instance == parent.id && link.task == id;
        let message = match found.filter(|found| found.parent.as_ref().is_some_and(is_its)) {
            Some(open) if !open.status.is_ended() => return Ok(None),
            Some(ended) => instance::answer_of(&ended, now),
            None => Some(instance::child_gone(parent.key, id, child, now)),
        };
        Ok(message.map(|message| Awaited { number: id, task: None, message: Some(message) }))
    }

    fn step(
        &self,
        instance: &Instance,
        cut: &Cut,
        ground: &Ground,
        awaited: Vec<Awaited>,
        request: &ResetRequest,
    ) -> Reset {
        let now = self.host.clock.now();
        let execution_id = identity::execution_id();
        let recorded = WorkflowResetEvent {
            to_event: request.to,
            taken_back: cut.taken_back,
            reason: request.reason.clone().map(text),
            version: ground.deployment.label.clone(),
            digest: Digest::from_bytes(ground.deployment.digest).to_string(),
            execution_id: execution_id.clone(),
            turns: instance.turns,
        };
        let recorded = event::event(now.to_timestamp(), EventType::WorkflowReset(Box::new(recorded)));
        let closed = ExecutionTerminatedEvent { input: None, recurse: false };
        Reset {
            instance: instance.key,
            number: instance.turns,
            assigned: instance.assigned,
            at: now,
            kept: cut.kept.len() as u64,
            execution_id,
            deployment: ground.deployment.id,
            by_hand: ground.by_hand,
            status: match (cut.kept.is_empty(), ground.standing.is_suspended) {
                (true, _) => Status::Pending,
                (false, true) => Status::Suspended,
                (false, false) => Status::Running,
            },
            custom_status: ground.standing.custom_status.clone(),
            given_up: cut.given_up.clone(),
            close: event::event(now.to_timestamp(), EventType::ExecutionTerminated(closed)),
            // The next turn writes it down, before all that comes again.
            opening: std::iter::once((recorded, None)).chain(cut.again.iter().cloned()).collect(),
            awaited,
        }
    }

    /// Writes it, and then lets out what it causes.
    async fn carry_out(
        &self,
        instance: Instance,
        cut: Cut,
        version: &str,
        step: Reset,
        request: &ResetRequest,
    ) -> Result<ResetInstance, RequestError> {
        let (host, key) = (&self.host, instance.key);
        let (kept, status, now) = (step.kept, step.status, step.at);
        let activities: Vec<_> = step.awaited.iter().filter_map(|awaited| awaited.task.as_ref()).collect();
        let activities: Vec<_> = activities.into_iter().map(|task| task.scheduled.name.clone()).collect();
        let committed = host.store.reset(step).await.map_err(|error| self.failed(error))?;
        tracing::info!(
            instance = %instance.id, to_event = request.to, taken_back = cut.taken_back, version, reason = request.reason,
            "an instance was reset"
        );
        drop(host.guests.take(key));
        // Before anything else it looks at its inbox: a guest of the history that is gone cannot write what it makes of that.
        instance::wake(host, key);
        committed.abandoned.iter().for_each(|task| host.dispatcher.abandon(*task));
        activities.iter().for_each(|activity| host.dispatcher.expect(activity));
        for (update, _) in &cut.updates {
            host.updates.reply(key, update, &UpdateReply::Unanswered);
        }
        host.watchers
            .changed(Change { id: instance.id.clone(), status, events: kept, generation: instance.generation }, None);
        instance::follow_up(host, committed);
        // While it was held, nobody slept for its timers.
        host.alarm.set(now);
        Ok(ResetInstance {
            taken_back: cut.taken_back,
            kept,
            version: version.to_owned(),
            warnings: warnings(&instance, &cut),
        })
    }
}

/// What is kept does not fit, and what would.
fn does_not_fit(label: &str, kept: &[HistoryEvent], misfit: &Misfit) -> String {
    let begins_turn = |event: &HistoryEvent| matches!(event.event_type, Some(EventType::WorkflowStarted(_)));
    let earlier = match misfit {
        Misfit::Run(RunError::Replay(ReplayError::Mismatch(mismatch))) => {
            let number = usize::try_from(mismatch.event).unwrap_or(usize::MAX);
            // What differs at the beginning of a turn is what the turn before it did.
            let is_within = kept.get(number.saturating_sub(1)).is_some_and(|event| !begins_turn(event));
            if is_within { number } else { number.saturating_sub(1) }
        }
        Misfit::EndedEarly(_) => kept.len(),
        Misfit::Run(_) => 0,
    };
    let advice = match earlier {
        0 => "choose another version".to_owned(),
        earlier => format!("reset it to event {earlier} to take that back too, or choose another version"),
    };
    format!("what is kept does not fit version `{label}`; {advice}: {misfit}")
}

fn warnings(instance: &Instance, cut: &Cut) -> Vec<String> {
    let updates = cut
        .updates
        .iter()
        .map(|(id, name)| format!("update `{name}` with id `{id}` was taken back; ask for it again if it is to hold"));
    let own = format!("{}:{}.", instance.id, instance.generation);
    let chosen = cut.children.iter().filter(|child| !child.starts_with(&own)).map(|child| {
        format!("its code chose the id of child `{child}`, which is in use: purge it before it is called again")
    });
    updates.chain(chosen).collect()
}

#[cfg(test)]
mod tests {
    use everturn_history::{OrchestrationStatus, Timestamp};
    use everturn_replay::{Behaviour, Ending, Mismatch};

    use super::*;

    #[test]
    fn the_advice_takes_back_what_differs() {
        let turn = || event::turn_started(Timestamp::default(), Vec::new());
        let came = || event::event_raised(Timestamp::default(), "e", "1");
        let kept = [turn(), came(), turn(), came(), turn()];
        let misfit = |event| {
            let mismatch = Mismatch {
                workflow: "w".to_owned(),
                instance_id: "i".into(),
                event,
                sequence_id: None,
                recorded: Behaviour::Waited,
                attempted: Behaviour::RefusedUpdate,
            };
            Misfit::Run(RunError::Replay(ReplayError::Mismatch(Box::new(mismatch))))
        };
        let ending = Ending { status: OrchestrationStatus::Completed, result: None, failure: None };
        let cases = [
            (misfit(2), "reset it to event 2 "),
            (misfit(3), "reset it to event 2 "),
            (misfit(5), "reset it to event 4 "),
            (misfit(6), "reset it to event 5 "),
            (Misfit::EndedEarly(ending.into()), "reset it to event 5 "),
        ];
        for (misfit, advice) in cases {
            let told = does_not_fit("v1", &kept, &misfit);
            assert!(told.contains(advice), "{told}: {advice}");
        }
    }
}

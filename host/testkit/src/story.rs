//! A history in words: one short line for each thing that happened, without times and ids that nobody chose.

use std::collections::BTreeMap;

use everturn_history::history_event::EventType;
use everturn_history::{HistoryEvent, OrchestrationStatus, TaskFailureDetails, TimerCreatedEvent, TimerOrigin};

use crate::time::Time;

/// The names behind the numbers of a history.
pub(crate) struct Story(BTreeMap<i32, String>);

/// The lines of a history. That a turn begins is not among them.
pub(crate) fn story(history: &[HistoryEvent]) -> Vec<String> {
    let story = Story::of(history);
    let is_told = |event: &&HistoryEvent| !matches!(event.event_type, Some(EventType::WorkflowStarted(_)) | None);
    history.iter().filter(is_told).map(|event| story.line(event)).collect()
}

impl Story {
    pub(crate) fn of(history: &[HistoryEvent]) -> Self {
        let name = |event: &HistoryEvent| match &event.event_type {
            Some(EventType::TaskScheduled(task)) => Some((event.event_id, task.name.clone())),
            Some(EventType::ChildWorkflowInstanceCreated(child)) => Some((event.event_id, child.name.clone())),
            Some(EventType::TimerCreated(timer)) => Some((event.event_id, fired(timer))),
            _ => None,
        };
        Self(history.iter().filter_map(name).collect())
    }

    fn name(&self, id: i32) -> &str {
        self.0.get(&id).map_or("something unknown", String::as_str)
    }

    /// One event in words.
    pub(crate) fn line(&self, event: &HistoryEvent) -> String {
        let Some(kind) = &event.event_type else { return "nothing".to_owned() };
        match kind {
            EventType::ExecutionStarted(start) => format!("{} started", start.name),
            EventType::ExecutionCompleted(end) => match &end.failure_details {
                Some(failure) => format!("failed: {}", failure.error_type),
                None => ending(end.workflow_status()).to_owned(),
            },
            EventType::ExecutionTerminated(_) => "asked to terminate".to_owned(),
            EventType::TaskScheduled(task) if task.attempt > 1 => {
                format!("activity {} called, attempt {}", task.name, task.attempt)
            }
            EventType::TaskScheduled(task) => format!("activity {} called", task.name),
            EventType::TaskCompleted(done) => format!("activity {} completed", self.name(done.task_scheduled_id)),
            EventType::TaskFailed(done) => {
                failed("activity", self.name(done.task_scheduled_id), done.failure_details.as_ref())
            }
            EventType::ChildWorkflowInstanceCreated(child) => format!("child {} called", child.name),
            EventType::ChildWorkflowInstanceCompleted(done) => {
                format!("child {} completed", self.name(done.task_scheduled_id))
            }
            EventType::ChildWorkflowInstanceFailed(done) => {
                failed("child", self.name(done.task_scheduled_id), done.failure_details.as_ref())
            }
            EventType::TimerCreated(timer) => created(timer, event.timestamp.unwrap_or_default().into()),
            EventType::TimerFired(fired) => self.name(fired.timer_id).to_owned(),
            EventType::EventSent(sent) => format!("event {} sent to {}", sent.name, sent.instance_id),
            EventType::EventRaised(raised) => format!("event {} arrived", raised.name),
            EventType::DetachedWorkflowInstanceCreated(detached) => format!("workflow {} started apart", detached.name),
            EventType::ExecutionSuspended(_) => "suspended".to_owned(),
            EventType::ExecutionResumed(_) => "resumed".to_owned(),
            EventType::UpdateAccepted(update) => format!("update {} accepted", update.name),
            EventType::UpdateCompleted(update) => match &update.failure_details {
                Some(failure) => format!("update failed: {}", failure.error_type),
                None => "update answered".to_owned(),
            },
            EventType::VersionChanged(moved) => format!("moved to version {}", moved.to_version),
            EventType::WorkflowReset(reset) => format!("reset to event {}", reset.to_event),
            EventType::WorkflowStarted(_) => "a turn began".to_owned(),
            EventType::WorkflowCompleted(_) => "a turn ended".to_owned(),
            EventType::ContinueAsNew(_) => "continued as new".to_owned(),
            EventType::ExecutionStalled(_) => "stalled".to_owned(),
        }
    }
}

fn failed(what: &str, name: &str, failure: Option<&TaskFailureDetails>) -> String {
    let error_type = failure.map_or("", |failure| failure.error_type.as_str());
    format!("{what} {name} failed: {error_type}")
}

/// What a new timer is for, and how long it takes.
fn created(timer: &TimerCreatedEvent, at: Time) -> String {
    let length = match timer.fire_at {
        _ if timer.is_optional() => String::new(),
        Some(fire_at) => format!(" for {}", humantime::format_duration(Time::from(fire_at).since(at))),
        None => String::new(),
    };
    match (timer.timer_origin(), &timer.name) {
        (Some(TimerOrigin::ExternalEvent { name }), _) => format!("waits for event {name}{length}"),
        (Some(TimerOrigin::ActivityRetry { .. } | TimerOrigin::ChildWorkflowRetry { .. }), _) => {
            format!("waits to try again{length}")
        }
        (_, Some(name)) => format!("timer {name}{length}"),
        (_, None) => format!("timer{length}"),
    }
}

/// What it means that a timer fired.
fn fired(timer: &TimerCreatedEvent) -> String {
    match (timer.timer_origin(), &timer.name) {
        (Some(TimerOrigin::ExternalEvent { name }), _) => format!("event {name} did not arrive in time"),
        (Some(TimerOrigin::ActivityRetry { .. } | TimerOrigin::ChildWorkflowRetry { .. }), _) => {
            "time to try again".to_owned()
        }
        (_, Some(name)) => format!("timer {name} fired"),
        (_, None) => "timer fired".to_owned(),
    }
}

/// How a workflow ended, in words.
pub(crate) fn ending(status: OrchestrationStatus) -> &'static str {
    match status {
        OrchestrationStatus::Completed => "completed",
        OrchestrationStatus::ContinuedAsNew => "continued as new",
        OrchestrationStatus::Failed => "failed",
        OrchestrationStatus::Terminated => "terminated",
        _ => "ended",
    }
}

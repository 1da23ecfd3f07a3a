//! An event in words, for a line.

use everturn_history::history_event::EventType;
use everturn_history::{
    ExecutionCompletedEvent, ExecutionStartedEvent, HistoryEvent, OrchestrationStatus, StringValue, TaskFailureDetails,
    TaskScheduledEvent, TimerCreatedEvent, TimerOrigin,
};

use super::chains::Chains;
use crate::moment::{between, written};
use crate::text::{counted, shortened, shown};

/// The longest payload in a line; `-o json` has all of it.
const PAYLOAD_LENGTH: usize = 80;

/// An event in words.
pub(super) fn describe(index: usize, event: &HistoryEvent, chains: &Chains) -> String {
    let id = event.event_id;
    let Some(kind) = &event.event_type else { return "nothing".to_owned() };
    let name = |id: i32| chains.name(id).map_or_else(|| "a call".to_owned(), shown);
    match kind {
        EventType::WorkflowStarted(turn) => match &turn.version {
            Some(version) if !version.patches.is_empty() => {
                format!("turn, with patches {}", shown(&version.patches.join(", ")))
            }
            _ => "turn".to_owned(),
        },
        EventType::WorkflowCompleted(_) => "end of turn".to_owned(),
        EventType::ExecutionStarted(start) => started(start),
        EventType::TaskScheduled(task) => scheduled(id, task, chains.attempt(index)),
        EventType::TaskCompleted(task) => {
            let id = task.task_scheduled_id;
            format!("#{id} activity {} completed{}", name(id), result(task.result.as_ref()))
        }
        EventType::TaskFailed(task) => {
            let id = task.task_scheduled_id;
            format!("#{id} activity {} failed: {}", name(id), failure(task.failure_details.as_ref()))
        }
        EventType::ChildWorkflowInstanceCreated(child) => {
            let attempt = attempt_in_words(chains.attempt(index));
            let input = payload(child.input.as_ref());
            format!("#{id} child {} started as {}{attempt} with {input}", shown(&child.name), shown(&child.instance_id))
        }
        EventType::ChildWorkflowInstanceCompleted(child) => {
            let id = child.task_scheduled_id;
            format!("#{id} child {} completed{}", name(id), result(child.result.as_ref()))
        }
        EventType::ChildWorkflowInstanceFailed(child) => {
            let id = child.task_scheduled_id;
            format!("#{id} child {} failed: {}", name(id), failure(child.failure_details.as_ref()))
        }
        EventType::DetachedWorkflowInstanceCreated(other) => {
            format!("#{id} workflow {} started as {}", shown(&other.name), shown(&other.instance_id))
        }
        EventType::TimerCreated(timer) => timer_created(index, event, timer, chains),
        EventType::TimerFired(timer) => format!("#{} timer fired", timer.timer_id),
        EventType::EventSent(sent) => {
            let data = payload(sent.input.as_ref());
            format!("#{id} event {} sent to {} with {data}", shown(&sent.name), shown(&sent.instance_id))
        }
        EventType::EventRaised(raised) => {
            format!("event {} arrived with {}", shown(&raised.name), payload(raised.input.as_ref()))
        }
        other => ending(other),
    }
}

fn ending(kind: &EventType) -> String {
    let reason = |text: Option<&StringValue>| match text {
        Some(text) if !text.value.is_empty() => format!(": {}", shortened(&text.value, PAYLOAD_LENGTH)),
        _ => String::new(),
    };
    match kind {
        EventType::UpdateAccepted(update) => {
            format!("update {} accepted with {}", shown(&update.name), payload(update.input.as_ref()))
        }
        EventType::UpdateCompleted(update) => match &update.failure_details {
            None => format!("update answered -> {}", payload(update.result.as_ref())),
            Some(failure) => format!("update failed: {}", shown(&failure.error_message)),
        },
        EventType::VersionChanged(moved) => {
            format!("moved from version {} to {}", shown(&moved.from_version), shown(&moved.to_version))
        }
        EventType::WorkflowReset(reset) => {
            let (events, version) = (counted(reset.taken_back, "event"), shown(&reset.version));
            let why = reason(reset.reason.as_ref());
            format!("reset to event {}: {events} taken back, goes on with version {version}{why}", reset.to_event)
        }
        EventType::ExecutionSuspended(event) => format!("suspended{}", reason(event.input.as_ref())),
        EventType::ExecutionResumed(event) => format!("resumed{}", reason(event.input.as_ref())),
        EventType::ExecutionTerminated(event) => {
            let whom = if event.recurse { "terminated with its children" } else { "terminated" };
            format!("{whom}{}", reason(event.input.as_ref()))
        }
        EventType::ExecutionStalled(event) => {
            let why = event.description.as_ref().map_or_else(String::new, |why| format!(": {}", shown(why)));
            format!("stalled{why}")
        }
        EventType::ContinueAsNew(event) => format!("continued as new with {}", payload(event.input.as_ref())),
        EventType::ExecutionCompleted(end) => completed(end),
        _ => "something that this version does not know".to_owned(),
    }
}

fn completed(end: &ExecutionCompletedEvent) -> String {
    match end.workflow_status() {
        OrchestrationStatus::Completed => format!("completed{}", result(end.result.as_ref())),
        OrchestrationStatus::Failed => format!("failed: {}", failure(end.failure_details.as_ref())),
        OrchestrationStatus::ContinuedAsNew => format!("continued as new with {}", payload(end.result.as_ref())),
        other => {
            let name = other.as_str_name().trim_start_matches("ORCHESTRATION_STATUS_").to_ascii_lowercase();
            format!("{name}{}", result(end.result.as_ref()))
        }
    }
}

fn started(start: &ExecutionStartedEvent) -> String {
    let generation = match start.generation {
        0 => String::new(),
        generation => format!(" (generation {generation})"),
    };
    format!("started {}{generation} with {}", shown(&start.name), payload(start.input.as_ref()))
}

fn scheduled(id: i32, task: &TaskScheduledEvent, counted: usize) -> String {
    let attempt = usize::try_from(task.attempt).unwrap_or(1).max(counted);
    let attempt = attempt_in_words(attempt);
    format!("#{id} activity {} scheduled{attempt} with {}", shown(&task.name), payload(task.input.as_ref()))
}

fn attempt_in_words(attempt: usize) -> String {
    if attempt > 1 { format!(", attempt {attempt},") } else { String::new() }
}

fn timer_created(index: usize, event: &HistoryEvent, timer: &TimerCreatedEvent, chains: &Chains) -> String {
    let id = event.event_id;
    let now = event.timestamp.unwrap_or_default();
    let due = timer.fire_at.unwrap_or_default();
    let delay = between(now, due);
    let called = chains.name_at(index).map_or_else(|| "a call".to_owned(), shown);
    let attempt = chains.attempt(index);
    match timer.timer_origin() {
        Some(TimerOrigin::ExternalEvent { name }) if timer.is_optional() => {
            format!("#{id} timer for event {}, never", shown(&name))
        }
        Some(TimerOrigin::ExternalEvent { name }) => {
            format!("#{id} timer for event {}, in {delay} ({})", shown(&name), written(due))
        }
        Some(TimerOrigin::ActivityRetry { .. }) => format!("#{id} retry of {called}, attempt {attempt} in {delay}"),
        Some(TimerOrigin::ChildWorkflowRetry { .. }) => {
            format!("#{id} retry of child {called}, attempt {attempt} in {delay}")
        }
        Some(TimerOrigin::CreateTimer) | None => {
            let name = timer.name.as_ref().map_or_else(String::new, |name| format!(" {}", shown(name)));
            format!("#{id} timer{name}, in {delay} ({})", written(due))
        }
    }
}

fn payload(text: Option<&StringValue>) -> String {
    shortened(text.map_or("null", |text| &text.value), PAYLOAD_LENGTH)
}

fn result(text: Option<&StringValue>) -> String {
    format!(" -> {}", payload(text))
}

fn failure(details: Option<&TaskFailureDetails>) -> String {
    let Some(details) = details else { return "nobody says why".to_owned() };
    format!("{}: {}", shown(&details.error_type), shown(&details.error_message))
}

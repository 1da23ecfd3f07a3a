//! What to tell when history and code disagree, or when a history makes no sense by itself.

use std::fmt;

use everturn_history::history_event::EventType;
use everturn_history::workflow_action::ActionType;
use everturn_history::{InstanceId, OrchestrationStatus, SequenceId};
use serde::Serialize;
use thiserror::Error;

use crate::mailbox;

/// Why a replay cannot go on.
#[derive(Clone, Debug, Error, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ReplayError {
    /// The code does something else than history recorded.
    #[error(transparent)]
    Mismatch(Box<Mismatch>),
    /// The history is wrong by itself, whatever the code.
    #[error(transparent)]
    InvalidHistory(InvalidHistory),
}

/// The code does something else than history recorded. The instance is not harmed: it goes on with code that fits.
#[derive(Clone, Debug, Error, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Mismatch {
    /// The workflow whose code it is.
    pub workflow: String,
    /// The instance whose history it is.
    pub instance_id: InstanceId,
    /// Which event of the history, counted from 1.
    pub event: u64,
    /// The sequence id at which they part, if they part at one.
    pub sequence_id: Option<SequenceId>,
    /// What the code did when the history was made.
    pub recorded: Behaviour,
    /// What the code does now.
    pub attempted: Behaviour,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { workflow, instance_id, event, recorded, attempted, .. } = self;
        write!(formatter, "workflow \"{workflow}\" no longer fits the history of instance \"{instance_id}\" ")?;
        write!(formatter, "at event {event}")?;
        if let Some(id) = self.sequence_id {
            write!(formatter, " (sequence id {id})")?;
        }
        write!(formatter, "\n  recorded: {recorded}\n  code now: {attempted}\n")?;
        write!(
            formatter,
            "Either the code was changed before this point, or it is not deterministic. Put the change behind \
             `patched`, or keep this instance on the version it ran on."
        )
    }
}

/// What code did at some point, or does now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Behaviour {
    /// It asked for something.
    Called(RecordedCall),
    /// It ended.
    Ended {
        /// How: `completed`, `failed`, `continued as new`, `terminated`.
        status: &'static str,
    },
    /// It took an update.
    TookUpdate {
        /// The name of the update.
        name: String,
    },
    /// It refused an update.
    RefusedUpdate,
    /// It asked for nothing and waited.
    Waited,
}

impl fmt::Display for Behaviour {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Called(call) => call.fmt(formatter),
            Self::Ended { status } => write!(formatter, "the workflow ended: {status}"),
            Self::TookUpdate { name } if name.is_empty() => formatter.write_str("an update was accepted"),
            Self::TookUpdate { name } => write!(formatter, "update \"{name}\" was accepted"),
            Self::RefusedUpdate => formatter.write_str("the update was rejected"),
            Self::Waited => formatter.write_str("nothing: the workflow waits"),
        }
    }
}

/// Something that code asked for: what kind, and its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedCall {
    /// What was asked for.
    pub kind: CallKind,
    /// Of the activity, the workflow, the event or the timer; may be empty.
    pub name: String,
}

impl fmt::Display for RecordedCall {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(formatter)?;
        if self.name.is_empty() { Ok(()) } else { write!(formatter, " \"{}\"", self.name) }
    }
}

/// What code can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum CallKind {
    /// An activity.
    Activity,
    /// A child workflow.
    ChildWorkflow,
    /// A timer.
    Timer,
    /// A wait for an event, with or without limit.
    EventWait,
    /// The delay before another attempt of an activity.
    ActivityRetry,
    /// The delay before another attempt of a child workflow.
    ChildRetry,
    /// A timer from before histories said why timers exist.
    TimerOfUnknownOrigin,
    /// An event to another instance.
    SentEvent,
    /// A workflow that is no child.
    DetachedWorkflow,
    /// The end of the workflow, or anything else that takes no sequence id.
    Other,
}

impl CallKind {
    fn is_timer(self) -> bool {
        matches!(self, Self::Timer | Self::EventWait | Self::ActivityRetry | Self::ChildRetry)
    }
}

impl fmt::Display for CallKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Activity => "activity",
            Self::ChildWorkflow => "child workflow",
            Self::Timer => "timer",
            Self::EventWait => "wait for event",
            Self::ActivityRetry => "retry delay of an activity",
            Self::ChildRetry => "retry delay of a child workflow",
            Self::TimerOfUnknownOrigin => "timer of unknown origin",
            Self::SentEvent => "sent event",
            Self::DetachedWorkflow => "detached workflow",
            Self::Other => "other",
        })
    }
}

/// A call as it stands in an action or in an event, without a copy of its name.
#[derive(Debug)]
pub(crate) struct CallView<'a> {
    kind: CallKind,
    name: &'a str,
    pub(crate) is_optional_timer: bool,
}

/// Views a timer by why it exists. A macro, because actions and events have types of their own for the same origins.
macro_rules! timer_view {
    ($timer:expr, $module:ident) => {{
        use everturn_history::$module::Origin;
        let label = $timer.name.as_deref().unwrap_or_default();
        let (kind, name) = match &$timer.origin {
            None => (CallKind::TimerOfUnknownOrigin, label),
            Some(Origin::CreateTimer(_)) => (CallKind::Timer, label),
            Some(Origin::ExternalEvent(event)) => (CallKind::EventWait, event.name.as_str()),
            Some(Origin::ActivityRetry(_)) => (CallKind::ActivityRetry, label),
            Some(Origin::ChildWorkflowRetry(_)) => (CallKind::ChildRetry, label),
        };
        Self { kind, name, is_optional_timer: $timer.is_optional() }
    }};
}

impl<'a> CallView<'a> {
    fn named(kind: CallKind, name: &'a str) -> Self {
        Self { kind, name, is_optional_timer: false }
    }

    pub(crate) fn of_action(action: &'a ActionType) -> Self {
        match action {
            ActionType::ScheduleTask(task) => Self::named(CallKind::Activity, &task.name),
            ActionType::CreateChildWorkflow(child) => Self::named(CallKind::ChildWorkflow, &child.name),
            ActionType::CreateDetachedWorkflow(start) => Self::named(CallKind::DetachedWorkflow, &start.name),
            ActionType::SendEvent(sent) => Self::named(CallKind::SentEvent, &sent.name),
            ActionType::CreateTimer(timer) => timer_view!(timer, create_timer_action),
            _ => Self::named(CallKind::Other, ""),
        }
    }

    /// None for an event that is not the record of an action.
    pub(crate) fn of_event(event: &'a EventType) -> Option<Self> {
        Some(match event {
            EventType::TaskScheduled(task) => Self::named(CallKind::Activity, &task.name),
            EventType::ChildWorkflowInstanceCreated(child) => Self::named(CallKind::ChildWorkflow, &child.name),
            EventType::DetachedWorkflowInstanceCreated(start) => Self::named(CallKind::DetachedWorkflow, &start.name),
            EventType::EventSent(sent) => Self::named(CallKind::SentEvent, &sent.name),
            EventType::TimerCreated(timer) => timer_view!(timer, timer_created_event),
            _ => return None,
        })
    }

    /// Whether this call of the code is the one that history recorded.
    pub(crate) fn matches(&self, recorded: &CallView<'_>) -> bool {
        if recorded.kind == CallKind::TimerOfUnknownOrigin {
            return self.kind.is_timer();
        }
        // A wait that got a limit, or lost it, is another wait: its timer must come into being, or go.
        let same_limit = self.is_optional_timer == recorded.is_optional_timer;
        self.kind == recorded.kind && same_limit && self.name_matches(recorded.name)
    }

    fn name_matches(&self, recorded: &str) -> bool {
        match self.kind {
            CallKind::EventWait => mailbox::key(self.name) == mailbox::key(recorded),
            // The id of the call is history's to choose.
            CallKind::ActivityRetry | CallKind::ChildRetry => true,
            // A label may come or go, and other writers record no name for a detached start.
            CallKind::Timer | CallKind::DetachedWorkflow if self.name.is_empty() || recorded.is_empty() => true,
            _ => self.name == recorded,
        }
    }

    pub(crate) fn behaviour(&self) -> Behaviour {
        Behaviour::Called(RecordedCall { kind: self.kind, name: self.name.to_owned() })
    }
}

/// A history that is wrong by itself, whatever the code.
#[derive(Clone, Debug, Error, PartialEq, Eq, Serialize)]
#[error("event {event} of the history is wrong: {problem}")]
#[serde(rename_all = "camelCase")]
pub struct InvalidHistory {
    /// Which event, counted from 1.
    pub event: u64,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with an event.
#[derive(Clone, Debug, Error, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Problem {
    /// It has no kind.
    #[error("it does not say what happened")]
    NoKind,
    /// It comes before the start.
    #[error("it comes before the execution started; a history begins with workflowStarted and executionStarted")]
    BeforeStart,
    /// It is a second start.
    #[error("the execution has started already")]
    StartedTwice,
    /// Its start does not say which instance or which workflow.
    #[error("the start names no {missing}")]
    IncompleteStart {
        /// What is missing.
        missing: &'static str,
    },
    /// Its sequence id was recorded before.
    #[error("sequence id {id} was recorded before")]
    RecordedTwice {
        /// Which one.
        id: SequenceId,
    },
    /// It records an action without saying which.
    #[error("it records something that the workflow asked for, and its eventId {id} is no sequence id")]
    NoSequenceId {
        /// What it says.
        id: SequenceId,
    },
}

/// How an execution ended, in words.
pub fn status_name(status: OrchestrationStatus) -> &'static str {
    match status {
        OrchestrationStatus::Completed => "completed",
        OrchestrationStatus::ContinuedAsNew => "continued as new",
        OrchestrationStatus::Failed => "failed",
        OrchestrationStatus::Terminated => "terminated",
        OrchestrationStatus::Canceled => "cancelled",
        _ => "not ended",
    }
}

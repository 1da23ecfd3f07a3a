//! What an instance has asked for and has no answer to, as far as history knows: not the signals that its handlers take.

use std::collections::BTreeMap;
use std::time::SystemTime;

use everturn_history::history_event::EventType;
use everturn_history::workflow_action::ActionType;
use everturn_history::{CreateTimerAction, HistoryEvent, SequenceId, TimerOrigin};
use everturn_replay::Turn;

use crate::time::Time;

/// A timer that has not fired, and that somebody still waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PendingTimer {
    /// When it fires.
    pub fire_at: SystemTime,
    /// Why it is there.
    pub purpose: TimerPurpose,
}

/// Why a timer is there.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TimerPurpose {
    /// The workflow sleeps, under this label if it gave one.
    Sleep(Option<String>),
    /// It limits the wait for an event of this name.
    EventTimeout(String),
    /// An activity or a child is tried again then.
    Retry,
}

/// Something that was asked for.
#[derive(Clone, Debug)]
pub(crate) enum Pending {
    Timer(PendingTimer),
    /// A wait for an event without limit.
    Event(String),
    Activity(String),
    Child {
        workflow: String,
        id: String,
    },
}

impl Pending {
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Timer(timer) => {
                let at = Time::from(timer.fire_at);
                match &timer.purpose {
                    TimerPurpose::Sleep(None) => format!("a timer until {at}"),
                    TimerPurpose::Sleep(Some(name)) => format!("timer `{name}` until {at}"),
                    TimerPurpose::EventTimeout(name) => format!("event `{name}` until {at}"),
                    TimerPurpose::Retry => format!("another attempt at {at}"),
                }
            }
            Self::Event(name) => format!("event `{name}`, without limit"),
            Self::Activity(name) => format!("activity `{name}`, which does not answer"),
            Self::Child { workflow, id } => format!("child `{workflow}`, instance `{id}`"),
        }
    }
}

/// All that an instance waits for, by its number.
#[derive(Debug, Default)]
pub(crate) struct PendingCalls(BTreeMap<SequenceId, Pending>);

impl PendingCalls {
    /// Takes in what a turn was told and what it asks for.
    pub(crate) fn record(&mut self, heard: &[HistoryEvent], turn: &Turn) {
        heard.iter().filter_map(answered).for_each(|id| drop(self.0.remove(&id)));
        for action in &turn.actions {
            let pending = match &action.action_type {
                Some(ActionType::ScheduleTask(task)) => Pending::Activity(task.name.clone()),
                Some(ActionType::CreateTimer(timer)) => of_timer(timer),
                Some(ActionType::CreateChildWorkflow(child)) => {
                    Pending::Child { workflow: child.name.clone(), id: child.instance_id.clone() }
                }
                _ => continue,
            };
            self.0.insert(SequenceId::new(action.id), pending);
        }
        turn.cancelled.iter().for_each(|id| drop(self.0.remove(id)));
    }

    pub(crate) fn contains(&self, id: SequenceId) -> bool {
        self.0.contains_key(&id)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Pending> {
        self.0.values()
    }
}

fn of_timer(timer: &CreateTimerAction) -> Pending {
    let purpose = match timer.timer_origin() {
        Some(TimerOrigin::ExternalEvent { name }) if timer.is_optional() => return Pending::Event(name),
        Some(TimerOrigin::ExternalEvent { name }) => TimerPurpose::EventTimeout(name),
        Some(TimerOrigin::ActivityRetry { .. } | TimerOrigin::ChildWorkflowRetry { .. }) => TimerPurpose::Retry,
        Some(TimerOrigin::CreateTimer) | None => TimerPurpose::Sleep(timer.name.clone()),
    };
    let fire_at = Time::from(timer.fire_at.unwrap_or_default()).system_time();
    Pending::Timer(PendingTimer { fire_at, purpose })
}

/// The number of what an event answers.
fn answered(event: &HistoryEvent) -> Option<SequenceId> {
    let id = match event.event_type.as_ref()? {
        EventType::TimerFired(fired) => fired.timer_id,
        EventType::TaskCompleted(done) => done.task_scheduled_id,
        EventType::TaskFailed(done) => done.task_scheduled_id,
        EventType::ChildWorkflowInstanceCompleted(done) => done.task_scheduled_id,
        EventType::ChildWorkflowInstanceFailed(done) => done.task_scheduled_id,
        _ => return None,
    };
    Some(SequenceId::new(id))
}

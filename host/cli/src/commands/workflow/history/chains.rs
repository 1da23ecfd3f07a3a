//! Which events belong to one call: its attempts, their answers, and the timers between them.

use std::collections::BTreeMap;

use everturn_history::history_event::EventType;
use everturn_history::{HistoryEvent, TimerOrigin};

/// A call of an activity or a child, over all its attempts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Call {
    /// By its task execution id.
    Activity(String),
    /// By the instance of its first attempt.
    Child(String),
}

/// What is known of a call.
#[derive(Debug, Default)]
struct Known {
    /// The name of the activity or workflow.
    name: String,
    /// Its events, by index.
    members: Vec<usize>,
    /// How often it was tried.
    attempts: usize,
    /// Whether it was to be tried again.
    retried: bool,
}

/// The calls of a history.
#[derive(Debug, Default)]
pub(super) struct Chains {
    calls: BTreeMap<Call, Known>,
    /// The call that each event belongs to.
    by_index: Vec<Option<Call>>,
    /// The call that each sequence id belongs to.
    by_id: BTreeMap<i32, Call>,
    /// Which attempt an event begins or waits for.
    attempts: BTreeMap<usize, usize>,
}

impl Chains {
    pub(super) fn of(events: &[HistoryEvent]) -> Self {
        let mut chains = Self::default();
        for (index, event) in events.iter().enumerate() {
            let call = chains.call_of(index, event);
            if let Some(call) = &call {
                chains.calls.entry(call.clone()).or_default().members.push(index);
            }
            chains.by_index.push(call);
        }
        chains
    }

    /// The other events of the call that this event begins, if it was tried again.
    pub(super) fn begun_by(&self, index: usize) -> Option<&[usize]> {
        self.known_at(index).filter(|known| known.retried)?.members.strip_prefix(&[index])
    }

    /// Whether this event belongs to a call that was tried again, and does not begin it.
    pub(super) fn follows(&self, index: usize) -> bool {
        self.known_at(index).is_some_and(|known| known.retried && known.members.first() != Some(&index))
    }

    /// The name of what this sequence id called.
    pub(super) fn name(&self, id: i32) -> Option<&str> {
        self.by_id.get(&id).and_then(|call| self.calls.get(call)).map(|known| known.name.as_str())
    }

    /// The name of what this event belongs to.
    pub(super) fn name_at(&self, index: usize) -> Option<&str> {
        self.known_at(index).map(|known| known.name.as_str()).filter(|name| !name.is_empty())
    }

    /// Which attempt this event begins or waits for, from 1.
    pub(super) fn attempt(&self, index: usize) -> usize {
        self.attempts.get(&index).copied().unwrap_or(1)
    }

    fn known_at(&self, index: usize) -> Option<&Known> {
        self.calls.get(self.by_index.get(index)?.as_ref()?)
    }

    fn call_of(&mut self, index: usize, event: &HistoryEvent) -> Option<Call> {
        match event.event_type.as_ref()? {
            EventType::TaskScheduled(task) if !task.task_execution_id.is_empty() => {
                let call = Call::Activity(task.task_execution_id.clone());
                Some(self.attempted(index, event.event_id, call, &task.name))
            }
            EventType::ChildWorkflowInstanceCreated(child) => {
                let first = child.retry_parent_instance_info.as_ref().map(|parent| parent.instance_id.clone());
                let call = Call::Child(first.unwrap_or_else(|| child.instance_id.clone()));
                Some(self.attempted(index, event.event_id, call, &child.name))
            }
            // Without an id that tells calls apart, it still has a name.
            EventType::TaskScheduled(task) => {
                let call = Call::Activity(format!("#{}", event.event_id));
                Some(self.attempted(index, event.event_id, call, &task.name))
            }
            EventType::TimerCreated(timer) => {
                let call = match timer.timer_origin()? {
                    TimerOrigin::ActivityRetry { task_execution_id } => Call::Activity(task_execution_id),
                    TimerOrigin::ChildWorkflowRetry { instance_id } => Call::Child(instance_id),
                    TimerOrigin::CreateTimer | TimerOrigin::ExternalEvent { .. } => return None,
                };
                let known = self.calls.entry(call.clone()).or_default();
                known.retried = true;
                self.attempts.insert(index, known.attempts + 1);
                self.by_id.insert(event.event_id, call.clone());
                Some(call)
            }
            EventType::TimerFired(timer) => self.known(timer.timer_id),
            EventType::TaskCompleted(task) => self.known(task.task_scheduled_id),
            EventType::TaskFailed(task) => self.known(task.task_scheduled_id),
            EventType::ChildWorkflowInstanceCompleted(child) => self.known(child.task_scheduled_id),
            EventType::ChildWorkflowInstanceFailed(child) => self.known(child.task_scheduled_id),
            _ => None,
        }
    }

    fn known(&self, id: i32) -> Option<Call> {
        self.by_id.get(&id).cloned()
    }

    fn attempted(&mut self, index: usize, id: i32, call: Call, name: &str) -> Call {
        let known = self.calls.entry(call.clone()).or_default();
        name.clone_into(&mut known.name);
        known.attempts += 1;
        known.retried |= known.attempts > 1;
        self.attempts.insert(index, known.attempts);
        self.by_id.insert(id, call.clone());
        call
    }
}

//! Why a timer exists. The protocol numbers the variants differently in actions and in events; here they are one type.

use crate::{
    CreateTimerAction, NEVER, TimerCreatedEvent, TimerOriginActivityRetry, TimerOriginChildWorkflowRetry,
    TimerOriginCreateTimer, TimerOriginExternalEvent, create_timer_action, timer_created_event,
};

/// Why a timer exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimerOrigin {
    /// The workflow asked for a timer.
    CreateTimer,
    /// It limits the wait for an event of this name.
    ExternalEvent {
        /// The name of the event, as the workflow spelt it.
        name: String,
    },
    /// It delays the next attempt of an activity.
    ActivityRetry {
        /// The logical call, the same for all its attempts.
        task_execution_id: String,
    },
    /// It delays the next attempt of a child workflow.
    ChildWorkflowRetry {
        /// The instance of the first attempt, the same for all of them.
        instance_id: String,
    },
}

impl CreateTimerAction {
    /// Why this timer is created. None where its writer did not say.
    pub fn timer_origin(&self) -> Option<TimerOrigin> {
        use create_timer_action::Origin;
        Some(match self.origin.as_ref()? {
            Origin::CreateTimer(_) => TimerOrigin::CreateTimer,
            Origin::ExternalEvent(event) => TimerOrigin::ExternalEvent { name: event.name.clone() },
            Origin::ActivityRetry(retry) => {
                TimerOrigin::ActivityRetry { task_execution_id: retry.task_execution_id.clone() }
            }
            Origin::ChildWorkflowRetry(retry) => {
                TimerOrigin::ChildWorkflowRetry { instance_id: retry.instance_id.clone() }
            }
        })
    }

    /// Whether this timer stands for a wait without limit: it never fires, and old histories lack it.
    pub fn is_optional(&self) -> bool {
        matches!(self.origin, Some(create_timer_action::Origin::ExternalEvent(_))) && self.fire_at == Some(NEVER)
    }
}

impl TimerCreatedEvent {
    /// Why this timer was created. None where its writer did not say.
    pub fn timer_origin(&self) -> Option<TimerOrigin> {
        use timer_created_event::Origin;
        Some(match self.origin.as_ref()? {
            Origin::CreateTimer(_) => TimerOrigin::CreateTimer,
            Origin::ExternalEvent(event) => TimerOrigin::ExternalEvent { name: event.name.clone() },
            Origin::ActivityRetry(retry) => {
                TimerOrigin::ActivityRetry { task_execution_id: retry.task_execution_id.clone() }
            }
            Origin::ChildWorkflowRetry(retry) => {
                TimerOrigin::ChildWorkflowRetry { instance_id: retry.instance_id.clone() }
            }
        })
    }

    /// Whether this timer stands for a wait without limit: it never fires, and old histories lack it.
    pub fn is_optional(&self) -> bool {
        matches!(self.origin, Some(timer_created_event::Origin::ExternalEvent(_))) && self.fire_at == Some(NEVER)
    }
}

impl From<TimerOrigin> for create_timer_action::Origin {
    fn from(origin: TimerOrigin) -> Self {
        match origin {
            TimerOrigin::CreateTimer => Self::CreateTimer(TimerOriginCreateTimer {}),
            TimerOrigin::ExternalEvent { name } => Self::ExternalEvent(TimerOriginExternalEvent { name }),
            TimerOrigin::ActivityRetry { task_execution_id } => {
                Self::ActivityRetry(TimerOriginActivityRetry { task_execution_id })
            }
            TimerOrigin::ChildWorkflowRetry { instance_id } => {
                Self::ChildWorkflowRetry(TimerOriginChildWorkflowRetry { instance_id })
            }
        }
    }
}

impl From<TimerOrigin> for timer_created_event::Origin {
    fn from(origin: TimerOrigin) -> Self {
        match origin {
            TimerOrigin::CreateTimer => Self::CreateTimer(TimerOriginCreateTimer {}),
            TimerOrigin::ExternalEvent { name } => Self::ExternalEvent(TimerOriginExternalEvent { name }),
            TimerOrigin::ActivityRetry { task_execution_id } => {
                Self::ActivityRetry(TimerOriginActivityRetry { task_execution_id })
            }
            TimerOrigin::ChildWorkflowRetry { instance_id } => {
                Self::ChildWorkflowRetry(TimerOriginChildWorkflowRetry { instance_id })
            }
        }
    }
}

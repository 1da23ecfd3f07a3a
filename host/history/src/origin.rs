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

/// Actions and events number their origins differently, so each has types of its own for the same four variants.
macro_rules! has_timer_origin {
    ($timer:ident, $module:ident) => {
        impl $timer {
            /// Why this timer exists. None where its writer did not say.
            pub fn timer_origin(&self) -> Option<TimerOrigin> {
                use $module::Origin;
                Some(match self.origin.clone()? {
                    Origin::CreateTimer(_) => TimerOrigin::CreateTimer,
                    Origin::ExternalEvent(TimerOriginExternalEvent { name }) => TimerOrigin::ExternalEvent { name },
                    Origin::ActivityRetry(TimerOriginActivityRetry { task_execution_id }) => {
                        TimerOrigin::ActivityRetry { task_execution_id }
                    }
                    Origin::ChildWorkflowRetry(TimerOriginChildWorkflowRetry { instance_id }) => {
                        TimerOrigin::ChildWorkflowRetry { instance_id }
                    }
                })
            }

            /// Whether this timer stands for a wait without limit: it never fires, and old histories lack it.
            pub fn is_optional(&self) -> bool {
                matches!(self.origin, Some($module::Origin::ExternalEvent(_))) && self.fire_at == Some(NEVER)
            }
        }

        impl From<TimerOrigin> for $module::Origin {
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
    };
}

has_timer_origin!(CreateTimerAction, create_timer_action);
has_timer_origin!(TimerCreatedEvent, timer_created_event);

//! One logical call of an activity or a child workflow, over all its attempts.

use std::time::Duration;

use everturn_history::workflow_action::ActionType;
use everturn_history::{
    ActivityTimeouts, CreateChildWorkflowAction, Duration as ProtoDuration, InstanceId, ParentClosePolicy,
    RetryParentInstanceInfo, ScheduleTaskAction, TaskRouter, TimerOrigin, Timestamp, text,
};

use crate::{ActivityOptions, ChildOptions, Failure, RetryPolicy};

/// An activity or child that the guest waits for, and how often it was tried.
#[derive(Debug)]
pub(crate) struct Call {
    callee: Callee,
    name: String,
    /// Empty after the last attempt that may be made was scheduled: nobody needs it then.
    input: String,
    version: Option<String>,
    target_app_id: Option<String>,
    retry: Option<RetryPolicy>,
    attempt: u32,
    first_attempt_at: Timestamp,
    /// Whether the last attempt failed and the next one is not scheduled yet.
    delayed: bool,
    last_delay: Option<Duration>,
}

#[derive(Debug)]
enum Callee {
    Activity { task_execution_id: String, timeouts: Option<ActivityTimeouts> },
    Child { first_instance_id: InstanceId, parent_close: ParentClosePolicy },
}

impl Call {
    pub(crate) fn activity(
        name: String,
        input: String,
        options: ActivityOptions,
        task_execution_id: String,
        now: Timestamp,
    ) -> Self {
        let timeouts = ActivityTimeouts {
            start_to_close: options.start_to_close.map(proto_duration),
            schedule_to_close: options.schedule_to_close.map(proto_duration),
            heartbeat: options.heartbeat.map(proto_duration),
        };
        let timeouts = (timeouts != ActivityTimeouts::default()).then_some(timeouts);
        Self {
            version: options.version,
            target_app_id: options.target_app_id,
            retry: options.retry,
            ..Self::new(Callee::Activity { task_execution_id, timeouts }, name, input, now)
        }
    }

    pub(crate) fn child(
        name: String,
        input: String,
        options: ChildOptions,
        first_instance_id: InstanceId,
        now: Timestamp,
    ) -> Self {
        Self {
            version: options.version,
            target_app_id: options.target_app_id,
            retry: options.retry,
            ..Self::new(Callee::Child { first_instance_id, parent_close: options.parent_close }, name, input, now)
        }
    }

    fn new(callee: Callee, name: String, input: String, now: Timestamp) -> Self {
        Self {
            callee,
            name,
            input,
            version: None,
            target_app_id: None,
            retry: None,
            attempt: 0,
            first_attempt_at: now,
            delayed: false,
            last_delay: None,
        }
    }

    /// Counts the next attempt and says what schedules it. The mark tells children from those of before a reset.
    pub(crate) fn next_attempt(&mut self, mark: &str) -> ActionType {
        self.attempt += 1;
        self.delayed = false;
        let input = if self.retry.is_some() { self.input.clone() } else { std::mem::take(&mut self.input) };
        let (name, version, input) = (self.name.clone(), self.version.clone().map(text), Some(text(input)));
        match &self.callee {
            Callee::Activity { task_execution_id, timeouts } => ActionType::ScheduleTask(ScheduleTaskAction {
                name,
                version,
                input,
                task_execution_id: task_execution_id.clone(),
                timeouts: *timeouts,
                attempt: self.attempt,
                ..ScheduleTaskAction::default()
            }),
            Callee::Child { first_instance_id, parent_close } => {
                let retry_of =
                    (self.attempt > 1).then(|| RetryParentInstanceInfo { instance_id: first_instance_id.to_string() });
                ActionType::CreateChildWorkflow(CreateChildWorkflowAction {
                    instance_id: self.child_instance_id(first_instance_id, mark),
                    name,
                    version,
                    input,
                    retry_parent_instance_info: retry_of,
                    parent_close_policy: (*parent_close).into(),
                    ..CreateChildWorkflowAction::default()
                })
            }
        }
    }

    /// Where the call is sent, if the guest said so.
    pub(crate) fn router(&self) -> Option<TaskRouter> {
        router(self.target_app_id.clone())
    }

    /// The delay before the next attempt: when it ends, and why there is a timer. None: the failure is final.
    pub(crate) fn delay_next_attempt(&mut self, failure: &Failure, now: Timestamp) -> Option<(Timestamp, TimerOrigin)> {
        let policy = self.retry.as_ref()?;
        let delay = policy.next_delay(self.last_delay);
        let at = policy.next_attempt_at(self.attempt, delay, failure, self.first_attempt_at, now)?;
        self.delayed = true;
        self.last_delay = Some(delay);
        let origin = match &self.callee {
            Callee::Activity { task_execution_id, .. } => {
                TimerOrigin::ActivityRetry { task_execution_id: task_execution_id.clone() }
            }
            Callee::Child { first_instance_id, .. } => {
                TimerOrigin::ChildWorkflowRetry { instance_id: first_instance_id.to_string() }
            }
        };
        Some((at, origin))
    }

    /// Whether it waits for its retry timer.
    pub(crate) fn is_delayed(&self) -> bool {
        self.delayed
    }

    /// Whether it waits for this activity. Who answers without saying for which call is trusted.
    pub(crate) fn awaits_activity(&self, answered: &str) -> bool {
        match &self.callee {
            Callee::Activity { task_execution_id, .. } => {
                !self.delayed && (answered.is_empty() || task_execution_id.is_empty() || answered == task_execution_id)
            }
            Callee::Child { .. } => false,
        }
    }

    /// Whether it waits for a child workflow.
    pub(crate) fn awaits_child(&self) -> bool {
        !self.delayed && matches!(self.callee, Callee::Child { .. })
    }

    /// History knows this call under another id than this code would have chosen: history is right.
    pub(crate) fn adopt_recorded_id(&mut self, recorded: &str) {
        match &mut self.callee {
            Callee::Activity { task_execution_id, .. } if !recorded.is_empty() => {
                recorded.clone_into(task_execution_id);
            }
            Callee::Child { first_instance_id, .. } if self.attempt == 1 && !recorded.is_empty() => {
                *first_instance_id = recorded.into();
            }
            _ => {}
        }
    }

    /// Each attempt is an instance of its own: the id of the first one may not be used again.
    fn child_instance_id(&self, first: &InstanceId, mark: &str) -> String {
        match self.attempt {
            1 => first.to_string(),
            attempt if first.as_str().ends_with(mark) => format!("{first}:retry-{attempt}"),
            attempt => format!("{first}:retry-{attempt}{mark}"),
        }
    }
}

/// Sends an action to another application's workers.
pub(crate) fn router(target_app_id: Option<String>) -> Option<TaskRouter> {
    target_app_id.map(|target| TaskRouter {
        source_app_id: String::new(),
        target_app_id: Some(target),
        target_app_namespace: None,
    })
}

fn proto_duration(duration: Duration) -> ProtoDuration {
    ProtoDuration {
        seconds: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        nanos: i32::try_from(duration.subsec_nanos()).unwrap_or(0),
    }
}

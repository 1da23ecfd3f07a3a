//! A task as a worker gets it.

use everturn_activity::Call;
use everturn_history::{InstanceId, SequenceId, TaskScheduledEvent};
use everturn_store::{Instance, InstanceKey, NewTask, Task, TaskKey, Token};

use super::worker::ActivityTask;

/// A task that is on disk.
#[derive(Debug)]
pub(crate) struct Assignment {
    pub(crate) key: TaskKey,
    pub(crate) instance: InstanceKey,
    pub(super) instance_id: InstanceId,
    pub(super) execution_id: String,
    pub(super) workflow: String,
    /// Whether remote workers take the turns of its instance.
    pub(super) remote: bool,
    generation: u32,
    pub(crate) task: SequenceId,
    pub(crate) scheduled: TaskScheduledEvent,
    dispatch: u32,
}

impl Assignment {
    /// A task that was just written, for the first time given out.
    pub(crate) fn new(instance: &Instance, key: TaskKey, task: NewTask) -> Self {
        Self {
            key,
            instance: instance.key,
            instance_id: instance.id.clone(),
            execution_id: instance.execution_id.clone(),
            workflow: instance.workflow.clone(),
            remote: instance.deployment.is_none(),
            generation: instance.generation,
            task: task.task,
            scheduled: task.scheduled,
            dispatch: 1,
        }
    }

    /// What the activity is told.
    pub(crate) fn call(&self) -> Call {
        let input = self.scheduled.input.as_ref().map_or_else(|| "null".to_owned(), |input| input.value.clone());
        Call {
            activity: self.scheduled.name.clone(),
            input,
            instance_id: self.instance_id.clone(),
            workflow: self.workflow.clone(),
            task_id: self.task,
            generation: self.generation,
            task_execution_id: self.scheduled.task_execution_id.clone(),
            attempt: self.scheduled.attempt.max(1),
            dispatch: self.dispatch,
        }
    }
}

impl Assignment {
    /// What a worker outside of this process is told.
    pub(super) fn task(&self, token: Token) -> ActivityTask {
        ActivityTask {
            call: self.call(),
            token,
            execution_id: self.execution_id.clone(),
            scheduled: self.scheduled.clone(),
            propagated: None,
        }
    }
}

impl From<Task> for Assignment {
    fn from(task: Task) -> Self {
        Self {
            key: task.key,
            instance: task.instance,
            instance_id: task.instance_id,
            execution_id: task.execution_id,
            workflow: task.workflow,
            remote: task.remote,
            generation: task.generation,
            task: task.task,
            scheduled: task.scheduled,
            dispatch: task.dispatches,
        }
    }
}

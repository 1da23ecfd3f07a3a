//! What an instance has open.

use everturn_store::{OpenWork, Task};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Moment, moment};

/// What an instance has open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Pending {
    /// Messages that wait for it, timers included.
    pub messages: u64,
    /// Activities without an answer.
    pub activities: Vec<Activity>,
}

/// An activity without an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Activity {
    /// Its name.
    pub name: String,
    /// Its number in the instance's history.
    pub task_id: i32,
    /// Counts the attempts of this call, from 1.
    pub attempt: u32,
    /// How often this attempt was given to a worker.
    pub dispatches: u32,
    /// Names the call, the same for all attempts.
    pub task_execution_id: String,
    /// Whether somebody works on it.
    pub state: ActivityState,
    /// When it was asked for.
    #[schema(value_type = String, format = DateTime)]
    pub scheduled_at: Moment,
}

/// Whether somebody works on an activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ActivityState {
    /// It waits for a worker.
    Waiting,
    /// A worker has it.
    Running,
}

impl From<OpenWork> for Pending {
    fn from(open: OpenWork) -> Self {
        Self { messages: open.messages, activities: open.tasks.into_iter().map(Activity::from).collect() }
    }
}

impl From<Task> for Activity {
    fn from(task: Task) -> Self {
        Self {
            name: task.scheduled.name,
            task_id: task.task.get(),
            // Histories of other writers do not count.
            attempt: task.scheduled.attempt.max(1),
            dispatches: task.dispatches,
            task_execution_id: task.scheduled.task_execution_id,
            state: if task.lease.is_some() { ActivityState::Running } else { ActivityState::Waiting },
            scheduled_at: moment(task.at),
        }
    }
}

//! What is asked of an activity and what it answers, whatever kind of activity it is.

use everturn_history::{InstanceId, SequenceId};
use everturn_replay::Failure;

/// One dispatch of one attempt of a call of an activity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The name of the activity.
    pub activity: String,
    /// Its input, as JSON text.
    pub input: String,
    /// The instance whose workflow called it.
    pub instance_id: InstanceId,
    /// The name of that workflow.
    pub workflow: String,
    /// The sequence id of the call.
    pub task_id: SequenceId,
    /// The generation of the instance that called it.
    pub generation: u32,
    /// Names the logical call: the same for all its attempts and dispatches.
    pub task_execution_id: String,
    /// Which attempt this is, from 1.
    pub attempt: u32,
    /// How often this attempt has been handed to a worker, from 1.
    pub dispatch: u32,
}

impl Call {
    /// The id of the activity: `{instance}::{task id}::{generation}`.
    pub fn id(&self) -> String {
        format!("{}::{}::{}", self.instance_id, self.task_id, self.generation)
    }
}

/// What came of a call: the result as JSON text, or why there is none.
pub type Outcome = Result<String, Failure>;

/// Told by an activity that it is alive.
pub trait Heartbeat: Send + Sync {
    /// Takes how far the activity is, as JSON text, and answers whether its result is still wanted. Called from within
    /// the activity: it must not block.
    fn beat(&self, details: Option<String>) -> bool;
}

/// Nobody listens, and every result is wanted.
impl Heartbeat for () {
    fn beat(&self, _: Option<String>) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_activity_is_named_by_instance_task_and_generation() {
        let call = Call {
            activity: "charge".to_owned(),
            input: "null".to_owned(),
            instance_id: "order-7".into(),
            workflow: "place_order".to_owned(),
            task_id: SequenceId::new(3),
            generation: 2,
            task_execution_id: "call".to_owned(),
            attempt: 1,
            dispatch: 1,
        };
        assert_eq!(call.id(), "order-7::3::2");
    }
}

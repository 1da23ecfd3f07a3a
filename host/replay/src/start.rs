//! What an execution was started with.

use std::collections::BTreeMap;

use everturn_history::{ExecutionStartedEvent, InstanceId, Timestamp, WorkflowInstance};

/// What an execution was started with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The instance.
    pub instance_id: InstanceId,
    /// Which of the runs of that instance; may be empty.
    pub execution_id: String,
    /// The name of the workflow.
    pub workflow: String,
    /// The version label, if one was asked for.
    pub version: Option<String>,
    /// How often the instance has restarted itself.
    pub generation: u32,
    /// The input: JSON text, `null` where there was none.
    pub input: String,
    /// The time of the first turn.
    pub started_at: Timestamp,
    /// Who called it as a child.
    pub parent: Option<Parent>,
    /// Labels.
    pub tags: BTreeMap<String, String>,
    /// Whose random stream it has, if not its own: instance id and execution id.
    pub(crate) randomness: Option<(InstanceId, String)>,
}

/// The instance that called another as a child.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parent {
    /// Its id.
    pub instance_id: InstanceId,
    /// The name of its workflow; empty where its host did not say.
    pub workflow: String,
}

impl Start {
    pub(crate) fn new(event: ExecutionStartedEvent, started_at: Timestamp) -> Self {
        let parent = event.parent_instance.map(|parent| Parent {
            instance_id: parent.workflow_instance.map(|instance| instance.instance_id).unwrap_or_default().into(),
            workflow: parent.name.map(|name| name.value).unwrap_or_default(),
        });
        let named = |instance: WorkflowInstance| {
            (instance.instance_id.into(), instance.execution_id.map(|id| id.value).unwrap_or_default())
        };
        let (instance_id, execution_id) = named(event.workflow_instance.unwrap_or_default());
        Self {
            instance_id,
            execution_id,
            workflow: event.name,
            // Some clients send an empty version where they mean none.
            version: event.version.map(|version| version.value).filter(|version| !version.is_empty()),
            generation: event.generation,
            input: event.input.map_or_else(|| "null".to_owned(), |input| input.value),
            started_at,
            parent,
            tags: event.tags,
            randomness: event.randomness.map(named),
        }
    }
}

//! A child as a new instance: the same whether its parent calls it for the first time or is run again.

use std::collections::BTreeMap;

use everturn_history::history_event::EventType;
use everturn_history::{
    ExecutionStartedEvent, InstanceId, ParentClosePolicy, ParentInstanceInfo, SequenceId, StringValue, TraceContext,
    WorkflowInstance, event, text,
};
use everturn_store::{Beginning, DeploymentId, IfExists, NewInstance, ParentLink, Time};

use crate::identity;

/// Who calls a child.
pub(crate) struct Caller<'a> {
    pub(crate) id: &'a InstanceId,
    pub(crate) execution_id: &'a str,
    pub(crate) workflow: &'a str,
    /// What the child is labelled with.
    pub(crate) tags: &'a BTreeMap<String, String>,
    /// The trace that the child belongs to.
    pub(crate) trace: Option<&'a TraceContext>,
}

/// What it calls.
pub(crate) struct Called<'a> {
    pub(crate) task: SequenceId,
    pub(crate) instance_id: &'a str,
    pub(crate) workflow: &'a str,
    pub(crate) version: Option<&'a StringValue>,
    pub(crate) input: Option<&'a StringValue>,
    pub(crate) close: ParentClosePolicy,
}

/// The child, to be made at this time.
pub(crate) fn new_child(
    caller: &Caller<'_>,
    called: &Called<'_>,
    deployment: Option<DeploymentId>,
    at: Time,
    if_exists: IfExists,
) -> NewInstance {
    let execution_id = identity::execution_id();
    let start = ExecutionStartedEvent {
        name: called.workflow.to_owned(),
        version: called.version.cloned(),
        input: called.input.cloned(),
        workflow_instance: Some(named(called.instance_id, &execution_id)),
        parent_instance: Some(ParentInstanceInfo {
            task_scheduled_id: called.task.get(),
            name: Some(text(caller.workflow)),
            workflow_instance: Some(named(caller.id.as_str(), caller.execution_id)),
            ..ParentInstanceInfo::default()
        }),
        parent_trace_context: caller.trace.cloned(),
        tags: caller.tags.clone(),
        ..ExecutionStartedEvent::default()
    };
    NewInstance {
        id: called.instance_id.into(),
        workflow: called.workflow.to_owned(),
        version: called.version.map(|version| version.value.clone()),
        deployment,
        execution_id,
        created_at: at,
        starts_at: at,
        parent: Some(ParentLink {
            instance: caller.id.clone(),
            execution_id: caller.execution_id.to_owned(),
            task: called.task,
            close: called.close,
        }),
        tags: caller.tags.clone(),
        beginning: Beginning::Start(event::event(at.to_timestamp(), EventType::ExecutionStarted(Box::new(start)))),
        if_exists,
    }
}

/// One run of an instance.
pub(crate) fn named(instance_id: &str, execution_id: &str) -> WorkflowInstance {
    WorkflowInstance { instance_id: instance_id.to_owned(), execution_id: Some(text(execution_id)) }
}

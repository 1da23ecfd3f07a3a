//! An instance as clients see it.

use std::collections::BTreeMap;

use everturn_history::ParentClosePolicy;
use everturn_runtime::InstanceView;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::payload::given;
use super::{InstanceStatus, Moment, Payload, Pending, moment, payload};

/// An instance.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Instance {
    /// Its id.
    pub id: String,
    /// The name of its workflow.
    pub workflow: String,
    /// The version that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The version that it runs on. Not in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deployment: Option<String>,
    /// How it stands.
    pub status: InstanceStatus,
    /// Why it is stalled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stalled: Option<String>,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Moment,
    /// When its first turn may be.
    #[schema(value_type = String, format = DateTime)]
    pub starts_at: Moment,
    /// When it last changed.
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Moment,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub ended_at: Option<Moment>,
    /// The status that the workflow shows.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<serde_json::Value>)]
    pub custom_status: Option<Payload>,
    /// What it was given. Not in lists.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<serde_json::Value>)]
    pub input: Option<Payload>,
    /// What it returned, or what it was terminated with.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<serde_json::Value>)]
    pub output: Option<Payload>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// How often it has continued as new.
    pub generation: u32,
    /// How many turns it has had, over all generations.
    pub turns: u64,
    /// How many events the history of this generation has.
    pub events: u64,
    /// How many bytes they take.
    pub history_bytes: u64,
    /// Who called it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Parent>,
    /// Labels.
    pub tags: BTreeMap<String, String>,
    /// What it has open. Not in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<Pending>,
    /// What to mind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Who called an instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Parent {
    /// The parent's id.
    pub id: String,
    /// The number of the call in the parent's history.
    pub task_id: i32,
    /// Whether the child is terminated when the parent ends first.
    pub terminated_with_parent: bool,
}

/// Why something failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Failure {
    /// The kind of error, as a stable name that code may compare.
    #[serde(rename = "type")]
    pub error_type: String,
    /// The error in words.
    pub message: String,
    /// Further text for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
    /// What led to it, the nearest cause first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<Cause>,
}

/// One link in a failure's chain of causes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Cause {
    /// The kind of error.
    #[serde(rename = "type")]
    pub error_type: String,
    /// The error in words.
    pub message: String,
    /// Further text for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
}

impl From<everturn_replay::Failure> for Failure {
    fn from(failure: everturn_replay::Failure) -> Self {
        let cause = |cause: everturn_replay::Cause| Cause {
            error_type: cause.error_type,
            message: cause.message,
            details: cause.details,
        };
        Self {
            error_type: failure.error_type,
            message: failure.message,
            details: failure.details,
            causes: failure.causes.into_iter().map(cause).collect(),
        }
    }
}

impl From<everturn_store::ParentLink> for Parent {
    fn from(link: everturn_store::ParentLink) -> Self {
        Self {
            id: link.instance.into_string(),
            task_id: link.task.get(),
            terminated_with_parent: link.close == ParentClosePolicy::Terminate,
        }
    }
}

impl From<everturn_store::Instance> for Instance {
    fn from(instance: everturn_store::Instance) -> Self {
        let (result, failure) = instance.outcome.map_or((None, None), |end| (end.result, end.failure_details));
        Self {
            id: instance.id.into_string(),
            workflow: instance.workflow,
            version: instance.version,
            deployment: None,
            status: instance.status.into(),
            stalled: instance.stalled,
            created_at: moment(instance.created_at),
            starts_at: moment(instance.starts_at),
            updated_at: moment(instance.updated_at),
            ended_at: instance.ended_at.map(moment),
            custom_status: instance.custom_status.as_deref().map(payload),
            input: None,
            output: result.map(|result| payload(&result.value)),
            failure: failure.map(|failure| everturn_replay::Failure::from(failure).into()),
            generation: instance.generation,
            turns: instance.turns,
            events: instance.events,
            history_bytes: instance.history_bytes,
            parent: instance.parent.map(Parent::from),
            tags: instance.tags,
            pending: None,
            warnings: Vec::new(),
        }
    }
}

impl From<InstanceView> for Instance {
    fn from(view: InstanceView) -> Self {
        Self {
            deployment: view.deployment,
            input: view.input.as_deref().map(payload),
            pending: Some(view.open.into()),
            warnings: view.warnings,
            ..view.instance.into()
        }
    }
}

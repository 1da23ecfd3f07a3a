//! The messages of the protocol, its service and its client: generated from `proto/taskhub.proto`, whose comments say
//! what they are. Three messages are written by hand, because one of their fields has two wire types.

mod create_child;
mod create_instance;
mod generated;
mod purge_instances;

pub use create_child::{ChildFields, CreateChildWorkflowAction};
pub use create_instance::{CreateInstanceRequest, InstanceFields};
pub use generated::*;
pub use purge_instances::{PurgeFields, PurgeInstancesRequest, PurgeTarget};

/// What the host speaks, for reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));

/// The full name of the service. Its package is empty in every dialect.
pub const SERVICE_NAME: &str = "TaskHubSidecarService";

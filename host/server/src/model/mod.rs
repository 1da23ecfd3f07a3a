//! What requests and answers look like as JSON, for the host that serves them and for clients that send and read them.
//!
//! Payloads are embedded JSON values, kept to the letter: what comes out is the text that went in.

mod change;
mod deployment;
mod gate;
mod instance;
mod interaction;
mod moment;
mod page;
mod payload;
mod pending;
mod problem;
mod progress;
mod purge;
mod requests;
mod status;

pub use change::Change;
pub use deployment::{
    Deployed, Deployment, DeploymentDetails, DeploymentList, Grants, KeptReports, MoveTo, Moving, RolledBack,
    Successors, WorkflowDescription,
};
pub use gate::{Differing, GateCause, GateCauseKind, GateReport, KeptReport};
pub use instance::{Cause, Failure, Instance, Parent};
pub use interaction::{Answer, Ask, Update, Updated};
pub use moment::{Moment, moment, read_moment};
pub use page::{InvalidPageToken, Page, page_token, read_page_token};
pub use payload::{Payload, payload};
pub use pending::{Activity, ActivityState, Pending};
pub use problem::{Problem, ProblemBody};
pub use progress::DeployProgress;
pub use purge::{Purge, Purged};
pub use requests::{Accepted, IfExists, RaiseEvent, Reason, Rerun, Reset, Start, Started, Terminate, WasReset};
pub use status::{Health, HealthState, HostStatus, InstanceStatus, UnknownStatus};

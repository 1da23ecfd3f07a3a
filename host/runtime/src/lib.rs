//! The durable host as a library: it keeps workflows going through crashes and months of waiting. Open a store, open a
//! [`Runtime`] on it, deploy components, start workflows.
//!
//! ```no_run
//! use std::sync::Arc;
//! use everturn_runtime::{Activities, ActivityError, DeployRequest, Options, Runtime, StartRequest};
//! use everturn_runtime::store::sqlite::{SqliteOptions, SqliteStore};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let store = SqliteStore::open("orders.db".as_ref(), SqliteOptions::default())?;
//! let activities = Activities::new().with("charge", |_context, amount: u64| async move {
//!     Ok::<_, ActivityError>(format!("charged {amount}"))
//! });
//! let runtime = Runtime::open(Arc::new(store), Options { activities, ..Options::default() }).await?;
//! runtime.deploy(DeployRequest { wasm: std::fs::read("orders.wasm")?, ..DeployRequest::default() }).await?;
//! let order = StartRequest { workflow: "place_order".into(), input: Some("42".into()), ..StartRequest::default() };
//! let started = runtime.start(order).await?;
//! println!("{:?}", runtime.wait(&started.id).await?.outcome);
//! runtime.stop(std::time::Duration::from_secs(10)).await;
//! # Ok(())
//! # }
//! ```
//!
//! # Layout
//!
//! - [`Runtime`]: what clients and those who embed the host see; `requests`, `clients`: what they ask for
//! - `again`: instances that go on from an earlier point of their history
//! - `host`: the parts, in one place
//! - `instance`: turns, from a message to the next commit
//! - `dispatch`: activity tasks, to workers and back; [`Worker`]: one outside of this process
//! - `interaction`: signals, queries and updates
//! - `remote`: turns of workflows that remote workers run; [`Orchestrator`]: such a worker
//! - `sleeper`: the one timer; `foresight`: gets ready what it will wake; `alarm`: when; `retention`: the end of what has ended
//! - `deployments`: components; `gate`: whether one fits all that is open; `secrets`; `watch`: who looks on; `health`, `statistics`
//! - `persist`: asks the store until it answers; `pressure`: how much there is to do; `processors`: threads that begin
//!   together; `clock`; `identity`; `stopping`

mod again;
mod alarm;
mod clients;
mod clock;
mod deployments;
mod dispatch;
mod error;
mod failures;
mod foresight;
mod gate;
mod health;
mod host;
mod identity;
mod instance;
mod interaction;
mod options;
mod persist;
mod pressure;
mod processors;
mod remote;
mod requests;
mod retention;
mod runtime;
mod secrets;
mod sleeper;
mod statistics;
mod stopping;
mod text;
mod watch;

pub use dispatch::{ActivityTask, SignOfLife, TaskAnswer, Worker, WorkerOptions};
pub use error::{OpenError, RequestError};
pub use everturn_activity::{
    Activities, Call, Context as ActivityContext, Error as ActivityError, Outcome, Permissions,
};
pub use everturn_guest::{Compiler, ComponentError, Limits, WorkflowDescription};
pub use everturn_replay::Failure;
pub use everturn_store as store;
pub use gate::{Cause, CauseKind, Differing, Gate, GateReport, OnProgress, Progress};
pub use health::Health;
pub use interaction::UpdateOutcome;
pub use options::{Options, Retention};
pub use remote::{Orchestrator, OrchestratorOptions, TurnAnswer, TurnTask};
pub use requests::{
    ActivateRequest, DeployRequest, Deployed, ExistingInstance, Form, InstanceView, Moving, RerunRequest,
    ResetInstance, ResetRequest, RolledBack, Rollout, StartRequest, StartedInstance, Strategy, UnknownWorkflow,
};
pub use runtime::Runtime;
pub use secrets::SecretSource;
pub use statistics::Statistics;
pub use watch::{Change, Until};

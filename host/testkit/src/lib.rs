//! Tests of workflows, for `cargo test`: the real engine and the real replay core, no server, no database, and a clock that
//! jumps. A workflow of thirty days is tested in milliseconds, and what passes here does the same on a host.
//!
//! Add this crate to the `dev-dependencies` of a workflow crate, and write a test as any other:
//!
//! ```no_run
//! use std::time::Duration;
//!
//! use everturn_test::{Status, TestHost};
//!
//! # #[derive(serde::Serialize, serde::Deserialize)]
//! # struct Decision { approved: bool }
//! # let request = ();
//! const DAY: Duration = Duration::from_secs(24 * 3600);
//!
//! // Given a request, and somebody who decides on the second day,
//! let host = TestHost::new(everturn_test::component!())
//!     .activity("notify", |(person, _): (String, serde_json::Value)| Ok(format!("wrote to {person}")))
//!     .activity_returns("record", ());
//! let mut run = host.start("approval", &request);
//! run.at(2 * DAY, |run| run.raise_event("decision", &Decision { approved: true }));
//!
//! // when the first day is over, it waits;
//! run.skip(DAY);
//! assert_eq!(run.status(), Status::Running);
//! assert_eq!(run.pending_timers().len(), 1);
//!
//! // and then it is approved.
//! let decision: Decision = run.result().unwrap();
//! assert!(decision.approved);
//! run.assert_called("record", 1);
//! run.assert_in_order(["activity notify called", "event decision arrived", "completed"]);
//! ```
//!
//! # Who answers
//! An activity is done by the closure that stands in for it ([`TestHost::activity`]), or by the component itself
//! ([`TestHost::with_real_activities`]); one that nobody does fails the test. Children run for real in the same world, or
//! are mocked ([`TestHost::child`]). Answers come at once, or after some time on the clock ([`TestHost::takes`]).
//!
//! # Determinism
//! Each run is played again from its own history in a fresh guest, turn by turn, and must do the same. What was recorded
//! long ago must fit too: save a history with [`Run::save_history`] and keep it, and let [`assert_replays`] say whether the
//! code of today would go on where those instances are.
//!
//! # Layout
//! - [`TestComponent`], [`TestHost`], [`Run`]: what a test is made of, in this order; [`Mock`]: closures as activities
//! - `world`: what a durable host does, in memory; `time`: its clock
//! - `replay`: histories played again; `histories`: those in files; `story`: in words
//! - `complaint`: all that fails a test; `payload`: JSON from and to values

mod complaint;
mod component;
mod failure;
mod histories;
mod host;
mod mock;
mod payload;
mod replay;
mod run;
mod status;
mod story;
mod time;
mod world;

pub use component::TestComponent;
pub use everturn_activity::{Activities, Context, Error as ActivityError, Grants, HostPattern, Secret};
pub use everturn_history as history;
pub use failure::Failure;
pub use histories::assert_replays;
pub use host::TestHost;
pub use mock::{Mock, MockCall, MockFunction};
pub use run::{InstanceSummary, Run, UpdateError};
pub use status::Status;
pub use world::{Call, CallKind, PendingTimer, TimerPurpose};

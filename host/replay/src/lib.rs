//! The replay core: one generation of one instance, played or replayed.
//!
//! Events go in and resolutions come out; commands of the guest go in and actions come out. A guest that waits is a
//! value ([`Step::Idle`]), never a panic or an error. There is no I/O here, no async, no clock and no randomness of its
//! own: what a guest sees is a function of the events that were pushed.
//!
//! | the core owns | the caller owns |
//! |---|---|
//! | sequence ids, matching, drop-and-shift | running the guest's code, one step at a time |
//! | retries, timeouts of waits, unread events | storing events, sending what actions ask for |
//! | the instance's clock and random stream | when a turn begins, and the time it has |
//!
//! A turn is driven like this:
//!
//! ```
//! use everturn_history::{SequenceId, Timestamp, event};
//! use everturn_replay::{ActivityOptions, Execution, Resolution, Source, Step, recorded_events};
//!
//! # fn main() -> Result<(), everturn_replay::ReplayError> {
//! let at = |seconds| Timestamp { seconds, nanos: 0 };
//! let mut execution = Execution::new();
//!
//! // The first turn: the guest starts, calls an activity and waits.
//! execution.push(event::turn_started(at(100), vec![]), Source::New);
//! execution.push(event::execution_started(at(100), &"order-17".into(), "ship", "{}"), Source::New);
//! assert_eq!(execution.next_step()?, Step::Start);
//! let parcel = execution.call_activity("pack".into(), "{}".into(), ActivityOptions::default());
//! assert_eq!(execution.next_step()?, Step::Idle);
//!
//! // What the turn asks for is written to history, and the core sees it as a replay would.
//! let turn = execution.end_turn();
//! for event in recorded_events(&turn, at(100)) {
//!     execution.push(event, Source::History);
//! }
//! assert_eq!(execution.next_step()?, Step::Idle);
//!
//! // The second turn: the answer has arrived.
//! execution.push(event::turn_started(at(101), vec![]), Source::New);
//! execution.push(event::task_completed(at(101), SequenceId::FIRST, "\"packed\""), Source::New);
//! assert_eq!(execution.next_step()?, Step::Resolved(parcel));
//! assert_eq!(execution.take(parcel), Some(Resolution::Completed(Ok("\"packed\"".into()))));
//! # Ok(())
//! # }
//! ```
//!
//! # Layout
//!
//! - `execution`: the state and the driver's side; `commands`: the guest's side; `events`: what each event does
//! - `ledger`: sequence ids, matching history with code, drop-and-shift; `mismatch`: what to tell when they differ
//! - `call`: activities and children with their attempts; `options`, `retry`, `failure`: what they are made of
//! - `mailbox`: events nobody waits for yet, and those who wait; `patches`; `random`; `time`; `turn`
//! - `updates`: requests that are answered; `reset`: what is told apart after the end of a history was taken back

mod call;
mod commands;
mod events;
mod execution;
mod failure;
mod ledger;
mod mailbox;
mod mismatch;
mod options;
mod patches;
mod random;
mod reset;
mod retry;
mod start;
mod task;
mod time;
mod turn;
mod updates;

pub use execution::{Ending, Execution, Source, Step};
pub use failure::{Cause, Failure};
pub use mismatch::{Behaviour, CallKind, InvalidHistory, Mismatch, Problem, RecordedCall, ReplayError, status_name};
pub use options::{ActivityOptions, ChildOptions, ContinueOptions, DetachedOptions, Moment};
pub use retry::RetryPolicy;
pub use start::{Parent, Start};
pub use task::{Resolution, Task};
pub use time::LATEST;
pub use turn::{Turn, next_generation, recorded_events};
pub use updates::{CompletedUpdate, UpdateAnswer, UpdateVerdict};

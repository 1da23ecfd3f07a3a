//! Instances at work: from a message to the next commit.
//!
//! - `mailroom`: what waits for whom, and who has a driver
//! - `driver`: takes one turn after the other while there is work; `turn`: one of them; `crowd`: those of many at one moment
//! - `first`: the first turn of a new instance, written together with it
//! - `parked`: an instance between turns; `guests`: the cache of those; `ready`: fills it ahead of a turn
//! - `run`: what a guest does in a turn; `stage`: where it is played; `aftermath`: what is done once it is on disk
//! - `plan`: what a turn changes; `child`: what a child begins with; `end`: what an end changes
//! - `trouble`: what is done when it could not be made

mod aftermath;
mod child;
mod crowd;
mod driver;
mod end;
mod first;
mod guests;
pub(crate) mod mailroom;
mod parked;
mod plan;
mod ready;
mod run;
mod stage;
mod trouble;
mod turn;
mod versions;

pub(crate) use aftermath::{follow_up, of_turn};
pub(crate) use child::{Called, Caller, named, new_child};
pub(crate) use crowd::wake_all;
pub(crate) use driver::{Trouble, drive, start, wake};
pub(crate) use end::{answer_of, child_failed, child_gone};
pub(crate) use first::make;
pub(crate) use guests::{Guests, keeper};
pub(crate) use parked::{Code, Parked, start_of};
pub(crate) use plan::{plan, time_limit};
pub(crate) use ready::get_ready;
pub(crate) use run::Played;
pub(crate) use trouble::{hold, release, terminate};

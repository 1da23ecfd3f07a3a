//! What tests of the core and tests of compiled guests share. Nothing here is part of the product.
//!
//! - [`guest`]: workflows written as async functions, run on the core without WebAssembly
//! - [`histories`]: short ways to write histories and to read turns
//! - [`world`]: a simulated world that answers what workflows ask for, and keeps the history
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    reason = "test helpers fail by panicking, and their names say what they do"
)]

pub mod guest;
pub mod histories;
pub mod world;

use everturn_history::HistoryEvent;
use everturn_replay::{Source, Turn};

/// Something that plays a workflow: an async function on the core, or a compiled guest.
pub trait Player {
    /// Why it cannot go on.
    type Error: std::fmt::Display + std::fmt::Debug;

    fn push(&mut self, event: HistoryEvent, source: Source);
    fn run(&mut self) -> Result<(), Self::Error>;
    fn end_turn(&mut self) -> Turn;

    /// Replays `old`, plays `new`, and returns what the turn asks for.
    fn play(&mut self, old: Vec<HistoryEvent>, new: Vec<HistoryEvent>) -> Result<Turn, Self::Error> {
        old.into_iter().for_each(|event| self.push(event, Source::History));
        new.into_iter().for_each(|event| self.push(event, Source::New));
        self.run()?;
        Ok(self.end_turn())
    }
}

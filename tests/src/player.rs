//! Compiled guests behind the interface that the simulated world plays.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking, in its helpers too")]

use std::sync::OnceLock;
use std::time::Duration;

use everturn_guest::{Component, Engine, Limits, LiveGuest, RunError};
use everturn_history::HistoryEvent;
use everturn_replay::{Source, Turn};
use everturn_test_world::Player;

use crate::guests::TEST_GUESTS;

/// The component with all test workflows, compiled once for all tests of a process.
///
/// The wall clock stops no guest in it, however busy the machine is: that is for [`impatient_component`].
pub fn test_component() -> &'static Component {
    static COMPONENT: OnceLock<Component> = OnceLock::new();
    COMPONENT.get_or_init(|| load(Limits { run_time: Duration::from_secs(600), ..Limits::default() }))
}

/// The same component in an engine that stops its guests soon.
pub fn impatient_component() -> &'static Component {
    static COMPONENT: OnceLock<Component> = OnceLock::new();
    COMPONENT.get_or_init(|| load(Limits { run_time: Duration::from_millis(50), ..Limits::default() }))
}

fn load(limits: Limits) -> Component {
    let engine = Engine::new(limits).expect("the engine starts");
    engine.load(&TEST_GUESTS.bytes().unwrap()).expect("the test guests load")
}

/// A compiled guest.
pub struct Compiled(pub LiveGuest);

impl Compiled {
    /// An instance of a workflow in the test component.
    pub fn new() -> Self {
        Self(LiveGuest::new(test_component()))
    }
}

impl Default for Compiled {
    fn default() -> Self {
        Self::new()
    }
}

impl Player for Compiled {
    type Error = RunError;

    fn push(&mut self, event: HistoryEvent, source: Source) {
        self.0.push(event, source);
    }

    fn run(&mut self) -> Result<(), RunError> {
        self.0.run()
    }

    fn end_turn(&mut self) -> Turn {
        self.0.end_turn()
    }
}

//! Fills in `workflow.wat`, loads it and runs it.

use std::time::Duration;

use everturn_guest::{Component, ComponentCache, ComponentError, Engine, GuestFault, Limits, LiveGuest, RunError};
use everturn_history::{Timestamp, event};
use everturn_replay::Source;

const NOW: Timestamp = Timestamp { seconds: 1_700_000_000, nanos: 0 };

/// The time of guests that are expected to use it up.
pub(crate) const SHORT: Duration = Duration::from_millis(20);

/// What `workflow.wat` leaves open.
#[derive(Clone, Copy, Default)]
pub(crate) struct Guest<'a> {
    /// Imports of the component, and core functions made from them.
    pub(crate) host_functions: &'a str,
    /// What instantiates the module with them.
    pub(crate) arguments: &'a str,
    /// More of the module: imports, memories, tables.
    pub(crate) module: &'a str,
    /// What `describe` does first.
    pub(crate) describe: &'a str,
    /// What `run` does first.
    pub(crate) run: &'a str,
}

impl Guest<'_> {
    pub(crate) fn load(&self, engine: &Engine) -> Result<Component, ComponentError> {
        engine.load(&self.wasm())
    }

    pub(crate) fn load_cached(&self, engine: &Engine, cache: &ComponentCache) -> Result<Component, ComponentError> {
        engine.load_cached(&self.wasm(), cache)
    }

    fn wasm(&self) -> Vec<u8> {
        let text = include_str!("workflow.wat")
            .replace(";; HOST FUNCTIONS", self.host_functions)
            .replace(";; ARGUMENTS", self.arguments)
            .replace(";; MODULE", self.module)
            .replace(";; DESCRIBE", self.describe)
            .replace(";; RUN", self.run);
        wat::parse_str(text).unwrap()
    }

    pub(crate) fn run(&self, engine: &Engine) -> Result<LiveGuest, GuestFault> {
        let mut guest = started_guest(&self.load(engine).unwrap(), "w");
        match guest.run() {
            Ok(()) => Ok(guest),
            Err(RunError::Guest(fault)) => Err(fault),
            Err(error) => panic!("{error}"),
        }
    }
}

/// A guest that has heard of its start.
pub(crate) fn started_guest(component: &Component, workflow: &str) -> LiveGuest {
    let mut guest = LiveGuest::new(component);
    start(&mut guest, workflow);
    guest
}

/// Tells a guest of its start.
pub(crate) fn start(guest: &mut LiveGuest, workflow: &str) {
    guest.push(event::turn_started(NOW, Vec::new()), Source::New);
    guest.push(event::execution_started(NOW, &"an-instance".into(), workflow, "null"), Source::New);
}

pub(crate) fn engine() -> Engine {
    Engine::new(Limits::default()).unwrap()
}

pub(crate) fn impatient_engine() -> Engine {
    Engine::new(Limits { run_time: SHORT, ..Limits::default() }).unwrap()
}

/// Runs a guest whose `run` begins with these instructions.
pub(crate) fn run(engine: &Engine, instructions: &str) -> Result<LiveGuest, GuestFault> {
    Guest { run: instructions, ..Guest::default() }.run(engine)
}

pub(crate) fn fault(engine: &Engine, instructions: &str) -> GuestFault {
    run(engine, instructions).err().unwrap()
}

/// Instructions that write a number into memory.
pub(crate) fn store(address: u32, value: u32) -> String {
    format!("(i32.store (i32.const {address}) (i32.const {value}))")
}

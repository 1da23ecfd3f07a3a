//! Instances that are played turn by turn, on whichever version a turn comes to, as a host does when they move.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock};

use everturn_guest::{Component, Engine, Limits, LiveGuest, Misfit, fits};
use everturn_history::history_event::EventType;
use everturn_history::{HistoryEvent, OrchestrationStatus, event};
use everturn_replay::{next_generation, recorded_events};
use everturn_test_world::Player;
use everturn_test_world::histories::{at, completion, raised, task_completed};
use everturn_tests::guests::in_version;
use everturn_tests::player::Compiled;

/// All versions of `tests/guests/versions` between which a change comes into the code, in their order.
pub(super) const VERSIONS: [&str; 4] = ["first", "patched", "deprecated", "settled"];

/// The component of a version, compiled once for all tests of a process.
fn component(version: &str) -> Component {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    static COMPONENTS: Mutex<BTreeMap<String, Component>> = Mutex::new(BTreeMap::new());
    let engine = ENGINE.get_or_init(|| Engine::new(Limits::default()).unwrap());
    let load = || engine.load(&in_version(version)).unwrap();
    COMPONENTS.lock().unwrap().entry(version.to_owned()).or_insert_with(load).clone()
}

/// An instance: what history has of it.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    pub(super) history: Vec<HistoryEvent>,
}

impl Instance {
    /// Starts a workflow on a version, and lets it go on until it waits for an event.
    pub(super) fn start(version: &str, workflow: &str) -> Self {
        let mut instance = Self { history: vec![] };
        instance.turns(version, vec![event::execution_started(at(0), &"instance".into(), workflow, "\"box\"")]);
        instance
    }

    /// Raises an event to it, and lets it go on with that on a version, which it must fit.
    pub(super) fn tell(&mut self, version: &str, name: &str) {
        self.fits(version).unwrap();
        self.turns(version, vec![raised(name, "null")]);
    }

    /// A turn with these messages, and those with the answers to all activities that it calls.
    fn turns(&mut self, version: &str, mut messages: Vec<HistoryEvent>) {
        while !messages.is_empty() {
            messages = self.turn(version, messages);
        }
    }

    /// Plays a turn on a guest that is made from history, and gives what the next one is to bring.
    fn turn(&mut self, version: &str, messages: Vec<HistoryEvent>) -> Vec<HistoryEvent> {
        let mut new = vec![event::turn_started(at(0), vec![])];
        new.extend(messages);
        let mut guest = Compiled(LiveGuest::new(&component(version)));
        let turn = guest.play(self.history.clone(), new.clone()).unwrap();
        new[0] = event::turn_started(at(0), turn.patches.clone());
        self.history.extend(new);
        let ending = guest.0.execution().ending().map(|ending| ending.status);
        if ending == Some(OrchestrationStatus::ContinuedAsNew) {
            let opening = next_generation(self.start_event(), completion(&turn), None, at(0));
            self.history.clear();
            // The turn that begins it has its own beginning.
            return opening.into_iter().skip(1).collect();
        }
        let recorded = recorded_events(&turn, at(0));
        self.history.extend(recorded.clone());
        let answer = |event: &HistoryEvent| match &event.event_type {
            Some(EventType::TaskScheduled(_)) => Some(task_completed(event.event_id, "null")),
            _ => None,
        };
        recorded.iter().filter_map(answer).collect()
    }

    fn start_event(&self) -> &everturn_history::ExecutionStartedEvent {
        let start = self.history.iter().find_map(|event| match &event.event_type {
            Some(EventType::ExecutionStarted(start)) => Some(&**start),
            _ => None,
        });
        start.unwrap()
    }

    /// Whether a version can go on where it is: what the gate asks.
    pub(super) fn fits(&self, version: &str) -> Result<(), Misfit> {
        fits(&component(version), self.history.clone())
    }

    /// The versions that it fits.
    pub(super) fn fitting(&self) -> Vec<&'static str> {
        VERSIONS.into_iter().filter(|version| self.fits(version).is_ok()).collect()
    }

    /// The activities that it called, in this generation.
    pub(super) fn called(&self) -> Vec<&str> {
        let events = self.history.iter().filter_map(|event| event.event_type.as_ref());
        events
            .filter_map(|event| match event {
                EventType::TaskScheduled(task) => Some(task.name.as_str()),
                _ => None,
            })
            .collect()
    }

    /// The patches that it took, in this generation: those of each turn that took any.
    pub(super) fn patches(&self) -> Vec<Vec<String>> {
        let patches = |event: &HistoryEvent| match &event.event_type {
            Some(EventType::WorkflowStarted(turn)) => turn.version.as_ref().map(|version| version.patches.clone()),
            _ => None,
        };
        self.history.iter().filter_map(patches).collect()
    }
}

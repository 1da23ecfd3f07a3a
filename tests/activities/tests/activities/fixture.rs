//! The components, loaded once, and short ways to call what is inside.

use std::fs;
use std::sync::{Arc, Mutex, OnceLock};

use everturn_activity::{ActivityComponent, ActivityLimits, Call, Grants, Heartbeat, Outcome};
use everturn_guest::{Component, ComponentError, Engine, Limits};
use everturn_history::SequenceId;
use everturn_replay::Failure;
use serde_json::Value;

pub(crate) fn load(path: &str) -> Result<Component, ComponentError> {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| Engine::new(Limits::default()).unwrap()).load(&fs::read(path).unwrap())
}

pub(crate) fn component() -> &'static Component {
    static COMPONENT: OnceLock<Component> = OnceLock::new();
    COMPONENT.get_or_init(|| load(everturn_activity_tests::ACTIVITIES).unwrap())
}

pub(crate) fn activities() -> &'static ActivityComponent {
    static ACTIVITIES: OnceLock<ActivityComponent> = OnceLock::new();
    ACTIVITIES.get_or_init(|| ActivityComponent::load(component()).unwrap().unwrap())
}

pub(crate) fn limited(limits: ActivityLimits) -> ActivityComponent {
    ActivityComponent::load_limited(component(), limits).unwrap().unwrap()
}

pub(crate) fn call(activity: &str, input: &Value) -> Call {
    Call {
        activity: activity.to_owned(),
        input: input.to_string(),
        instance_id: "order-7".into(),
        workflow: "place_order".to_owned(),
        task_id: SequenceId::new(3),
        generation: 2,
        task_execution_id: "the-call".to_owned(),
        attempt: 4,
        dispatch: 5,
    }
}

/// A runtime as small as possible: an activity that blocked it would block its own test.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

pub(crate) fn run_granted(activity: &str, input: &Value, grants: &Grants) -> Outcome {
    block_on(activities().run(call(activity, input), grants, Arc::new(())))
}

pub(crate) fn run(activity: &str, input: &Value) -> Outcome {
    run_granted(activity, input, &Grants::default())
}

pub(crate) fn json(outcome: Outcome) -> Value {
    serde_json::from_str(&outcome.unwrap()).unwrap()
}

pub(crate) fn failure(outcome: Outcome) -> Failure {
    outcome.unwrap_err()
}

/// Wants so many beats and no more, and remembers what they said.
#[derive(Default)]
pub(crate) struct Listener {
    pub(crate) wanted: usize,
    pub(crate) heard: Mutex<Vec<Option<String>>>,
}

impl Heartbeat for Listener {
    fn beat(&self, details: Option<String>) -> bool {
        let mut heard = self.heard.lock().unwrap();
        heard.push(details);
        heard.len() <= self.wanted
    }
}

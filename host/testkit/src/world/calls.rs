//! Who does what a workflow calls, and the list of what it called.

use std::sync::Arc;
use std::time::SystemTime;

use everturn_activity::{ActivityComponent, Call as ActivityCall, Grants, Outcome};
use serde::de::DeserializeOwned;

use super::World;
use crate::complaint::{Complaint, or_fail};
use crate::mock::MockCall;
use crate::payload;

/// What was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallKind {
    /// An activity, mocked or real.
    Activity,
    /// A child workflow, mocked or real.
    Child,
    /// A workflow that is no child.
    Detached,
}

/// One attempt of something that a workflow called, or one of its children.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Call {
    /// What was called.
    pub kind: CallKind,
    /// Its name.
    pub name: String,
    /// What it was given, as JSON text.
    pub payload: String,
    /// Which attempt it was, from 1. Children are always at their first: each attempt is a child of its own.
    pub attempt: u32,
    /// When, on the virtual clock.
    pub at: SystemTime,
    /// The instance that called it.
    pub instance_id: String,
}

impl Call {
    /// What it was given.
    ///
    /// # Panics
    /// When that cannot be read as a `T`.
    #[track_caller]
    pub fn input<T: DeserializeOwned>(&self) -> T {
        or_fail(payload::read(&format!("the input of `{}`", self.name), &self.payload))
    }
}

impl World {
    /// Writes down a call, and gives what a mock is told of it.
    pub(super) fn note(&mut self, call: Call) -> MockCall {
        let told = MockCall {
            name: call.name.clone(),
            instance_id: call.instance_id.clone(),
            attempt: call.attempt,
            count: 1 + self.calls.iter().filter(|other| other.kind == call.kind && other.name == call.name).count(),
            now: call.at,
        };
        self.calls.push(call);
        told
    }

    /// Runs an activity: its mock, a native function, or the one of the component.
    pub(super) fn perform(&mut self, call: ActivityCall) -> Result<Outcome, Complaint> {
        let told = self.note(Call {
            kind: CallKind::Activity,
            name: call.activity.clone(),
            payload: call.input.clone(),
            attempt: call.attempt,
            at: self.now.system_time(),
            instance_id: call.instance_id.to_string(),
        });
        let settings = &self.settings;
        if let Some(mock) = settings.activities.get(&call.activity) {
            return Ok(mock.call(told, &call.input)?.map_err(Into::into));
        }
        if let Some(run) = settings.native.run(call.clone(), Arc::new(())) {
            return on_a_runtime(run);
        }
        let inside = settings.component.activity_names();
        match &settings.real {
            Some(grants) if inside.contains(&call.activity) => self.perform_really(call, grants),
            _ => Err(Complaint::UnknownActivity {
                name: call.activity,
                mocked: settings.activities.keys().cloned().chain(settings.native.names().map(str::to_owned)).collect(),
                inside,
            }),
        }
    }

    fn perform_really(&self, call: ActivityCall, grants: &Grants) -> Result<Outcome, Complaint> {
        let loaded = ActivityComponent::load(self.settings.component.loaded());
        let activities = loaded.map_err(|error| Complaint::Activities { detail: error.to_string() })?;
        let activities = activities.ok_or_else(|| Complaint::Activities { detail: "it has none".to_owned() })?;
        on_a_runtime(activities.run(call, grants, Arc::new(())))
    }
}

/// Runs an activity to its end on a thread of its own: the test may run on a runtime itself, which must not block.
fn on_a_runtime(run: impl Future<Output = Outcome> + Send) -> Result<Outcome, Complaint> {
    let failed = |detail: String| Complaint::Activities { detail };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| failed(error.to_string()))?;
    let outcome = std::thread::scope(|scope| scope.spawn(|| runtime.block_on(run)).join());
    outcome.map_err(|_| failed("the host of activities panicked".to_owned()))
}

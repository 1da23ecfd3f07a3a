//! A host on which one instance is played: the real runtime, on a real SQLite file, with the test guests.

use std::sync::Arc;
use std::time::Duration;

use everturn_history::history_event::EventType;
use everturn_history::{HistoryEvent, InstanceId};
use everturn_runtime::store::sqlite::{SqliteOptions, SqliteStore};
use everturn_runtime::store::{Instance, Status};
use everturn_runtime::{Activities, ActivityError, DeployRequest, Options, RequestError, Runtime, StartRequest};
use everturn_test_guests::script::Step;
use everturn_tests::guests::TEST_GUESTS;
use serde::Serialize;
use serde_json::Value;
use tempfile::TempDir;

/// How long a story may take.
const PATIENCE: Duration = Duration::from_secs(120);
/// Where machine code is kept, beside the components that it was made of.
pub const COMPILED: &str = "everturn-test";
/// Under this name runs what is recorded.
const INSTANCE: &str = "golden";

/// A host, and the instance on it.
pub(crate) struct Stage {
    _directory: TempDir,
    pub(crate) host: Runtime,
    pub(crate) id: InstanceId,
}

/// Activities that give back what they get.
pub(crate) fn echoes(names: &[&str]) -> Activities {
    names.iter().fold(Activities::new(), |activities, name| {
        activities.with(*name, |_context, input: Value| async move { Ok::<_, ActivityError>(input) })
    })
}

/// With an activity that never answers.
pub(crate) fn never(activities: Activities, name: &str) -> Activities {
    activities.with(name, |_context, _input: Value| std::future::pending::<Result<Value, ActivityError>>())
}

impl Stage {
    /// A host with these activities, and an instance of a workflow.
    pub(crate) async fn with(activities: Activities, workflow: &str, input: impl Serialize) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&directory.path().join("everturn.db"), SqliteOptions::default()).unwrap();
        let cache = TEST_GUESTS.path().with_file_name(COMPILED);
        let options = Options { activities, component_cache: Some(cache), ..Options::default() };
        let host = Runtime::open(Arc::new(store), options).await.unwrap();
        let stage = Self { _directory: directory, host, id: INSTANCE.into() };
        stage.deploy(TEST_GUESTS.bytes().unwrap(), "1").await;
        let request = StartRequest {
            workflow: workflow.to_owned(),
            id: Some(stage.id.clone()),
            input: Some(serde_json::to_string(&input).unwrap()),
            ..StartRequest::default()
        };
        stage.host.start(request).await.unwrap();
        stage
    }

    /// The same with an activity `echo`, and a script.
    pub(crate) async fn script(steps: Vec<Step>) -> Self {
        Self::with(echoes(&["echo"]), "script", steps).await
    }

    pub(crate) async fn deploy(&self, wasm: Vec<u8>, label: &str) {
        let request = DeployRequest { wasm, label: Some(label.to_owned()), ..DeployRequest::default() };
        assert!(self.host.deploy(request).await.unwrap().is_active);
    }

    /// Raises an event, or sends a signal, when the history has at least so many events.
    pub(crate) async fn raise(&self, events: u64, name: &str, payload: impl Into<Value>) {
        self.until(|instance| instance.events >= events).await;
        self.host.raise_event(&self.id, name, Some(payload.into().to_string())).await.unwrap();
    }

    /// Asks for a change when the history has at least so many events.
    pub(crate) async fn update(&self, events: u64, name: &str, input: impl Into<Value>) {
        self.until(|instance| instance.events >= events).await;
        self.host.update(&self.id, name, Some(input.into().to_string()), None).await.unwrap();
    }

    /// Waits until the instance has changed so that this holds.
    pub(crate) async fn until(&self, holds: impl Fn(&Instance) -> bool) {
        let mut changes = self.host.changes();
        let holding = async {
            loop {
                match self.host.find_instance(&self.id).await {
                    Ok(Some(instance)) if holds(&instance) => return,
                    Ok(_) | Err(RequestError::Store(_)) => {}
                    Err(error) => panic!("{error}"),
                }
                let _missed = changes.recv().await;
            }
        };
        tokio::time::timeout(PATIENCE, holding).await.unwrap_or_else(|_| panic!("a story does not come to its end"));
    }

    /// Waits until an activity has answered, and gives how many events there are then.
    pub(crate) async fn until_answered(&self) -> u64 {
        let mut events = 0;
        loop {
            self.until(|instance| instance.events > events).await;
            let history = self.host.history(&self.id).await.unwrap();
            events = history.len() as u64;
            if history.iter().any(|event| matches!(event.event_type, Some(EventType::TaskCompleted(_)))) {
                return events;
            }
        }
    }

    /// The history when it has at least so many events.
    pub(crate) async fn open(self, events: u64) -> Vec<HistoryEvent> {
        self.until(|instance| instance.events >= events).await;
        self.history().await
    }

    /// The history after the end, which must be this.
    pub(crate) async fn ended(self, status: Status) -> Vec<HistoryEvent> {
        self.until(|instance| instance.status.is_ended()).await;
        let instance = self.host.find_instance(&self.id).await.unwrap().unwrap();
        assert_eq!(instance.status, status, "{instance:?}");
        self.history().await
    }

    /// The history after a result.
    pub(crate) async fn completed(self) -> Vec<HistoryEvent> {
        self.ended(Status::Completed).await
    }

    async fn history(self) -> Vec<HistoryEvent> {
        let history = self.host.history(&self.id).await.unwrap();
        self.host.stop(Duration::from_secs(10)).await;
        history
    }
}

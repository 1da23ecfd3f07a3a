//! A place for a host: its data directory, and short ways to ask it for things.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use everturn_history::InstanceId;
use everturn_history::history_event::EventType;
use everturn_runtime::store::sqlite::{SqliteOptions, SqliteStore};
use everturn_runtime::store::{Instance, Status};
use everturn_runtime::{
    Activities, ActivityError, ActivityTask, Change, DeployRequest, Options, RequestError, Runtime, SignOfLife,
    StartRequest, StartedInstance, Worker, WorkerOptions,
};
use everturn_test_guests::script::{Callee, Limit, Log, Retry, Step};
use everturn_tests::guests::TEST_GUESTS;
use serde::Serialize;
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::broadcast;

/// A data directory and how hosts in it are set up.
pub(crate) struct Room {
    directory: TempDir,
    pub(crate) options: Options,
    pub(crate) sqlite: SqliteOptions,
}

impl Room {
    /// With an activity `echo` that gives back what it gets, and one `fail` that does not.
    pub(crate) fn new() -> Self {
        let activities = Activities::new()
            .with("echo", |_context, input: Value| async move { Ok::<_, ActivityError>(input) })
            .with(
                "fail",
                |_context, message: String| async move { Err::<Value, _>(ActivityError::new("Failed", message)) },
            );
        let options = Options { activities, ..Options::default() };
        Self { directory: tempfile::tempdir().unwrap(), options, sqlite: SqliteOptions::default() }
    }

    /// With these activities instead.
    pub(crate) fn with(activities: Activities) -> Self {
        let mut room = Self::new();
        room.options.activities = activities;
        room
    }

    /// The file of its store.
    pub(crate) fn file(&self) -> PathBuf {
        self.directory.path().join("everturn.db")
    }

    /// The same file, seen from outside of the host.
    pub(crate) fn look(&self) -> rusqlite::Connection {
        rusqlite::Connection::open_with_flags(self.file(), rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap()
    }

    /// Opens a host, without any deployment if it is the first.
    pub(crate) async fn open_empty(&self) -> Runtime {
        self.open_with_store().await.0
    }

    /// The same, and its store: what is changed there, the host does not know of.
    pub(crate) async fn open_with_store(&self) -> (Runtime, Arc<SqliteStore>) {
        let store = Arc::new(SqliteStore::open(&self.file(), self.sqlite.clone()).unwrap());
        let component_cache = self.options.component_cache.clone().or_else(|| Some(cache()));
        let options = Options { component_cache, ..self.options.clone() };
        let opened: Arc<SqliteStore> = Arc::clone(&store);
        (Runtime::open(opened, options).await.unwrap(), store)
    }

    /// Opens a host that has the test guests.
    pub(crate) async fn open(&self) -> Runtime {
        let runtime = self.open_empty().await;
        let wasm = TEST_GUESTS.bytes().unwrap();
        runtime.deploy(DeployRequest { wasm, ..DeployRequest::default() }).await.unwrap();
        runtime
    }
}

/// Compiled guests, shared by all tests.
fn cache() -> PathBuf {
    std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("components")
}

pub(crate) fn id(text: &str) -> InstanceId {
    text.into()
}

/// A start of a workflow under an id.
pub(crate) fn request(workflow: &str, id: &str, input: &impl Serialize) -> StartRequest {
    StartRequest {
        workflow: workflow.to_owned(),
        id: Some(id.into()),
        input: Some(serde_json::to_string(input).unwrap()),
        ..StartRequest::default()
    }
}

/// Starts a workflow.
pub(crate) async fn start(runtime: &Runtime, workflow: &str, id: &str, input: &impl Serialize) -> StartedInstance {
    runtime.start(request(workflow, id, input)).await.unwrap()
}

/// Starts a script.
pub(crate) async fn play(runtime: &Runtime, id: &str, script: &[Step]) {
    start(runtime, "script", id, &script).await;
}

/// Waits for the end, which must be a result.
pub(crate) async fn result(runtime: &Runtime, id: &str) -> Value {
    let instance = end(runtime, id).await;
    assert_eq!(instance.status, Status::Completed, "{instance:?}");
    serde_json::from_str(&instance.outcome.unwrap().result.unwrap().value).unwrap()
}

/// Waits for the end of a script, and gives what it saw.
pub(crate) async fn log(runtime: &Runtime, id: &str) -> Log {
    serde_json::from_value(result(runtime, id).await).unwrap()
}

/// Waits for the end.
pub(crate) async fn end(runtime: &Runtime, id: &str) -> Instance {
    within(runtime.wait(&id.into())).await.unwrap()
}

/// A test that hangs is a test that failed.
pub(crate) async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), future).await.expect("waited for a minute")
}

/// Waits until the instance has changed so that this holds.
pub(crate) async fn until(runtime: &Runtime, id: &str, holds: impl Fn(&Instance) -> bool) -> Instance {
    let mut changes = runtime.changes();
    within(async {
        loop {
            match runtime.instance(&id.into()).await {
                Ok(view) if holds(&view.instance) => return view.instance,
                Ok(_) | Err(RequestError::Store(_)) => {}
                Err(error) => panic!("{error}"),
            }
            let _: Result<Change, broadcast::error::RecvError> = changes.recv().await;
        }
    })
    .await
}

pub(crate) async fn until_status(runtime: &Runtime, id: &str, status: Status) -> Instance {
    until(runtime, id, |instance| instance.status == status).await
}

pub(crate) async fn stop(runtime: Runtime) {
    runtime.stop(Duration::from_secs(10)).await;
}

pub(crate) fn activity(name: &str, input: impl Into<Value>) -> Step {
    Step::Activity(Callee { name: name.to_owned(), input: input.into(), retry: None })
}

pub(crate) fn retried(name: &str, input: impl Into<Value>, max_attempts: u32) -> Step {
    let retry = Retry { max_attempts, first_interval_milliseconds: 1, coefficient: 1.0 };
    Step::Activity(Callee { name: name.to_owned(), input: input.into(), retry: Some(retry) })
}

pub(crate) fn child(name: &str, input: impl Into<Value>) -> Step {
    Step::Child(Callee { name: name.to_owned(), input: input.into(), retry: None })
}

pub(crate) fn timer(milliseconds: u64) -> Step {
    Step::Timer { milliseconds }
}

pub(crate) fn wait(event: &str) -> Step {
    Step::Wait { event: event.to_owned(), limit: Limit::Never }
}

/// Waits for an event for so long.
pub(crate) fn wait_at_most(event: &str, milliseconds: u64) -> Step {
    Step::Wait { event: event.to_owned(), limit: Limit::Milliseconds(milliseconds) }
}

/// Does several things at once and waits for all.
pub(crate) fn join(steps: Vec<Step>) -> Step {
    Step::Join(steps)
}

/// Does two things at once and waits for the first.
pub(crate) fn select(left: Step, right: Step) -> Step {
    Step::Select(Box::new(left), Box::new(right))
}

/// Raises an event with a payload.
pub(crate) async fn raise(runtime: &Runtime, id: &str, event: &str, payload: impl Into<Value>) {
    runtime.raise_event(&id.into(), event, Some(payload.into().to_string())).await.unwrap();
}

/// Connects a worker for these activities.
pub(crate) fn worker(runtime: &Runtime, activities: &[&str], capacity: usize) -> Worker {
    let activities = activities.iter().map(|name| (*name).to_owned()).collect();
    runtime.connect_worker(WorkerOptions { activities: Some(activities), capacity, life: SignOfLife::Heartbeats })
}

/// The next task of a worker.
pub(crate) async fn next(worker: &mut Worker) -> ActivityTask {
    within(worker.next()).await.unwrap()
}

/// Waits until this holds, however the host comes there; the other tasks of the test get their turns meanwhile.
pub(crate) async fn until_true(mut holds: impl AsyncFnMut() -> bool) {
    within(async {
        while !holds().await {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

pub(crate) async fn history(runtime: &Runtime, id: &str) -> Vec<EventType> {
    let events = runtime.history(&id.into()).await.unwrap();
    events.into_iter().map(|event| event.event_type.unwrap()).collect()
}

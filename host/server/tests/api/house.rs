//! A host with its API, for one test.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use everturn_runtime::store::sqlite::{SqliteOptions, SqliteStore};
use everturn_runtime::{Activities, ActivityError, Options, Runtime};
use everturn_server::{Limits, Listener, Server};
use everturn_tests::guests::{TEST_GUESTS, in_version};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::changes::watch;
use crate::client::{self, Answer};

/// A host with its API.
pub(crate) struct House {
    pub(crate) address: SocketAddr,
    pub(crate) runtime: Runtime,
    stop: Option<oneshot::Sender<()>>,
    served: Option<JoinHandle<()>>,
    tokio: tokio::runtime::Runtime,
    _directory: TempDir,
}

impl House {
    /// An empty one.
    pub(crate) fn empty() -> Self {
        Self::with_limits(Limits::default())
    }

    /// With the test guests deployed.
    pub(crate) fn new() -> Self {
        let house = Self::empty();
        house.deploy_guests();
        house
    }

    pub(crate) fn deploy_guests(&self) {
        let deployed = self.deploy("version=one", &TEST_GUESTS.bytes().unwrap());
        assert_eq!(deployed.status, 201, "{deployed:?}");
    }

    pub(crate) fn with_limits(limits: Limits) -> Self {
        Self::with(limits, SqliteOptions::default())
    }

    /// On a store that is set up otherwise.
    pub(crate) fn with(limits: Limits, store: SqliteOptions) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let store = SqliteStore::open(&directory.path().join("data.db"), store).unwrap();
        let (runtime, server) = tokio.block_on(async {
            let runtime = Runtime::open(Arc::new(store), options()).await.unwrap();
            let listener = Listener::bind((Ipv4Addr::LOCALHOST, 0).into()).await.unwrap();
            (runtime.clone(), Server::new(listener, runtime, limits))
        });
        let address = server.address();
        let (stop, stopped) = oneshot::channel::<()>();
        let served = tokio.spawn(server.run(async {
            let _ = stopped.await;
        }));
        Self { address, runtime, stop: Some(stop), served: Some(served), tokio, _directory: directory }
    }

    /// Tells the server to stop.
    pub(crate) fn begin_to_stop(&mut self) {
        let _ = self.stop.take().unwrap().send(());
    }

    /// Waits until it has stopped.
    pub(crate) fn await_stop(&mut self) {
        self.tokio.block_on(self.served.take().unwrap()).unwrap();
    }

    /// Stops the runtime, not the server.
    pub(crate) fn stop_runtime(&self) {
        self.tokio.block_on(self.runtime.stop(Duration::from_secs(10)));
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        client::send(self.address, &format!("GET {path}"), &[], &[])
    }

    pub(crate) fn delete(&self, path: &str) -> Answer {
        client::send(self.address, &format!("DELETE {path}"), &[], &[])
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        self.post_text(path, &body.to_string())
    }

    pub(crate) fn post_text(&self, path: &str, body: &str) -> Answer {
        let headers = [("content-type", "application/json")];
        client::send(self.address, &format!("POST {path}"), &headers, body.as_bytes())
    }

    pub(crate) fn deploy(&self, query: &str, wasm: &[u8]) -> Answer {
        let headers = [("content-type", "application/wasm")];
        client::send(self.address, &format!("POST /v1/deployments?{query}"), &headers, wasm)
    }

    /// Deploys the component of `tests/guests/versions` in a version, under its name.
    pub(crate) fn deploy_version(&self, version: &str) -> Value {
        self.deploy(&format!("version={version}"), &in_version(version)).ok(201)
    }

    /// With the first version of that component, and instances that have begun to pack.
    pub(crate) fn under_way(ids: &[&str]) -> Self {
        let house = Self::empty();
        house.deploy_version("first");
        for id in ids {
            let mut changes = watch(&house, &format!("?id={id}"));
            house.start("journey", id, &json!("bag"));
            changes.until(|change| change["status"] == "running");
        }
        house
    }

    /// Starts a workflow under this id.
    pub(crate) fn start(&self, workflow: &str, id: &str, input: &Value) {
        let body = json!({"workflow": workflow, "id": id, "input": input});
        self.post("/v1/workflows", &body).ok(201);
    }

    /// Waits for its end.
    pub(crate) fn end_of(&self, id: &str) -> Value {
        self.get(&format!("/v1/workflows/{id}/wait")).ok(200)
    }
}

fn options() -> Options {
    let activities = Activities::new()
        .with("echo", async |_, input: Value| Ok::<_, ActivityError>(input))
        .with("never", async |_, _: Value| std::future::pending::<Result<Value, ActivityError>>().await);
    let component_cache = Some(PathBuf::from(cache()));
    Options { activities, component_cache, ..Options::default() }
}

/// One cache for all tests: compiling a guest takes a while.
fn cache() -> &'static Path {
    Path::new(concat!(env!("CARGO_TARGET_TMPDIR"), "/components"))
}

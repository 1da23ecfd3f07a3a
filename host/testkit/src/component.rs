//! The component under test: built from the author's crate, or read from a file.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use everturn_builder::Build;
use everturn_guest::{Component, ComponentCache, Engine, Limits, WorkflowDescription};

use crate::complaint::{Complaint, or_fail};

/// How long a workflow may compute without waiting. More than a host allows: machines that run tests are busy.
const RUN_TIME: Duration = Duration::from_secs(10);
/// Where machine code is kept, beside the components that it was made of.
const COMPILED: &str = "everturn-test";

/// A component to test. Cheap to clone; built and compiled once in a test run.
///
/// ```no_run
/// let component = everturn_test::component!();
/// let other = everturn_test::TestComponent::from_file("tests/components/older.wasm");
/// ```
#[derive(Clone, Debug)]
pub struct TestComponent(Component);

/// Builds the crate whose test this is, and gives its component.
///
/// The crate has to be one of workflows: a library with `crate-type = ["cdylib"]`, or `["cdylib", "rlib"]` for tests that
/// use its types.
///
/// ```no_run
/// use everturn_test::TestHost;
///
/// let host = TestHost::new(everturn_test::component!());
/// ```
#[macro_export]
macro_rules! component {
    () => {
        $crate::TestComponent::of_crate(env!("CARGO_MANIFEST_DIR"))
    };
}

impl TestComponent {
    /// Builds the workflow crate in a directory for `wasm32-wasip2`, once for all tests of a process. It is compiled beside
    /// the running cargo, in `target/guests`, so the two do not wait for each other.
    ///
    /// # Panics
    /// When the crate does not compile; what the compiler says is above. When it is no component of workflows.
    #[track_caller]
    #[must_use]
    pub fn of_crate(directory: impl AsRef<Path>) -> Self {
        or_fail(built(directory.as_ref()))
    }

    /// Reads a `.wasm` file.
    ///
    /// # Panics
    /// When it cannot be read, or is no component of workflows.
    #[track_caller]
    #[must_use]
    pub fn from_file(path: impl AsRef<Path>) -> Self {
        or_fail(read(path.as_ref()).and_then(|wasm| load(&path.as_ref().display().to_string(), &wasm, None)))
    }

    /// Takes the bytes of a `.wasm` file.
    ///
    /// # Panics
    /// When they are no component of workflows.
    #[track_caller]
    #[must_use]
    pub fn from_bytes(wasm: &[u8]) -> Self {
        or_fail(load("these bytes", wasm, None))
    }

    pub(crate) fn loaded(&self) -> &Component {
        &self.0
    }

    pub(crate) fn workflow(&self, name: &str) -> Option<&WorkflowDescription> {
        self.0.workflows().iter().find(|workflow| workflow.name == name)
    }

    pub(crate) fn workflow_names(&self) -> Vec<String> {
        self.0.workflows().iter().map(|workflow| workflow.name.clone()).collect()
    }

    pub(crate) fn activity_names(&self) -> Vec<String> {
        self.0.activities().iter().map(|activity| activity.name.clone()).collect()
    }
}

/// Tests run on threads of one process, and all ask for the same component.
fn built(directory: &Path) -> Result<TestComponent, Complaint> {
    static BUILT: Mutex<Option<HashMap<PathBuf, TestComponent>>> = Mutex::new(None);
    // One that failed to build poisons nothing: the next test tries, and fails with the same words.
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    let built = built.get_or_insert_default();
    if let Some(component) = built.get(directory) {
        return Ok(component.clone());
    }
    let component = build(directory)?;
    built.insert(directory.to_owned(), component.clone());
    Ok(component)
}

fn build(directory: &Path) -> Result<TestComponent, Complaint> {
    let failed = |source| Complaint::Build { directory: directory.to_owned(), source };
    let artifacts = Build::of_crate(directory).beside_cargo().run().map_err(failed)?;
    // One crate was asked for, and the builder answers for each that was.
    let Some(artifact) = artifacts.into_iter().next() else {
        let package = directory.display().to_string();
        return Err(failed(everturn_builder::BuildError::NoArtifact { package }));
    };
    let wasm = read(&artifact.component)?;
    // Compiling to machine code takes longer than most tests, so it is done once a build. Without a cache it works too.
    let kept = artifact.component.with_file_name(COMPILED);
    load(&directory.display().to_string(), &wasm, ComponentCache::open(kept).ok().as_ref())
}

fn read(path: &Path) -> Result<Vec<u8>, Complaint> {
    fs::read(path).map_err(|source| Complaint::File { path: path.to_owned(), source })
}

fn load(whose: &str, wasm: &[u8], cache: Option<&ComponentCache>) -> Result<TestComponent, Complaint> {
    let engine = engine()?;
    let loaded = match cache {
        Some(cache) => engine.load_cached(wasm, cache),
        None => engine.load(wasm),
    };
    let refused = |source| Complaint::Component { whose: whose.to_owned(), source };
    loaded.map(TestComponent).map_err(refused)
}

/// One for all tests of a process.
fn engine() -> Result<Engine, Complaint> {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    if let Some(engine) = ENGINE.get() {
        return Ok(engine.clone());
    }
    let engine = Engine::new(Limits { run_time: RUN_TIME, ..Limits::default() })?;
    Ok(ENGINE.get_or_init(|| engine).clone())
}

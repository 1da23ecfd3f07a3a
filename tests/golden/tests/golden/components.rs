//! The current build of what histories were recorded on: where a history is says which crate that is.

use std::collections::BTreeMap;
use std::fs;
use std::sync::OnceLock;

use everturn_builder::Build;
use everturn_golden::{COMPILED, files};
use everturn_guest::{Component, ComponentCache, Engine, Limits};
use everturn_tests::guests::TEST_GUESTS;

/// The component of `tests/guests`, which has the histories under `tests/histories`.
pub(crate) const GUESTS: &str = "tests/histories";

/// Components, each by the beginning of the paths of its histories.
pub(crate) type Components = BTreeMap<String, Component>;

/// The directories of crates whose histories are beside them: examples, and a guest of the tests.
fn crates() -> Vec<String> {
    let examples = fs::read_dir(files::root().join("examples")).unwrap().map(|entry| entry.unwrap().file_name());
    let examples = examples.map(|name| format!("examples/{}", name.to_string_lossy()));
    let is_component = |directory: &String| {
        let manifest = fs::read_to_string(files::root().join(directory).join("Cargo.toml"));
        manifest.is_ok_and(|manifest| manifest.contains("cdylib"))
    };
    examples.chain(["tests/guests/approval".to_owned()]).filter(is_component).collect()
}

fn package(directory: &str) -> String {
    let manifest = fs::read_to_string(files::root().join(directory).join("Cargo.toml")).unwrap();
    let name = manifest.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
    name.unwrap().to_owned()
}

/// All of them, built and compiled once for all tests of a process.
pub(crate) fn all() -> &'static Components {
    static COMPONENTS: OnceLock<Components> = OnceLock::new();
    COMPONENTS.get_or_init(|| {
        let crates = crates();
        let packages: Vec<_> = crates.iter().map(|directory| package(directory)).collect();
        let build = Build::of_packages(files::root(), packages.iter().map(String::as_str));
        let built = build.beside_cargo().run().unwrap_or_else(|error| panic!("{error}"));
        let engine = Engine::new(Limits { run_time: std::time::Duration::from_secs(60), ..Limits::default() }).unwrap();
        let load = |path: &std::path::Path| {
            let cache = ComponentCache::open(path.with_file_name(COMPILED)).unwrap();
            engine.load_cached(&fs::read(path).unwrap(), &cache).unwrap()
        };
        let crates = crates.into_iter().zip(built).map(|(directory, built)| (directory, load(&built.component)));
        crates.chain([(GUESTS.to_owned(), load(TEST_GUESTS.path()))]).collect()
    })
}

/// The component that a history was recorded on.
pub(crate) fn of(path: &str) -> &'static Component {
    let owner = all().iter().find(|(directory, _)| path.starts_with(&format!("{directory}/")));
    owner.unwrap_or_else(|| panic!("{path}: no crate of workflows is known that has its histories there")).1
}

//! Builds small crates for real, and crates that cannot be built. None has dependencies, so none needs a network.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::fs;
use std::path::Path;

use everturn_builder::{Build, BuildError};
use tempfile::TempDir;

const CODE: &str = "#[unsafe(no_mangle)] pub extern \"C\" fn answer() -> i32 { 42 }";
const WASM_MAGIC: &[u8] = b"\0asm";

fn write(root: &Path, path: &str, content: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn manifest(name: &str, more: &str) -> String {
    format!("[package]\nname = \"{name}\"\nedition = \"2024\"\n{more}")
}

const COMPONENT: &str = "[lib]\ncrate-type = [\"cdylib\"]\n";

/// A workspace with two crates that compile to components, and one that does not.
fn workspace() -> TempDir {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"one\", \"two\", \"plain\"]\n");
    for (name, more) in [("one", COMPONENT), ("two", COMPONENT), ("plain", "")] {
        write(root.path(), &format!("{name}/Cargo.toml"), &manifest(name, more));
        write(root.path(), &format!("{name}/src/lib.rs"), CODE);
    }
    root
}

/// The message with what differs from run to run taken out.
fn message(error: &BuildError, root: &TempDir) -> String {
    error.to_string().replace(&root.path().display().to_string(), "ROOT")
}

#[test]
fn several_packages_are_built_in_the_order_in_which_they_were_named() {
    let root = workspace();
    let target = root.path().join("elsewhere");
    let built = Build::of_packages(root.path(), ["two", "one"]).target_directory(&target).locked(true).run().unwrap();
    assert_eq!(built.iter().map(|artifact| artifact.package.as_str()).collect::<Vec<_>>(), ["two", "one"]);
    for artifact in built {
        assert!(artifact.component.starts_with(&target));
        assert!(fs::read(artifact.component).unwrap().starts_with(WASM_MAGIC));
    }
}

#[test]
fn a_crate_is_built_from_its_directory() {
    let root = workspace();
    let built = Build::of_crate(root.path().join("one")).run().unwrap();
    assert_eq!(built.len(), 1);
    assert_eq!(built[0].component.file_name().unwrap(), "one.wasm");
}

#[test]
fn a_directory_without_a_manifest_is_no_crate() {
    let root = tempfile::tempdir().unwrap();
    let error = Build::of_crate(root.path()).run().unwrap_err();
    insta::assert_snapshot!(message(&error, &root), @"ROOT holds no Cargo.toml: give the directory of a workflow crate");
}

#[test]
fn a_workspace_is_no_crate() {
    let root = workspace();
    let error = Build::of_crate(root.path()).run().unwrap_err();
    insta::assert_snapshot!(message(&error, &root), @"ROOT is a workspace, not a workflow crate: give the directory of one of its crates (one, two)");
}

#[test]
fn a_package_that_is_not_there() {
    let root = workspace();
    let error = Build::of_packages(root.path(), ["three"]).run().unwrap_err();
    insta::assert_snapshot!(message(&error, &root), @"there is no workflow crate three in ROOT: there is one, two");
}

#[test]
fn a_crate_that_is_no_dynamic_library() {
    let root = workspace();
    let error = Build::of_crate(root.path().join("plain")).run().unwrap_err();
    insta::assert_snapshot!(message(&error, &root), @r#"plain does not compile to a component: add `[lib]` with `crate-type = ["cdylib"]` to ROOT/plain/Cargo.toml"#);
}

#[test]
fn a_manifest_that_cargo_refuses() {
    let root = workspace();
    write(root.path(), "one/Cargo.toml", "[package]\nname = 1\n");
    let error = Build::of_crate(root.path().join("one")).run().unwrap_err();
    assert!(matches!(error, BuildError::Manifest { .. }));
    assert!(message(&error, &root).starts_with("cargo cannot read ROOT/one/Cargo.toml:\nerror: "), "{error}");
}

#[test]
fn code_that_does_not_compile() {
    let root = workspace();
    write(root.path(), "one/src/lib.rs", "fn broken( {}");
    let error = Build::of_crate(root.path().join("one")).run().unwrap_err();
    insta::assert_snapshot!(message(&error, &root), @"cargo did not build the component (exit status: 101): see what it says above");
}
